internal import BskyAuthRows
internal import FoundationEssentials

/// Lets one process at a time do something, of all that share the rows. The lease of a process that was killed expires.
struct Lease: Sendable {
    private let rows: any RowStore
    private let key: String
    private let now: @Sendable () -> Date
    private var revision: Revision
    private var renewed: Date

    private static let time: TimeInterval = 300

    /// Takes the lease; nil if another process has it.
    init?(_ name: String, of rows: any RowStore, now: @escaping @Sendable () -> Date) async throws {
        key = "lease/\(name)"
        renewed = now()
        let taken = try await rows.put(key, [], expiry: renewed + Self.time, if: .absent)
        guard let taken else { return nil }
        revision = taken
        self.rows = rows
        self.now = now
    }

    /// Keeps the lease. Call it more often than every few minutes.
    ///
    /// - Returns: false if another process has it now.
    mutating func renew() async throws -> Bool {
        let time = now()
        guard time.timeIntervalSince(renewed) > Self.time / 5 else { return true }
        let next = try await rows.put(key, [], expiry: time + Self.time, if: .unchanged(revision))
        guard let next else { return false }
        (revision, renewed) = (next, time)
        return true
    }

    func giveBack() async throws {
        try await rows.delete(key, if: .unchanged(revision))
    }
}
