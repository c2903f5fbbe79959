import Foundation
import Testing

@testable import SandboxNetwork

/// The public interoperability tests.
enum InteroperabilityTests {
    /// The cases of a file, which must not be empty.
    static func cases(_ name: String) throws -> [JSONValue] {
        let file = URL(filePath: #filePath)
            .appending(path: "../../../../../Tests/Fixtures/interoperability/\(name).json")
        let cases = try JSONValue(parsing: Array(Data(contentsOf: file.standardized))).array ?? []
        try #require(!cases.isEmpty)
        return cases
    }

    static func strings(_ json: JSONValue?) -> [String] { json?.array?.compactMap(\.string) ?? [] }
}
