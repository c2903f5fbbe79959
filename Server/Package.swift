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

let package = Package(
    name: "bskyauth-server",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0")
    ],
    targets: [
        // Folders and files that only their owner may read.
        .target(name: "BskyAuthPrivateFiles", swiftSettings: strict),

        // The port for rows, and its implementation with SQLite.
        .target(name: "BskyAuthRows", swiftSettings: strict),
        .target(
            name: "BskyAuthSQLiteRows",
            dependencies: [
                "BskyAuthRows", "BskyAuthPrivateFiles", .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: strict),

        // What every row store must do. The tests of each store run it.
        .target(
            name: "BskyAuthRowsConformance", dependencies: ["BskyAuthRows"],
            path: "Tests/RowsConformance", swiftSettings: strict),
        .testTarget(
            name: "BskyAuthSQLiteRowsTests",
            dependencies: ["BskyAuthSQLiteRows", "BskyAuthRows", "BskyAuthRowsConformance"],
            swiftSettings: strict),
        .testTarget(
            name: "BskyAuthPrivateFilesTests", dependencies: ["BskyAuthPrivateFiles"], swiftSettings: strict),
    ]
)
