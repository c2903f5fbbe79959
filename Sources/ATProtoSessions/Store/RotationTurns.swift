internal import FoundationEssentials
internal import Synchronization

/// Lets one caller in this process into a session at a time, in the order in which they come.
final class RotationTurns: Sendable {
    private struct Waiter {
        let number: Int
        let continuation: CheckedContinuation<Wait, Never>
        let timer: Task<Void, Never>
    }

    /// How a wait for a turn ended.
    private enum Wait {
        case mine
        case over
        case cancelled
    }

    private struct State {
        /// The callers that wait, by the session that somebody uses.
        var queues: [UUID: [Waiter]] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())

    /// Runs `body` while no other caller is in the session.
    ///
    /// - Throws: ``StoreError/Code/busy`` after `limit`; ``StoreError/Code/cancelled`` if the task is cancelled before the
    ///   turn begins.
    func hold<Value>(
        _ id: UUID, waiting limit: Duration, _ body: () async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        switch await wait(for: id, atMost: limit) {
        case .mine: break
        case .over: throw StoreError(.busy)
        case .cancelled: throw StoreError(.cancelled)
        }
        defer { give(id) }
        return try await body()
    }

    private func wait(for id: UUID, atMost limit: Duration) async -> Wait {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ended: Wait? = state.withLock { state in
                    guard state.queues[id] != nil else {
                        state.queues[id] = []
                        return .mine
                    }
                    guard limit > .zero else { return .over }
                    guard !Task.isCancelled else { return .cancelled }
                    let timer = Task { await self.end(number, of: id, after: limit) }
                    state.queues[id]?.append(
                        Waiter(number: number, continuation: continuation, timer: timer))
                    return nil
                }
                if let ended { continuation.resume(returning: ended) }
            }
        } onCancel: {
            self.end(number, of: id, .cancelled)
        }
    }

    private func end(_ number: Int, of id: UUID, after limit: Duration) async {
        do { try await Task.sleep(for: limit) } catch { return }
        end(number, of: id, .over)
    }

    /// Ends the wait of a caller, unless it has its turn already.
    private func end(_ number: Int, of id: UUID, _ wait: Wait) {
        let waiter = state.withLock { state -> Waiter? in
            guard let place = state.queues[id]?.firstIndex(where: { $0.number == number }) else { return nil }
            return state.queues[id]?.remove(at: place)
        }
        waiter?.timer.cancel()
        waiter?.continuation.resume(returning: wait)
    }

    /// Ends a turn, and begins that of the next caller.
    private func give(_ id: UUID) {
        let next = state.withLock { state -> Waiter? in
            guard let queue = state.queues[id], !queue.isEmpty else {
                state.queues[id] = nil
                return nil
            }
            return state.queues[id]?.removeFirst()
        }
        next?.timer.cancel()
        next?.continuation.resume(returning: .mine)
    }
}
