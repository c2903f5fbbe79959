// swift-tools-version: 6.2

import PackageDescription

// A login to a server that knows nothing of AT Protocol. It is a package of its own, so that it can name only what is
// public, and it links no identity, vault or XRPC code (scripts/test-independent).
let package = Package(
    name: "bskyauth-plain-login",
    products: [.executable(name: "bskyauth-plain-login", targets: ["bskyauth-plain-login"])],
    dependencies: [
        // The name, because a clone may be in a folder of any name.
        .package(name: "bskyauth", path: "../.."),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    ],
    targets: [
        .executableTarget(
            name: "bskyauth-plain-login",
            dependencies: [
                .product(name: "OAuthDPoP", package: "bskyauth"),
                .product(name: "ATProtoCurl", package: "bskyauth"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: ".", sources: ["PlainLogin.swift"],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .strictMemorySafety(),
                .treatAllWarnings(as: .error),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            ])
    ]
)
