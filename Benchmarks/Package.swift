// swift-tools-version: 6.2

import PackageDescription

// The C programs that scripts/dev/bench measures with. They use nothing of the product, so that measuring depends on
// nothing that is measured.
let package = Package(
    name: "benchmarks",
    products: [
        .executable(name: "stopwatch", targets: ["stopwatch"]),
        .executable(name: "floor", targets: ["floor"]),
    ],
    targets: [
        // Runs one command and reports what it took.
        .executableTarget(name: "stopwatch", path: "Stopwatch"),
        // The least that a command which opens the vault can take.
        .executableTarget(
            name: "floor", path: "Floor", linkerSettings: [.linkedLibrary("curl"), .linkedLibrary("crypto")]),
    ]
)
