import Foundation
import Testing

/// Files that nobody here wrote: `shared/` beside the working tree, and what of it is kept with the tests.
enum Vectors {
    static let isPresent =
        FileManager.default.fileExists(atPath: shared.appending(path: "syntax").path)
        || ProcessInfo.processInfo.environment["CI"] != nil

    /// The values of a file, one a line, byte for byte: some end in a space.
    static func lines(_ name: String) throws -> [String] {
        try String(contentsOf: shared.appending(path: "syntax/\(name).txt"), encoding: .utf8)
            .split(separator: "\n")
            .map(String.init)
            .filter { !$0.hasPrefix("#") }
    }

    static func metadata(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: shared.appending(path: "metadata/\(name).json")))
    }

    static func fixture(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: tests.appending(path: "Fixtures/\(name)")))
    }

    private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let shared = tests.appending(path: "../../shared/vectors").standardizedFileURL
}

extension Trait where Self == ConditionTrait {
    /// Skips where the shared vectors are not there; under CI their absence fails.
    static var needsVectors: Self {
        .enabled(if: Vectors.isPresent, "../shared/vectors is not there: nothing was checked")
    }
}
