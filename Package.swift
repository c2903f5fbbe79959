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
        name: name + "Tests", dependencies: [.byName(name: name), "Covers"] + dependencies, exclude: exclude,
        swiftSettings: strict)
}

let package = Package(
    name: "bskyauth",
    products: [.executable(name: "bskyauth", targets: ["bskyauth"])],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        .executableTarget(name: "bskyauth", dependencies: ["BskyAuthCLI"], swiftSettings: strict),
        module(
            "BskyAuthCLI",
            [
                "BskyAuthCore", "Gateway", "CurlTransport", "LoopbackServer", "OAuth", "ATProto",
                "CredentialVault", "Networking", "JSON", "Cryptography", "Platform", argumentParser,
                httpTypes, logging,
            ]),

        module(
            "BskyAuthCore",
            ["OAuth", "ATProto", "CredentialVault", "Networking", "JSON", "Cryptography", httpTypes, logging]),
        module(
            "Gateway",
            ["BskyAuthCore", "CredentialVault", "ATProto", "Networking", "JSON", "Cryptography", httpTypes]),
        module("CurlTransport", ["Networking", "Platform", "CCurl", httpTypes]),
        module(
            "LoopbackServer",
            [
                "Networking", "Platform", httpTypes,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]),

        module("OAuth", ["Networking", "JSON", "Cryptography", httpTypes]),
        module("ATProto", ["Networking", "JSON", httpTypes]),
        module("CredentialVault", ["JSON", "Cryptography", "Platform"]),

        module("Networking", ["JSON", httpTypes]),
        module("JSON"),
        module("Cryptography", ["COpenSSL"]),
        module("Platform", ["CPlatform"]),

        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .target(
            name: "CPlatform",
            // The commit as git describes it, for the version of an installed program (scripts/install).
            cSettings: Context.environment["BSKYAUTH_BUILD"].map {
                [.define("BSKYAUTH_BUILD", to: "\"\($0)\"")]
            },
            linkerSettings: [.linkedLibrary("resolv", .when(platforms: [.linux]))]),

        suite("Platform", ["CPlatform", "TestSupport"]),
        suite("Cryptography", ["TestPrograms"]),
        suite("JSON"),
        suite("Networking", [httpTypes]),
        suite("OAuth", ["Networking", "JSON", "Cryptography", httpTypes, "TestSupport"]),
        suite("ATProto", ["Networking", "JSON", httpTypes, "TestSupport"]),
        suite("CredentialVault", ["JSON", "Cryptography", "Platform", "TestPrograms"]),
        suite(
            "CurlTransport", ["Cryptography", "Networking", httpTypes, "TestPrograms"], exclude: ["Fixtures"]),
        suite(
            "LoopbackServer",
            ["Networking", httpTypes, "TestPrograms", .product(name: "NIOHTTP1", package: "swift-nio")]),
        suite("Gateway", ["ATProto", "Networking", httpTypes]),
        suite(
            "BskyAuthCore",
            [
                "OAuth", "ATProto", "CredentialVault", "Networking", "JSON", "Cryptography", httpTypes,
                logging, "TestSupport",
            ]),
        suite(
            "BskyAuthCLI",
            [
                "BskyAuthCore", "LoopbackServer", "OAuth", "ATProto", "CredentialVault", "Networking", "JSON",
                "Cryptography", "Platform", argumentParser, httpTypes, logging, "TestPrograms",
                "EndToEndSupport", "TestSupport", "bskyauth",
            ]),

        // Feeds broken input to everything that parses untrusted bytes.
        .target(
            name: "FuzzTargets",
            dependencies: ["Gateway", "OAuth", "ATProto", "Networking", "JSON", "Platform", httpTypes],
            path: "Tests/FuzzTargets", swiftSettings: strict),
        .testTarget(name: "FuzzTests", dependencies: ["FuzzTargets"], swiftSettings: strict),

        // The trait by which a test names the rules that it holds.
        .target(name: "Covers", path: "Tests/Covers", swiftSettings: strict),

        // Checks the rules of docs/design, their citations and their tests, without the product.
        .testTarget(name: "ConformanceTests", dependencies: ["Covers"], swiftSettings: strict),

        // Shared by several suites: a scripted network, recordings, vectors, temporary directories.
        .target(
            name: "TestSupport", dependencies: ["ATProto", "Networking", "JSON", httpTypes],
            path: "Tests/TestSupport", swiftSettings: strict),

        // Runs other programs, for tests.
        .target(
            name: "TestPrograms", dependencies: ["CPlatform"], path: "Tests/TestPrograms",
            swiftSettings: strict),

        // Makes a vault of many accounts, for tests and benchmarks.
        .executableTarget(
            name: "vault-seeder",
            dependencies: ["BskyAuthCore", "CredentialVault", "OAuth", "ATProto", "Networking", logging],
            path: "Tests/VaultSeeder", swiftSettings: strict),

        // Measures inside one process, for scripts/dev/bench.
        .executableTarget(
            name: "in-process",
            dependencies: ["CredentialVault", "OAuth", "Networking", "Cryptography", httpTypes],
            path: "Tests/InProcess", swiftSettings: strict),

        // Real processes: the program, the sandbox network, a scripted browser.
        .target(
            name: "EndToEndSupport", dependencies: ["TestPrograms"], path: "Tests/EndToEndSupport",
            exclude: [
                "Shells", "browser.py", "chromium.py", "controlling_terminal.py", "gh.sh",
                "peak_memory.py", "relay_page.py", "terminal.py", "validate.py",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "BskyAuthCLI", "Covers", "CredentialVault", "Cryptography", "EndToEndSupport", httpTypes,
                "TestPrograms", "bskyauth",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "EnduranceTests",
            dependencies: ["Covers", "EndToEndSupport", "TestPrograms", "bskyauth", "vault-seeder"],
            swiftSettings: strict),
        .testTarget(
            name: "RefusalTests", dependencies: ["Covers", "EndToEndSupport", "TestPrograms", "bskyauth"],
            swiftSettings: strict),
    ]
)

// Only for scripts/dev/fuzz: without libFuzzer it has no main function.
if Context.environment["BSKYAUTH_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "bskyauth-fuzzer", dependencies: ["FuzzTargets"], path: "Tests/Fuzzer",
            swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])]))
}
