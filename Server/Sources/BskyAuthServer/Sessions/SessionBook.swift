internal import BskyAuthRows
internal import FoundationEssentials
internal import Synchronization

/// The rows of sessions, and which session owns which account.
///
/// An owner row is written before the session has the account, and removed after its logout. So an account without an owner
/// row, or whose owner row names a session that does not have it, has no owner. ``Sweep`` logs it out, but not while the
/// row is new, because the session may be about to have it.
struct SessionBook: Sendable {
    let rows: any RowStore
    let now: @Sendable () -> Date
    private let read = ReadSessions()

    init(rows: any RowStore, now: @escaping @Sendable () -> Date) {
        self.rows = rows
        self.now = now
    }

    /// A session with the revision at which it was read.
    struct Found: Sendable {
        let id: UUID
        let session: AppSession
        let revision: Revision
    }

    func find(_ id: UUID) async throws -> Found? {
        guard let row = try await rows.get(Self.key(id)) else { return nil }
        return Found(id: id, session: try read.session(id, row), revision: row.revision)
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
        let owner = Owner(session: session, since: now())
        try await rows.put(Self.ownerKey(entry), Array(owner.description.utf8), if: .always)
    }

    /// The content of the row `owner/…` of an account.
    struct Owner: Sendable, LosslessStringConvertible {
        /// Nil if no session has the account.
        let session: UUID?
        /// When the row was written.
        let since: Date

        init(session: UUID?, since: Date) {
            self.session = session
            self.since = since
        }

        init?(_ description: String) {
            let parts = description.split(separator: " ")
            guard parts.count == 2, let seconds = Double(parts[1]) else { return nil }
            session = UUID(uuidString: String(parts[0]))
            since = Date(timeIntervalSince1970: seconds)
        }

        var description: String { "\(session?.uuidString ?? "-") \(Int(since.timeIntervalSince1970))" }
    }

    /// The owner of an account; nil if there is no row.
    func owner(of entry: AppSession.Entry) async throws -> Owner? {
        guard let row = try await rows.get(Self.ownerKey(entry)) else { return nil }
        return try Self.owner(row)
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
        return try await rows.all(prefix).map { row in
            guard let account = UUID(uuidString: String(row.key.dropFirst(prefix.count))) else {
                throw RowStoreError("the row \(row.key) can't be read", outcome: .notDone, code: .unreadable)
            }
            return (account, try Self.owner(row).session)
        }
    }

    /// Every session, a page at a time in the order of the IDs.
    ///
    /// - Parameter id: lists only sessions after this one.
    func sessions(after id: UUID?) async throws -> [Found] {
        try await rows.list(Self.prefix, after: id.map(Self.key), limit: 500).map { row in
            guard let id = UUID(uuidString: String(row.key.dropFirst(Self.prefix.count))) else {
                throw RowStoreError("the row \(row.key) can't be read", outcome: .notDone, code: .unreadable)
            }
            return Found(id: id, session: try RowCoding.decode(AppSession.self, row), revision: row.revision)
        }
    }

    /// Every owner row, with its account.
    func allOwners() async throws -> [(row: StoredRow, account: UUID, owner: Owner)] {
        try await rows.all("owner/").map { row in
            guard let account = row.key.split(separator: "/").last.flatMap({ UUID(uuidString: String($0)) })
            else {
                throw RowStoreError("the row \(row.key) can't be read", outcome: .notDone, code: .unreadable)
            }
            return (row, account, try Self.owner(row))
        }
    }

    private static func owner(_ row: StoredRow) throws -> Owner {
        guard let owner = Owner(String(decoding: row.value, as: UTF8.self)) else {
            throw RowStoreError("the row \(row.key) can't be read", outcome: .notDone, code: .unreadable)
        }
        return owner
    }

    private static let prefix = "session/"
    private static func key(_ id: UUID) -> String { prefix + id.uuidString }

    private static func ownerKey(_ entry: AppSession.Entry) -> String {
        ownerPrefix(entry.did) + entry.id.uuidString
    }

    /// The hash, because a DID may be longer than a key.
    private static func ownerPrefix(_ did: String) -> String { "owner/\(Digest.text(of: did))/" }
}

/// Sessions that were decoded before, by the revision of their rows.
private final class ReadSessions: Sendable {
    private let sessions = Mutex<[UUID: (revision: Revision, session: AppSession)]>([:])

    /// The most sessions that are kept, so that memory stays bounded. At this number all are dropped and read anew.
    private static let most = 16_384

    func session(_ id: UUID, _ row: StoredRow) throws -> AppSession {
        if let known = sessions.withLock({ $0[id] }), known.revision == row.revision { return known.session }
        let session = try RowCoding.decode(AppSession.self, row)
        sessions.withLock { sessions in
            if sessions.count >= Self.most { sessions = [:] }
            sessions[id] = (row.revision, session)
        }
        return session
    }
}
