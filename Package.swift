// swift-tools-version: 6.2

import PackageDescription

/// The settings of every target. The layers are enforced in addition, by
/// `--explicit-target-dependency-import-check error` (scripts/test).
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
]

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

/// A module of the product. Imports only ever point down (docs/design/architecture.md).
func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// The test suite of one module.
func suite(_ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []) -> Target {
    .testTarget(
        name: name + "Tests", dependencies: [.byName(name: name), "BskyAuthCovers"] + dependencies,
        exclude: exclude,
        swiftSettings: strict)
}

let package = Package(
    name: "bskyauth",
    // For the modules that ATProtoSessions and ATProtoURLSession need. They were never built on these systems. `Mutex` sets
    // the versions.
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .visionOS(.v2)],
    products: [
        .executable(name: "bskyauth", targets: ["bskyauth"]),
        // ATPNetworking has the ports that their signatures name.
        .library(name: "OAuthDPoP", targets: ["OAuthDPoP", "ATPNetworking"]),
        .library(name: "ATProtoIdentity", targets: ["ATProtoIdentity", "ATPNetworking"]),
        .library(name: "ATProtoOAuth", targets: ["ATProtoOAuth", "OAuthDPoP", "ATPNetworking"]),
        .library(name: "ATProtoCurl", targets: ["ATProtoCurl", "ATPNetworking"]),
        .library(name: "ATProtoURLSession", targets: ["ATProtoURLSession", "ATPNetworking"]),
        .library(
            name: "ATProtoSessions",
            targets: [
                "ATProtoSessions", "ATProtoXRPC", "ATProtoIdentity", "ATProtoRecordProof", "OAuthDPoP",
                "ATPNetworking",
            ]),
        .library(name: "ATProtoVault", targets: ["ATProtoVault", "ATProtoSessions"]),
        .library(
            name: "ATProtoLoopback", targets: ["ATProtoLoopback", "ATProtoSessions", "ATPNetworking"]),
        .library(name: "ATProtoDNS", targets: ["ATProtoDNS", "ATProtoIdentity"]),
        .library(
            name: "ATProtoBackendClient",
            targets: ["ATProtoBackendClient", "ATProtoSessions", "ATProtoIdentity", "ATPNetworking"]),
        .library(name: "ATProtoGateway", targets: ["ATProtoGateway", "ATProtoSessions", "ATPNetworking"]),
        .library(name: "ATProtoRecordProof", targets: ["ATProtoRecordProof"]),
        .library(name: "BskyAuthRows", targets: ["BskyAuthRows"]),
        .library(name: "BskyAuthEtcdRows", targets: ["BskyAuthEtcdRows", "BskyAuthRows", "ATPNetworking"]),
        // Empty without the trait PostgreSQL.
        .library(name: "BskyAuthPostgresRows", targets: ["BskyAuthPostgresRows", "BskyAuthRows"]),
        .library(name: "BskyAuthRowsConformance", targets: ["BskyAuthRowsConformance", "BskyAuthRows"]),
        // For bskyauth-server alone.
        .library(name: "BskyAuthServerSupport", targets: ["BskyAuthServerSupport"]),
    ],
    traits: [
        // libpq is needed only with it. A trait leaves out dependencies of a target, but not the target, so the sources of
        // BskyAuthPostgresRows and of its tests are empty without it.
        .trait(name: "PostgreSQL", description: "Rows in PostgreSQL (BskyAuthPostgresRows), with libpq.")
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        .executableTarget(
            name: "bskyauth", dependencies: ["BskyAuthCLI", "ATPPlatform"], swiftSettings: strict),
        module(
            "BskyAuthCLI",
            [
                "BskyAuthCore", "BskyAuthRows", "BskyAuthEtcdRows", "ATProtoGateway", "ATProtoCurl",
                "ATProtoDNS",
                "BskyAuthLoopback",
                "ATProtoOAuth",
                "OAuthDPoP", "ATProtoIdentity", "ATProtoXRPC", "ATProtoLexicons", "ATProtoRecordProof",
                "ATProtoVault", "ATProtoSessions", "ATPNetworking", "ATPJSON",
                "ATPCryptography", "ATPPlatform", argumentParser, httpTypes, logging,
                .target(name: "BskyAuthPostgresRows", condition: .when(traits: ["PostgreSQL"])),
            ]),

        module(
            "BskyAuthCore",
            [
                "ATProtoGateway", "ATProtoVault", "ATProtoSessions", "ATProtoOAuth", "OAuthDPoP",
                "ATProtoIdentity", "ATProtoXRPC", "ATProtoLexicons", "ATProtoRecordProof", "ATPNetworking",
                "ATPJSON", "ATPCryptography", httpTypes, logging,
            ]),
        module(
            "ATProtoGateway",
            ["ATProtoSessions", "ATProtoIdentity", "ATProtoXRPC", "ATPNetworking", "ATPJSON", httpTypes]),
        module(
            "ATProtoBackendClient",
            [
                "ATProtoSessions", "OAuthDPoP", "ATProtoXRPC", "ATProtoIdentity", "ATPNetworking", "ATPJSON",
                httpTypes,
            ]),
        module("ATProtoCurl", ["ATPNetworking", "ATPPlatform", "CATPCurl", httpTypes]),
        module("ATProtoURLSession", ["ATPNetworking", httpTypes]),
        module("ATProtoDNS", ["ATProtoIdentity", "ATPPlatform"]),
        module(
            "BskyAuthLoopback",
            [
                "ATPNetworking", "ATPPlatform", httpTypes, .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]),

        // The redirect of a login, for programs of others. No module of the program uses it.
        module("ATProtoLoopback", ["BskyAuthLoopback", "ATProtoSessions", "ATPNetworking"]),

        module("ATProtoRecordProof", ["ATProtoIdentity", "ATPNetworking", "ATPJSON", "ATPCryptography"]),
        module("ATProtoOAuth", ["OAuthDPoP", "ATPNetworking", "ATPJSON"]),
        module("OAuthDPoP", ["ATPNetworking", "ATPJSON", "ATPCryptography", httpTypes]),
        module(
            "ATProtoXRPC",
            ["ATProtoLexicons", "ATProtoIdentity", "ATPNetworking", "ATPJSON", httpTypes]),
        module("ATProtoLexicons", ["ATProtoIdentity", "ATPJSON"]),
        module("ATProtoIdentity", ["ATPNetworking", "ATPJSON", httpTypes]),
        module(
            "ATProtoVault",
            [
                "ATProtoSessions", "ATProtoIdentity", "OAuthDPoP", "BskyAuthRows", "ATPJSON",
                "ATPCryptography", "ATPPlatform",
            ]),
        module(
            "ATProtoSessions",
            [
                "ATProtoOAuth", "OAuthDPoP", "ATProtoXRPC", "ATProtoLexicons", "ATProtoIdentity",
                "ATProtoRecordProof", "ATPNetworking", "ATPJSON", "ATPCryptography", httpTypes, logging,
            ]),

        // Rows under keys, and the rules of every row store as tests.
        module("BskyAuthRows"),
        module("BskyAuthRowsConformance", ["BskyAuthRows"]),
        module(
            "BskyAuthEtcdRows", ["BskyAuthRows", "ATPNetworking", "ATPJSON", "ATPCryptography", httpTypes]),
        module(
            "BskyAuthPostgresRows",
            [
                "BskyAuthRows", "ATPNetworking", "ATPCryptography", "ATPPlatform",
                .target(name: "CATPPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ]),

        module("BskyAuthServerSupport", ["ATPCryptography", "ATPPlatform"]),

        module("ATPNetworking", ["ATPJSON", httpTypes]),
        module("ATPJSON"),
        module("ATPCryptography", [.target(name: "CATPOpenSSL", condition: .when(platforms: [.linux]))]),
        module("ATPPlatform", ["CATPPlatform"]),

        .systemLibrary(name: "CATPCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CATPOpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CATPPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .target(
            name: "CATPPlatform",
            // The commit as git describes it, for the version of an installed program (scripts/install).
            cSettings: Context.environment["BSKYAUTH_BUILD"].map {
                [.define("BSKYAUTH_BUILD", to: "\"\($0)\"")]
            },
            linkerSettings: [.linkedLibrary("resolv", .when(platforms: [.linux]))]),

        suite("ATPPlatform", ["CATPPlatform", "BskyAuthTestSupport"]),
        suite("ATPCryptography", ["BskyAuthTestPrograms"]),
        suite("ATPJSON"),
        suite("ATPNetworking", [httpTypes]),
        suite("ATProtoOAuth", ["OAuthDPoP", "ATPNetworking", "ATPJSON", "BskyAuthTestSupport"]),
        suite(
            "OAuthDPoP",
            [
                "ATProtoOAuth", "ATPNetworking", "ATPJSON", "ATPCryptography", httpTypes,
                "BskyAuthTestSupport", "BskyAuthTestPrograms",
            ]),
        suite("ATProtoIdentity", ["ATPNetworking", "ATPJSON", httpTypes, "BskyAuthTestSupport"]),
        suite("ATProtoLexicons", ["ATProtoIdentity", "ATPJSON", "BskyAuthTestSupport"]),
        suite(
            "ATProtoXRPC",
            [
                "ATProtoLexicons", "ATProtoIdentity", "ATPNetworking", "ATPJSON", httpTypes,
                "BskyAuthTestSupport",
            ]),
        suite(
            "ATProtoVault",
            ["ATProtoSessions", "ATPJSON", "ATPCryptography", "ATPPlatform", "BskyAuthTestPrograms"]),
        suite(
            "ATProtoSessions",
            [
                "BskyAuthRows", "ATProtoVault", "ATProtoOAuth", "OAuthDPoP", "ATProtoXRPC", "ATProtoIdentity",
                "ATPNetworking", "ATPJSON", "ATPCryptography", httpTypes, logging, "BskyAuthTestSupport",
            ]),
        suite(
            "ATProtoCurl",
            [
                "ATPCryptography", "ATPNetworking", httpTypes, "BskyAuthTestPrograms", "BskyAuthTestServer",
            ]),
        suite("ATProtoURLSession", ["ATPNetworking", httpTypes, "BskyAuthTestServer"]),
        suite(
            "BskyAuthLoopback",
            [
                "ATPNetworking", httpTypes, "BskyAuthTestPrograms",
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]),
        suite(
            "ATProtoLoopback",
            [
                "ATProtoSessions", "ATProtoIdentity", "ATProtoCurl", "ATPNetworking", "ATPJSON", httpTypes,
                "BskyAuthTestSupport",
            ]),
        suite(
            "ATProtoGateway",
            [
                "ATProtoSessions", "ATProtoOAuth", "OAuthDPoP", "ATProtoIdentity", "ATProtoXRPC",
                "ATPNetworking", "ATPJSON", httpTypes, "BskyAuthTestSupport",
            ]),
        suite("ATProtoRecordProof", ["ATPJSON", "ATPCryptography", "BskyAuthTestSupport"]),
        suite("BskyAuthRows", ["BskyAuthRowsConformance"]),
        suite(
            "BskyAuthEtcdRows",
            [
                "BskyAuthRows", "BskyAuthRowsConformance", "ATPCryptography", "ATPJSON", "ATPNetworking",
                "BskyAuthTestServer", "BskyAuthTestStores", "BskyAuthTestSupport",
            ]),
        suite(
            "BskyAuthPostgresRows",
            [
                "BskyAuthRows", "BskyAuthRowsConformance", "ATPCryptography", "BskyAuthTestPrograms",
                "BskyAuthTestServer", "BskyAuthTestStores",
            ]),
        suite(
            "ATProtoBackendClient",
            [
                "ATProtoSessions", "OAuthDPoP", "ATProtoXRPC", "ATProtoIdentity", "ATPNetworking", "ATPJSON",
                httpTypes, "BskyAuthTestSupport",
            ]),
        suite(
            "BskyAuthCore",
            [
                "ATProtoGateway", "ATProtoOAuth", "OAuthDPoP", "ATProtoIdentity", "ATProtoXRPC",
                "ATProtoRecordProof",
                "ATProtoVault", "ATProtoSessions", "ATPNetworking", "ATPJSON", "ATPCryptography", httpTypes,
                logging, "BskyAuthTestSupport",
            ]),
        suite(
            "BskyAuthCLI",
            [
                "BskyAuthCore", "BskyAuthRows", "BskyAuthLoopback", "ATProtoOAuth", "OAuthDPoP",
                "ATProtoIdentity",
                "ATProtoXRPC", "ATProtoVault", "ATProtoSessions", "ATPNetworking", "ATPJSON",
                "ATPCryptography", "ATPPlatform",
                argumentParser, httpTypes, logging, "BskyAuthTestPrograms", "BskyAuthEndToEnd",
                "BskyAuthTestSupport", "bskyauth",
            ]),

        // Feeds broken input to everything that parses untrusted bytes.
        .target(
            name: "BskyAuthFuzzTargets",
            dependencies: [
                "ATProtoGateway", "ATProtoOAuth", "OAuthDPoP", "ATProtoIdentity", "ATProtoLexicons",
                "ATProtoXRPC", "ATProtoRecordProof", "ATPNetworking", "ATPJSON", "ATPPlatform", httpTypes,
            ],
            path: "Tests/FuzzTargets", swiftSettings: strict),
        .testTarget(name: "FuzzTests", dependencies: ["BskyAuthFuzzTargets"], swiftSettings: strict),

        // The trait by which a test names the rules that it holds.
        .target(name: "BskyAuthCovers", path: "Tests/Covers", swiftSettings: strict),

        // Checks the rules of docs/design, their citations and their tests, without the product.
        .testTarget(
            name: "ConformanceTests", dependencies: ["BskyAuthCovers", "BskyAuthTestPrograms"],
            swiftSettings: strict),

        // Shared by several suites: a scripted network, recordings, vectors, temporary directories.
        .target(
            name: "BskyAuthTestSupport",
            dependencies: ["ATProtoIdentity", "ATProtoXRPC", "ATPNetworking", "ATPJSON", httpTypes],
            path: "Tests/TestSupport", swiftSettings: strict),

        // Starts real servers of stores, for tests.
        .target(
            name: "BskyAuthTestStores",
            dependencies: [
                "ATPCryptography", "ATPNetworking", "ATProtoCurl", "BskyAuthEtcdRows", "BskyAuthRows",
                "BskyAuthTestPrograms", "BskyAuthTestServer",
            ],
            path: "Tests/TestStores", swiftSettings: strict),

        // Runs other programs, for tests.
        .target(
            name: "BskyAuthTestPrograms", dependencies: ["CATPPlatform"], path: "Tests/TestPrograms",
            swiftSettings: strict),

        // An HTTP server that does what servers do to clients, for the tests of transports.
        .target(
            name: "BskyAuthTestServer",
            dependencies: ["ATPNetworking", httpTypes, "BskyAuthTestPrograms"],
            path: "Tests/TestServer", exclude: ["server.py"], swiftSettings: strict),

        // Makes a vault of many accounts, for tests and benchmarks.
        .executableTarget(
            name: "bskyauth-vault-seeder",
            dependencies: [
                "BskyAuthCore", "ATProtoVault", "ATProtoSessions", "ATProtoOAuth", "OAuthDPoP",
                "ATProtoIdentity",
                "ATPNetworking", logging,
            ],
            path: "Tests/VaultSeeder", swiftSettings: strict),

        // Uses the library in a process of its own, which a test can kill.
        .executableTarget(
            name: "bskyauth-library",
            dependencies: [
                "ATProtoVault", "ATProtoSessions", "ATProtoIdentity", "ATProtoCurl", "ATPNetworking",
                "BskyAuthEtcdRows", httpTypes,
            ],
            path: "Tests/Library", swiftSettings: strict),

        // Measures inside one process, for scripts/dev/bench.
        .executableTarget(
            name: "bskyauth-in-process",
            dependencies: ["ATProtoVault", "OAuthDPoP", "ATPNetworking", "ATPCryptography", httpTypes],
            path: "Tests/InProcess", swiftSettings: strict),

        // Real processes: the program, the sandbox network, a scripted browser.
        .target(
            name: "BskyAuthEndToEnd", dependencies: ["BskyAuthTestPrograms"], path: "Tests/EndToEndSupport",
            exclude: [
                "Shells", "browser.py", "chromium.py", "controlling_terminal.py", "gh.sh",
                "peak_memory.py", "relay_page.py", "standard_input.py", "terminal.py", "validate.py",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "BskyAuthCLI", "BskyAuthCovers", "ATProtoVault", "ATPCryptography", "BskyAuthEndToEnd",
                httpTypes, "BskyAuthTestPrograms", "bskyauth",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "EnduranceTests",
            dependencies: [
                "ATProtoVault", "ATProtoSessions", "ATProtoIdentity", "BskyAuthCovers", "BskyAuthEndToEnd",
                "BskyAuthTestPrograms", "bskyauth", "bskyauth-library", "bskyauth-vault-seeder",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "FleetTests",
            dependencies: [
                "BskyAuthCovers", "BskyAuthEndToEnd", "BskyAuthTestPrograms", "BskyAuthTestStores",
                "bskyauth",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "RefusalTests",
            dependencies: ["BskyAuthCovers", "BskyAuthEndToEnd", "BskyAuthTestPrograms", "bskyauth"],
            swiftSettings: strict),
    ]
)

// Only for scripts/dev/fuzz: without libFuzzer it has no main function.
if Context.environment["BSKYAUTH_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "bskyauth-fuzzer", dependencies: ["BskyAuthFuzzTargets"], path: "Tests/Fuzzer",
            swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])]))
}
