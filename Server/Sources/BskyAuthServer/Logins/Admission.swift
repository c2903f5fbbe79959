internal import FoundationEssentials
internal import HTTPTypes
internal import Synchronization

/// Limits how many logins begin, because each makes requests to a server that a stranger chooses.
final class Admission: Sendable {
    private struct State {
        var minute = 0
        var counts: [[UInt8]: Int] = [:]
        var total = 0
        var running = 0
    }

    private let limits: Configuration.Limits
    private let now: @Sendable () -> Date
    private let state = Mutex(State())

    init(_ limits: Configuration.Limits, now: @escaping @Sendable () -> Date) {
        self.limits = limits
        self.now = now
    }

    /// Runs the beginning of a login, or refuses it.
    func admit<Value>(_ client: ClientAddress?, _ work: () async throws -> Value) async throws -> Value {
        try enter(client?.network ?? [])
        defer { state.withLock { $0.running -= 1 } }
        return try await work()
    }

    private func enter(_ client: [UInt8]) throws {
        let seconds = Int(now().timeIntervalSince1970)
        let wait = 60 - seconds % 60
        try state.withLock { state in
            if state.minute != seconds / 60 {
                // The counts of one minute are at most the limit of all clients, so the table is bounded.
                state = State(minute: seconds / 60, running: state.running)
            }
            guard state.total < limits.logins, state.counts[client, default: 0] < limits.loginsPerClient
            else {
                throw Problem(
                    .tooManyRequests, "too_many_logins",
                    "Too many logins were started. Try again in a minute.",
                    retryAfter: wait)
            }
            guard state.running < limits.loginsAtOnce else {
                throw Problem(
                    .tooManyRequests, "too_many_logins", "Too many logins start now. Try again in a moment.",
                    retryAfter: 5)
            }
            state.counts[client, default: 0] += 1
            state.total += 1
            state.running += 1
        }
    }
}
