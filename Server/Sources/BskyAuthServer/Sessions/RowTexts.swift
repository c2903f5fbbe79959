internal import BskyAuthRows
internal import BskyAuthServerSupport
internal import FoundationEssentials

/// The values of rows, as JSON.
enum RowCoding {
    static func encode(_ value: some Encodable) throws -> [UInt8] { Array(try JSONEncoder().encode(value)) }

    static func decode<Value: Decodable>(_ type: Value.Type, _ row: StoredRow) throws -> Value {
        do { return try JSONDecoder().decode(type, from: Data(row.value)) } catch {
            throw RowStoreError("the row \(row.key) can't be read", outcome: .notDone, code: .unreadable)
        }
    }
}

/// Hashes of texts that must not be readable in rows, such as codes.
enum Digest {
    static func text(of text: String) -> String {
        Base64URL.encode(ServerCryptography.sha256(Array(text.utf8)))
    }

    /// Whether a text has a digest, in a time that does not tell where they differ.
    static func matches(_ text: String, _ digest: String) -> Bool {
        ServerCryptography.areEqual(Array(Self.text(of: text).utf8), Array(digest.utf8))
    }
}

/// Random texts that can't be guessed: 256 bits.
enum RandomText {
    static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        return Base64URL.encode((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }
}

extension RowStore {
    /// Every row whose key begins with a prefix.
    func all(_ prefix: String) async throws -> [StoredRow] {
        var (found, last): ([StoredRow], String?) = ([], nil)
        while true {
            let page = try await list(prefix, after: last, limit: 100)
            found += page
            guard let next = page.last?.key else { return found }
            last = next
        }
    }
}
