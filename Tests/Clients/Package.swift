// swift-tools-version: 6.2

import PackageDescription

// Programs that use the libraries as everybody's program does: a package of its own sees only what is public. They run
// in scripts/test-independent, and one in Server/Tests/Contract.
let package = Package(
    name: "bskyauth-clients",
    products: [
        .executable(name: "bskyauth-plain-login", targets: ["bskyauth-plain-login"]),
        .executable(name: "bskyauth-client-app", targets: ["bskyauth-client-app"]),
        .executable(name: "bskyauth-example", targets: ["bskyauth-example"]),
        .executable(name: "bskyauth-guide", targets: ["bskyauth-guide"]),
        .executable(name: "bskyauth-backend-app", targets: ["bskyauth-backend-app"]),
    ],
    dependencies: [
        // The name, because a clone may be in a folder of any name.
        .package(name: "bskyauth", path: "../.."),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    ],
    targets: [
        // A login to a server that knows nothing of AT Protocol. It links no identity, vault or XRPC code.
        .executableTarget(
            name: "bskyauth-plain-login",
            dependencies: [
                .product(name: "OAuthDPoP", package: "bskyauth"),
                .product(name: "ATProtoCurl", package: "bskyauth"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: "PlainLogin",
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .strictMemorySafety(),
                .treatAllWarnings(as: .error),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            ]),

        // The shortest program that logs in and posts. docs/library.md shows it.
        .executableTarget(
            name: "bskyauth-example",
            dependencies: [
                .product(name: "ATProtoSessions", package: "bskyauth"),
                .product(name: "ATProtoCurl", package: "bskyauth"),
                .product(name: "ATProtoDNS", package: "bskyauth"),
            ],
            path: "Example", swiftSettings: app),

        // The examples of the articles, and a bridge to ATProtoKit.
        .executableTarget(
            name: "bskyauth-guide",
            dependencies: [
                .product(name: "ATProtoOAuth", package: "bskyauth"),
                .product(name: "ATProtoSessions", package: "bskyauth"),
                .product(name: "ATProtoVault", package: "bskyauth"),
                .product(name: "ATProtoCurl", package: "bskyauth"),
                .product(name: "ATProtoDNS", package: "bskyauth"),
                .product(name: "ATProtoLoopback", package: "bskyauth"),
                .product(name: "BskyAuthEtcdRows", package: "bskyauth"),
                .product(name: "HTTPTypes", package: "swift-http-types"), "JSON", "OAuth",
            ],
            path: "Guide", swiftSettings: app),

        // An app with a transport, a store, a user agent of its own, and with the settings of a new package. Its modules have
        // names that apps like to use, and SwiftPM wants the names of all modules to differ.
        .executableTarget(
            name: "bskyauth-client-app",
            dependencies: [
                .product(name: "ATProtoSessions", package: "bskyauth"),
                .product(name: "ATProtoDNS", package: "bskyauth"),
                .product(name: "ATProtoGateway", package: "bskyauth"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                "JSON", "Networking", "OAuth", "Platform",
            ],
            path: "App", swiftSettings: app),

        // An app that logs in through bskyauth-server. Server/Tests/Contract runs it.
        .executableTarget(
            name: "bskyauth-backend-app",
            dependencies: [
                .product(name: "ATProtoBackendClient", package: "bskyauth"),
                .product(name: "ATProtoURLSession", package: "bskyauth"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                "JSON", "Platform",
            ],
            path: "BackendApp", swiftSettings: app),
        .target(
            name: "Networking",
            dependencies: [
                .product(name: "ATProtoSessions", package: "bskyauth"),
                .product(name: "HTTPTypes", package: "swift-http-types"), "CCurl",
            ],
            path: "Networking", swiftSettings: app),
        .target(
            name: "OAuth", dependencies: [.product(name: "ATProtoSessions", package: "bskyauth"), "JSON"],
            path: "OAuth", swiftSettings: app),
        .target(
            name: "Platform", dependencies: [.product(name: "ATProtoSessions", package: "bskyauth")],
            path: "Platform", swiftSettings: app),
        .target(name: "JSON", path: "JSON", swiftSettings: app),
        .target(name: "CCurl", path: "CCurl"),
    ]
)

var app: [SwiftSetting] { [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)] }
