internal import BskyAuthRows
internal import GRDB
internal import Synchronization

/// Performs the writes that wait at the same time in one transaction, and syncs the file once for all of them.
final class WriteQueue: Sendable {
    typealias Work = @Sendable (Database) throws -> Revision?

    private struct Write: Sendable {
        let durability: Durability
        let work: Work
        let finish: CheckedContinuation<Result<Revision?, RowStoreError>, Never>
    }

    private struct State {
        var waiting: [Write] = []
        var isRunning = false
    }

    private let writer: DatabaseQueue
    private let state = Mutex(State())

    /// The most writes of one transaction, so that a reader of the result never waits for long.
    private static let most = 256

    init(_ writer: DatabaseQueue) {
        self.writer = writer
    }

    /// Performs a write with others. It happens also if the task is cancelled.
    func perform(_ durability: Durability, _ work: @escaping Work) async throws(RowStoreError) -> Revision? {
        try await withCheckedContinuation { finish in
            let mustStart = state.withLock { state in
                state.waiting.append(Write(durability: durability, work: work, finish: finish))
                defer { state.isRunning = true }
                return !state.isRunning
            }
            if mustStart { Task { await run() } }
        }.get()
    }

    private func run() async {
        while true {
            let writes = state.withLock { state in
                let writes = Array(state.waiting.prefix(Self.most))
                state.waiting.removeFirst(writes.count)
                state.isRunning = !writes.isEmpty
                return writes
            }
            guard !writes.isEmpty else { return }
            do throws(RowStoreError) {
                let revisions = try await transact(writes)
                for (write, revision) in zip(writes, revisions) {
                    write.finish.resume(returning: .success(revision))
                }
            } catch {
                for write in writes { write.finish.resume(returning: .failure(error)) }
            }
        }
    }

    private func transact(_ writes: [Write]) async throws(RowStoreError) -> [Revision?] {
        // NORMAL does not sync the WAL at a commit; FULL does (sqlite.org/pragma.html#pragma_synchronous).
        let level = writes.contains { $0.durability == .synced } ? "FULL" : "NORMAL"
        do {
            return try await writer.writeWithoutTransaction { db in
                try db.execute(literal: "PRAGMA synchronous = \(sql: level)")
                var revisions: [Revision?] = []
                var commits = false
                do {
                    try db.inTransaction(.immediate) {
                        revisions = try writes.map { try $0.work(db) }
                        commits = true
                        return .commit
                    }
                } catch {
                    // A commit that failed may still be in the file after a crash. Before it, nothing is.
                    throw Self.failure(error, commits ? .unknown : .notDone)
                }
                return revisions
            }
        } catch {
            throw error as? RowStoreError ?? Self.failure(error, .notDone)
        }
    }

    private static func failure(_ error: any Error, _ outcome: RowStoreError.Outcome) -> RowStoreError {
        let code: RowStoreError.Code =
            (error as? DatabaseError)?.resultCode == .SQLITE_FULL ? .noSpace : .failed
        return RowStoreError("the rows can't be written: \(error)", outcome: outcome, code: code)
    }
}
