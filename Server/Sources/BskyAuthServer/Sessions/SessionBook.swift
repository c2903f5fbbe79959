internal import BskyAuthRows
internal import Crypto
internal import FoundationEssentials

/// The rows of sessions, and which session owns which account.
///
/// An owner row is written before the session has the account, and removed after its logout. So an account without an owner
/// row, or whose owner row names a session that does not have it, belongs to nobody and may be logged out.
struct SessionBook: Sendable {
    let rows: any RowStore

    /// A session with the revision at which it was read.
    struct Found: Sendable {
        let id: UUID
        let session: AppSession
        let revision: Revision
    }

    func find(_ id: UUID) async throws -> Found? {
        guard let row = try await rows.get(Self.key(id)) else { return nil }
        return Found(
            id: id, session: try RowCoding.decode(AppSession.self, row), revision: row.revision)
    }

    /// Saves a new session.
    ///
    /// - Returns: its ID.
    func create(_ session: AppSession) async throws -> UUID {
        let id = UUID()
        for entry in session.accounts { try await own(entry, by: id) }
        try await rows.put(
            Self.key(id), try RowCoding.encode(session), expiry: session.expiry, if: .absent)
        return id
    }

    /// Notes that a session is about to have an account. The note stays until the account was logged out.
    ///
    /// - Parameter session: nil while the account waits for an app to exchange its code.
    func own(_ entry: AppSession.Entry, by session: UUID?) async throws {
        try await rows.put(Self.ownerKey(entry), Array((session?.uuidString ?? "").utf8), if: .always)
    }

    /// Saves a change of a session.
    ///
    /// - Returns: false if it has changed or ended meanwhile.
    func replace(_ found: Found, with session: AppSession) async throws -> Bool {
        try await rows.put(
            Self.key(found.id), try RowCoding.encode(session), expiry: session.expiry,
            if: .unchanged(found.revision)) != nil
    }

    /// Ends a session.
    ///
    /// - Returns: false if it has changed or ended meanwhile.
    func end(_ found: Found) async throws -> Bool {
        try await rows.delete(Self.key(found.id), if: .unchanged(found.revision))
    }

    /// Forgets who owns an account, after it was logged out.
    func release(_ entry: AppSession.Entry) async throws {
        try await rows.delete(Self.ownerKey(entry), if: .always)
    }

    /// The accounts of a person, and the session that owns each.
    func owners(of did: String) async throws -> [(account: UUID, session: UUID?)] {
        let prefix = Self.ownerPrefix(did)
        var (owners, last): ([(UUID, UUID?)], String?) = ([], nil)
        while true {
            let page = try await rows.list(prefix, after: last, limit: 100)
            for row in page {
                guard let account = UUID(uuidString: String(row.key.dropFirst(prefix.count))) else {
                    throw RowStoreError("the row \(row.key) can't be read", mayHaveHappened: false)
                }
                owners.append((account, UUID(uuidString: String(decoding: row.value, as: UTF8.self))))
            }
            guard let next = page.last?.key else { return owners }
            last = next
        }
    }

    private static func key(_ id: UUID) -> String { "session/\(id.uuidString)" }

    private static func ownerKey(_ entry: AppSession.Entry) -> String {
        ownerPrefix(entry.did) + entry.id.uuidString
    }

    /// The hash, because a DID may be longer than a key.
    private static func ownerPrefix(_ did: String) -> String { "owner/\(Digest.text(of: did))/" }
}

/// The values of rows, as JSON.
enum RowCoding {
    static func encode(_ value: some Encodable) throws -> [UInt8] { Array(try JSONEncoder().encode(value)) }

    static func decode<Value: Decodable>(_ type: Value.Type, _ row: StoredRow) throws -> Value {
        do { return try JSONDecoder().decode(type, from: Data(row.value)) } catch {
            throw RowStoreError("the row \(row.key) can't be read", mayHaveHappened: false)
        }
    }
}

/// Hashes of texts that must not be readable in rows, such as codes.
enum Digest {
    static func text(of text: String) -> String { Base64URL.encode(SHA256.hash(data: Data(text.utf8))) }

    /// Whether a text has a digest, in a time that does not tell where they differ.
    static func matches(_ text: String, _ digest: String) -> Bool {
        let (one, other) = (Array(Self.text(of: text).utf8), Array(digest.utf8))
        return one.count == other.count && zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

/// Random texts that nobody can guess: 256 bits.
enum RandomText {
    static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        return Base64URL.encode((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }
}
