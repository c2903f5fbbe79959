import Foundation
import Synchronization

/// Identifiers that may be used once within a time (RFC 9449 §11.1).
final class ReplayMemory: Sendable {
    private let clock: SandboxClock
    private let lifetime: TimeInterval
    private let seen = Mutex<[String: Date]>([:])

    init(clock: SandboxClock, lifetime: TimeInterval) {
        self.clock = clock
        self.lifetime = lifetime
    }

    /// Remembers an identifier; `false` when it was there already.
    func insert(_ identifier: String) -> Bool {
        let now = clock.now
        return seen.withLock { seen in
            if seen.count > 10_000 { seen = seen.filter { $0.value > now } }
            if let expiry = seen[identifier], expiry > now { return false }
            seen[identifier] = now.addingTimeInterval(lifetime)
            return true
        }
    }
}
