internal import BskyAuthRows
internal import BskyAuthServerSupport
internal import FoundationEssentials

/// One-time codes. Each admits one session key.
///
/// A code is stored as its hash. The row says which key has used it, so that a request whose answer was lost can be sent
/// again, and no other key can use the code.
struct Enrolments: Sendable {
    let rows: any RowStore
    let now: @Sendable () -> Date

    /// A code as it is stored.
    struct Enrolment: Codable {
        /// The operator's name for it.
        let name: String
        /// The thumbprint of the key that has used it.
        var usedBy: String?
    }

    /// A code with what the operator calls it by.
    struct Listed {
        /// The beginning of the code's hash, in hexadecimal.
        let id: String
        let enrolment: Enrolment
        let expiry: Date?
        fileprivate let key: String
    }

    /// The characters of a code that is longer than any.
    private static let longest = 128
    private static let prefix = "enrolment/"

    /// Makes a code, which works until it expires.
    func add(_ name: String, for time: Duration) async throws -> String {
        let code = RandomText.make()
        try await rows.put(
            Self.key(code), try RowCoding.encode(Enrolment(name: name)),
            expiry: now() + Double(time.components.seconds), if: .absent)
        return code
    }

    /// Spends a code for a key. Of several keys that send one code at the same time, one succeeds.
    ///
    /// - Returns: the name of the code; nil if it does not admit the key.
    func spend(_ code: String, for thumbprint: String) async throws -> String? {
        guard code.utf8.count <= Self.longest, let row = try await rows.get(Self.key(code)) else {
            return nil
        }
        var enrolment = try RowCoding.decode(Enrolment.self, row)
        if enrolment.usedBy == nil {
            enrolment.usedBy = thumbprint
            let written = try await rows.put(
                row.key, try RowCoding.encode(enrolment), expiry: row.expiry, if: .unchanged(row.revision))
            guard written == nil else { return enrolment.name }
            // Another request was first, perhaps one of the same key, whose answer was lost.
            guard let now = try await rows.get(row.key) else { return nil }
            enrolment = try RowCoding.decode(Enrolment.self, now)
        }
        return enrolment.usedBy == thumbprint ? enrolment.name : nil
    }

    /// Ends the codes that a key has used, so that it can't be admitted by them again.
    func removeCodes(usedBy thumbprint: String) async throws {
        for code in try await all() where code.enrolment.usedBy == thumbprint {
            try await rows.delete(code.key, if: .always)
        }
    }

    func all() async throws -> [Listed] {
        try await rows.all(Self.prefix).map { row in
            Listed(
                id: Self.id(of: row.key.dropFirst(Self.prefix.count)),
                enrolment: try RowCoding.decode(Enrolment.self, row), expiry: row.expiry, key: row.key)
        }
    }

    /// Removes a code. A key that has used it stays admitted.
    ///
    /// - Returns: false if there is no such code.
    func remove(_ id: String) async throws -> Bool {
        guard let found = try await all().first(where: { $0.id == id }) else { return false }
        return try await rows.delete(found.key, if: .always)
    }

    private static func id(of digest: some StringProtocol) -> String {
        (Base64URL.decode(String(digest)) ?? []).prefix(6).map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
    }

    private static func key(_ code: String) -> String { prefix + Digest.text(of: code) }
}
