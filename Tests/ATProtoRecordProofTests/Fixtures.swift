import BskyAuthTestSupport
import Foundation
import Testing

/// The public interoperability tests, which nobody here wrote.
enum Fixtures {
    /// The objects of a file.
    static func json(_ path: String) throws -> [[String: Any]] {
        let value = try JSONSerialization.jsonObject(with: Vectors.data("\(path).json"))
        return try #require(value as? [[String: Any]])
    }

    /// The bytes of base64 without padding.
    static func base64(_ text: Any?) throws -> [UInt8] {
        let text = try #require(text as? String)
        let padded = text + String(repeating: "=", count: (4 - text.count % 4) % 4)
        return Array(try #require(Data(base64Encoded: padded)))
    }
}
