import Foundation
import Synchronization

/// Counts requests for the `RateLimit-*` headers. It refuses none. A fault can answer 429.
final class RateLimitWindow: Sendable {
    private static let limit = 3000
    private static let seconds = 300
    private let clock: SandboxClock
    private let used = Mutex<(window: Int, count: Int)>((0, 0))

    init(clock: SandboxClock) {
        self.clock = clock
    }

    /// Counts one request (`protocol` section 4e).
    func headers() -> HeaderList {
        let window = clock.seconds / Self.seconds
        let count = used.withLock { used in
            if used.window != window { used = (window, 0) }
            used.count = min(used.count + 1, Self.limit)
            return used.count
        }
        return [
            "ratelimit-limit": String(Self.limit),
            "ratelimit-remaining": String(Self.limit - count),
            "ratelimit-reset": String((window + 1) * Self.seconds),
            "ratelimit-policy": "\(Self.limit);w=\(Self.seconds)",
        ]
    }
}
