// swift-tools-version: 6.2

import PackageDescription

/// The settings of every target, as in the root package.
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

func library(_ name: String) -> Target.Dependency { .product(name: name, package: "bskyauth") }

let package = Package(
    name: "bskyauth-server",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "bskyauth-server", targets: ["bskyauth-server"])
    ],
    dependencies: [
        // The name, because a clone may be in a folder of any name.
        .package(name: "bskyauth", path: "..", traits: ["PostgreSQL"]),
        // Without the default traits, swift-configuration and what it needs are not built.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/LebJe/TOMLKit", from: "0.6.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        // Without the default traits, Foundation is not needed.
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
    ],
    targets: [
        .executableTarget(name: "bskyauth-server", dependencies: ["BskyAuthServer"], swiftSettings: strict),
        .target(
            name: "BskyAuthServer",
            dependencies: [
                "BskyAuthSQLiteRows", library("BskyAuthRows"),
                library("BskyAuthServerSupport"), library("BskyAuthEtcdRows"),
                library("BskyAuthPostgresRows"), library("ATProtoSessions"),
                library("ATProtoIdentity"),
                library("ATProtoVault"),
                library("ATProtoCurl"),
                library("ATProtoDNS"), library("ATProtoOAuth"), library("ATProtoGateway"),
                library("OAuthDPoP"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "TOMLKit", package: "TOMLKit"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
            ],
            resources: [.embedInCode("openapi.json")], swiftSettings: strict),

        // Rows in SQLite.
        .target(
            name: "BskyAuthSQLiteRows",
            dependencies: [
                library("BskyAuthRows"), library("BskyAuthServerSupport"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "BskyAuthSQLiteRowsTests",
            dependencies: [
                "BskyAuthSQLiteRows", library("BskyAuthRows"), library("BskyAuthRowsConformance"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "BskyAuthServerTests",
            dependencies: [
                "BskyAuthServer", "BskyAuthSQLiteRows", library("BskyAuthRows"),
                library("BskyAuthServerSupport"), library("ATProtoVault"),
                library("ATProtoSessions"), library("ATProtoIdentity"), library("OAuthDPoP"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
    ]
)
