import Foundation
import Synchronization

/// Identifiers that may be used once within a time (RFC 9449 §11.1).
final class ReplayMemory: Sendable {
    private let clock: SandboxClock
    private let lifetime: TimeInterval
    private let state = Mutex(State())

    private struct State {
        var seen: [String: Date] = [:]
        /// The number of identifiers at which expired ones are removed. It grows with the number of live ones, so
        /// that the search stays rare.
        var limit = State.least

        static let least = 10_000
    }

    init(clock: SandboxClock, lifetime: TimeInterval) {
        self.clock = clock
        self.lifetime = lifetime
    }

    /// Remembers an identifier. Returns `false` when it is known already.
    func insert(_ identifier: String) -> Bool {
        let now = clock.now
        return state.withLock { state in
            if state.seen.count > state.limit {
                state.seen = state.seen.filter { $0.value > now }
                state.limit = max(State.least, state.seen.count * 2)
            }
            if let expiry = state.seen[identifier], expiry > now { return false }
            state.seen[identifier] = now.addingTimeInterval(lifetime)
            return true
        }
    }
}
