import Foundation
import Testing

/// The public interoperability tests, which nobody here wrote.
enum Fixtures {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../Fixtures/interoperability").standardizedFileURL

    /// The bytes of a file.
    static func data(_ path: String) throws -> Data {
        try Data(contentsOf: folder.appending(path: "\(path).json"))
    }

    /// The objects of a file.
    static func json(_ path: String) throws -> [[String: Any]] {
        let value = try JSONSerialization.jsonObject(with: data(path))
        return try #require(value as? [[String: Any]])
    }

    /// The bytes of base64 without padding.
    static func base64(_ text: Any?) throws -> [UInt8] {
        let text = try #require(text as? String)
        let padded = text + String(repeating: "=", count: (4 - text.count % 4) % 4)
        return Array(try #require(Data(base64Encoded: padded)))
    }
}
