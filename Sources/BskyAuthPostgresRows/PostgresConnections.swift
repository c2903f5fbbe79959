#if PostgreSQL
    internal import ATPPlatform
    internal import BskyAuthRows
    internal import Synchronization

    /// A few connections to a server, which are opened when they are needed and used again.
    ///
    /// A call has one of them to itself. It runs on ``BlockingWork``, because it blocks its thread.
    final class PostgresConnections: Sendable {
        /// One connection, or none yet. Only the call that has it waits for its lock.
        private final class Slot: Sendable {
            let connection = Mutex<PostgresConnection?>(nil)
        }

        private let server: PostgresServer
        private let slots: [Slot]
        private let turns: Turns
        /// Where in the list of hosts the last call found the server.
        private let place = Mutex(0)

        init(_ server: PostgresServer, limit: Int = 4) {
            self.server = server
            slots = (0..<limit).map { _ in Slot() }
            turns = Turns(limit)
        }

        /// Performs statements in one transaction, and returns the rows of the last one.
        ///
        /// It ends after the time limit for each host. A call that waits for others ends with them: they began before it.
        func transact(
            _ statements: [PostgresStatement], for purpose: PostgresConnection.Purpose
        ) async throws(RowStoreError) -> [PostgresRow] {
            let end = ContinuousClock.now + server.timeLimit * server.hosts.count
            let number = await turns.begin()
            let result = await BlockingWork.run { [self] in
                Result { () throws(RowStoreError) in try ask(slots[number], statements, purpose, until: end) }
            }
            await turns.end(number)
            return try result.get()
        }

        /// Asks the next host if nothing was done at one.
        private func ask(
            _ slot: Slot, _ statements: [PostgresStatement], _ purpose: PostgresConnection.Purpose,
            until end: ContinuousClock.Instant
        ) throws(RowStoreError) -> [PostgresRow] {
            let first = place.withLock { $0 }
            var failure: RowStoreError?
            for index in server.hosts.indices {
                let here = (first + index) % server.hosts.count
                let deadline = min(end, ContinuousClock.now + server.timeLimit)
                do throws(RowStoreError) {
                    let rows = try transact(slot, server.hosts[here], statements, purpose, until: deadline)
                    place.withLock { $0 = here }
                    return rows
                } catch {
                    // A standby says less than a host that failed.
                    if failure == nil || error.code != .readOnly { failure = error }
                    guard error.outcome == .notDone, error.concernsHost else { throw error }
                }
            }
            throw failure ?? RowStoreError("PostgreSQL: no host is named", outcome: .notDone)
        }

        private func transact(
            _ slot: Slot, _ host: PostgresServer.Host, _ statements: [PostgresStatement],
            _ purpose: PostgresConnection.Purpose, until deadline: ContinuousClock.Instant
        ) throws(RowStoreError) -> [PostgresRow] {
            try slot.connection.withLock { kept throws(RowStoreError) in
                // It is closed unless it is kept again.
                var connection = try connection(kept.take(), host, until: deadline)
                let rows = try connection.transact(statements, for: purpose, until: deadline)
                kept = consume connection
                return rows
            }
        }

        private func connection(
            _ kept: consuming PostgresConnection?, _ host: PostgresServer.Host,
            until deadline: ContinuousClock.Instant
        ) throws(RowStoreError) -> PostgresConnection {
            if let kept = consume kept, kept.host == host, kept.isUsable { return kept }
            return try .open(server, host, until: deadline)
        }
    }

    /// Numbers that are given to one call at a time, in the order of the calls.
    private actor Turns {
        private var free: [Int]
        private var waiting: [CheckedContinuation<Int, Never>] = []

        init(_ count: Int) {
            free = Array(0..<count)
        }

        func begin() async -> Int {
            // The number that was free last has the freshest connection.
            if let number = free.popLast() { return number }
            return await withCheckedContinuation { waiting.append($0) }
        }

        func end(_ number: Int) {
            if waiting.isEmpty {
                free.append(number)
            } else {
                waiting.removeFirst().resume(returning: number)
            }
        }
    }

    extension RowStoreError {
        /// Whether another host may do better.
        fileprivate var concernsHost: Bool { [.unreachable, .timedOut, .readOnly].contains(code) }
    }
#endif
