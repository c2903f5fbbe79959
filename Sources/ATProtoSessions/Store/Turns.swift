internal import Synchronization

/// Lets one caller of this process at a time use what a key stands for, in the order in which they come.
package final class Turns<Key: Hashable & Sendable>: Sendable {
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
        /// The callers that wait, by the key that somebody uses.
        var queues: [Key: [Waiter]] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Runs `body` while no other caller has the key.
    ///
    /// - Throws: ``StoreError/Code/busy`` after `limit`; ``StoreError/Code/cancelled`` if the task is cancelled before the
    ///   turn begins.
    package func hold<Value>(
        _ key: Key, waiting limit: Duration, _ body: () async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        switch await wait(for: key, atMost: limit) {
        case .mine: break
        case .over: throw StoreError(.busy)
        case .cancelled: throw StoreError(.cancelled)
        }
        defer { give(key) }
        return try await body()
    }

    private func wait(for key: Key, atMost limit: Duration) async -> Wait {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ended: Wait? = state.withLock { state in
                    guard state.queues[key] != nil else {
                        state.queues[key] = []
                        return .mine
                    }
                    guard limit > .zero else { return .over }
                    guard !Task.isCancelled else { return .cancelled }
                    let timer = Task { await self.end(number, of: key, after: limit) }
                    state.queues[key]?.append(
                        Waiter(number: number, continuation: continuation, timer: timer))
                    return nil
                }
                if let ended { continuation.resume(returning: ended) }
            }
        } onCancel: {
            self.end(number, of: key, .cancelled)
        }
    }

    private func end(_ number: Int, of key: Key, after limit: Duration) async {
        do { try await Task.sleep(for: limit) } catch { return }
        end(number, of: key, .over)
    }

    /// Ends the wait of a caller, unless it has its turn already.
    private func end(_ number: Int, of key: Key, _ wait: Wait) {
        let waiter = state.withLock { state -> Waiter? in
            guard let place = state.queues[key]?.firstIndex(where: { $0.number == number }) else {
                return nil
            }
            return state.queues[key]?.remove(at: place)
        }
        waiter?.timer.cancel()
        waiter?.continuation.resume(returning: wait)
    }

    /// Ends a turn, and begins that of the next caller.
    private func give(_ key: Key) {
        let next = state.withLock { state -> Waiter? in
            guard let queue = state.queues[key], !queue.isEmpty else {
                state.queues[key] = nil
                return nil
            }
            return state.queues[key]?.removeFirst()
        }
        next?.timer.cancel()
        next?.continuation.resume(returning: .mine)
    }
}
