public import FoundationEssentials
internal import Synchronization

/// Rows in memory, for a program of one process and for tests. They end with the process.
public final class MemoryRows: RowStore {
    private struct State {
        var rows: [String: StoredRow] = [:]
        var revision: Int64 = 0
        /// Who waits for a change of a row, each with a number of its own.
        var waiters: [Int64: (key: String, wake: AsyncStream<Void>.Continuation)] = [:]
        var lastWaiter: Int64 = 0

        func row(_ key: String, _ now: Date) -> StoredRow? {
            rows[key].flatMap { $0.isLive(at: now) ? $0 : nil }
        }

        mutating func change(_ key: String, to row: StoredRow?) {
            rows[key] = row
            for waiter in waiters.values where waiter.key == key { waiter.wake.yield() }
        }

        mutating func wait(for key: String, _ wake: AsyncStream<Void>.Continuation) -> Int64 {
            lastWaiter += 1
            waiters[lastWaiter] = (key, wake)
            return lastWaiter
        }
    }

    private let state = Mutex(State())
    private let now: @Sendable () -> Date

    /// A store without rows.
    ///
    /// - Parameter now: tells the time.
    public init(now: @escaping @Sendable () -> Date = { Date() }) {
        self.now = now
    }

    /// The row with a key. See ``RowStore/get(_:)``.
    public func get(_ key: String) async throws(RowStoreError) -> StoredRow? {
        let now = now()
        return state.withLock { $0.row(key, now) }
    }

    /// Writes a row if the condition holds. See ``RowStore/put(_:_:expiry:if:durability:)``. No row survives the process,
    /// whatever the durability says.
    @discardableResult
    public func put(
        _ key: String, _ value: [UInt8], expiry: Date?, if condition: RowCondition, durability: Durability
    ) async throws(RowStoreError) -> Revision? {
        let now = now()
        return state.withLock { state in
            guard condition.holds(for: state.row(key, now)) else { return nil }
            state.revision += 1
            let revision = Revision(state.revision)
            state.change(key, to: StoredRow(key: key, value: value, revision: revision, expiry: expiry))
            return revision
        }
    }

    /// Removes a row if the condition holds. See ``RowStore/delete(_:if:)``.
    @discardableResult
    public func delete(_ key: String, if condition: RowCondition) async throws(RowStoreError) -> Bool {
        let now = now()
        return state.withLock { state in
            guard let row = state.row(key, now), condition.holds(for: row) else { return false }
            state.change(key, to: nil)
            return true
        }
    }

    /// The rows whose key begins with a prefix. See ``RowStore/list(_:after:limit:)``.
    public func list(
        _ prefix: String, after key: String?, limit: Int
    ) async throws(RowStoreError) -> [StoredRow] {
        let now = now()
        let rows = state.withLock { state in
            state.rows.values.filter { row in
                row.key.utf8.starts(with: prefix.utf8) && row.isLive(at: now)
                    && (key.map { $0.utf8.lexicographicallyPrecedes(row.key.utf8) } ?? true)
            }
        }
        return Array(rows.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.prefix(limit))
    }

    /// Waits until a row is another one than before. See ``RowStore/change(of:after:)``.
    public func change(
        of key: String, after revision: Revision?
    ) async throws(RowStoreError) -> StoredRow? {
        let (signals, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let waiter = state.withLock { $0.wait(for: key, wake) }
        defer { state.withLock { $0.waiters[waiter] = nil } }
        // The row may have changed before.
        wake.yield()
        for await _ in signals {
            let row = try await get(key)
            if row?.revision != revision { return row }
        }
        throw .waitCancelled
    }

    /// Removes rows that have expired. See ``RowStore/removeExpired()``.
    public func removeExpired() async throws(RowStoreError) -> Int {
        let now = now()
        return state.withLock { state in
            let expired = state.rows.values.filter { !$0.isLive(at: now) }.prefix(1000)
            for row in expired { state.rows[row.key] = nil }
            return expired.count
        }
    }
}

extension StoredRow {
    /// Whether the row has not expired.
    package func isLive(at time: Date) -> Bool { expiry.map { $0 > time } ?? true }
}

extension RowCondition {
    /// Whether the condition holds for the row that is there; nil for none.
    package func holds(for row: StoredRow?) -> Bool {
        switch self {
        case .always: true
        case .absent: row == nil
        case .unchanged(let revision): row?.revision == revision
        }
    }
}
