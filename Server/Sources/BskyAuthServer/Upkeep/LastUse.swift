internal import BskyAuthRows
internal import FoundationEssentials
internal import Synchronization

/// When each session was used last, for the operator. A request only notes it, and the rows are written once a minute.
final class LastUse: Sendable {
    private struct Use {
        let time: Date
        let end: Date
    }

    private let rows: any RowStore
    private let uses = Mutex<[UUID: Use]>([:])

    init(rows: any RowStore) { self.rows = rows }

    /// Notes that a session is used now.
    func note(_ found: SessionBook.Found, at now: Date) {
        uses.withLock { $0[found.id] = Use(time: now, end: found.session.ends) }
    }

    /// Writes what was noted since the last time.
    func save() async throws(RowStoreError) {
        let noted = uses.withLock { uses in
            defer { uses = [:] }
            return uses
        }
        do {
            for (session, use) in noted {
                try await rows.put(
                    Self.key(session), Array("\(Int(use.time.timeIntervalSince1970))".utf8), expiry: use.end,
                    if: .always, durability: .buffered)
            }
        } catch {
            // For the next time, unless a session was used again.
            uses.withLock { $0.merge(noted) { newer, _ in newer } }
            throw error
        }
    }

    /// When a session was used last; nil if it was not used since its login.
    func find(_ session: UUID) async throws(RowStoreError) -> Date? {
        guard let row = try await rows.get(Self.key(session)),
            let seconds = Double(String(decoding: row.value, as: UTF8.self))
        else { return nil }
        return Date(timeIntervalSince1970: seconds)
    }

    private static func key(_ session: UUID) -> String { "used/\(session.uuidString)" }
}
