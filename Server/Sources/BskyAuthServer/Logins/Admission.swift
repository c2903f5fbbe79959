internal import FoundationEssentials
internal import HTTPTypes
internal import Synchronization

/// Limits how many logins begin, because each makes requests to a server that a stranger chooses.
final class Admission: Sendable {
    private struct State {
        var minute = 0
        var counts: [[UInt8]: Int] = [:]
        var total = 0
    }

    private let limits: Configuration.Limits
    private let now: @Sendable () -> Date
    private let state = Mutex(State())
    private let running: Slots<[UInt8]>

    init(_ limits: Configuration.Limits, now: @escaping @Sendable () -> Date) {
        self.limits = limits
        self.now = now
        running = Slots(limits.loginsAtOnce, ofEach: (limits.loginsAtOnce + 1) / 2)
    }

    /// Runs the beginning of a login, or refuses it.
    func admit<Value>(_ client: Client, _ work: () async throws -> Value) async throws -> Value {
        let slot = try enter(client.network)
        defer { withExtendedLifetime(slot) {} }
        return try await work()
    }

    private func enter(_ client: [UInt8]) throws -> Slots<[UInt8]>.Slot {
        let seconds = Int(now().timeIntervalSince1970)
        let wait = 60 - seconds % 60
        return try state.withLock { state in
            if state.minute != seconds / 60 {
                // The counts of one minute are at most the limit of all clients, so the table is bounded.
                state = State(minute: seconds / 60)
            }
            guard state.total < limits.logins, state.counts[client, default: 0] < limits.loginsPerClient
            else {
                throw Problem(
                    .tooManyRequests, "too_many_logins",
                    "Too many logins were started. Try again in a minute.",
                    retryAfter: wait)
            }
            guard let slot = running.take(for: client) else {
                throw Problem(
                    .tooManyRequests, "too_many_logins", "Too many logins start now. Try again in a moment.",
                    retryAfter: 5)
            }
            state.counts[client, default: 0] += 1
            state.total += 1
            return slot
        }
    }
}
