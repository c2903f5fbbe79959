internal import FoundationEssentials
internal import HTTPTypes
internal import Synchronization

/// Limits how many assertions are asked for: by one session key, by one client, and in all.
final class AssertionLimits: Sendable {
    private struct State {
        var minute = 0
        var counts: [Count: Int] = [:]
        var total = 0

        func has(_ count: Count, below limit: Int) -> Bool { counts[count, default: 0] < limit }
    }

    private enum Count: Hashable {
        case client([UInt8])
        case key(String)
    }

    private let settings: AssertionSettings.Limits
    private let now: @Sendable () -> Date
    private let state = Mutex(State())

    init(_ settings: AssertionSettings.Limits, now: @escaping @Sendable () -> Date) {
        self.settings = settings
        self.now = now
    }

    /// Counts a request, before its proof is read.
    func count(_ client: Client) throws {
        try change { state in
            // A refused request counts for nothing, so one client can't use up the limit of all.
            let count = Count.client(client.network)
            guard state.total < settings.total, state.has(count, below: settings.perClient) else {
                return false
            }
            state.total += 1
            state.counts[count, default: 0] += 1
            return true
        }
    }

    /// Counts a request whose proof is good.
    func count(key thumbprint: String) throws {
        try change { state in
            guard state.has(.key(thumbprint), below: settings.perKey) else { return false }
            state.counts[.key(thumbprint), default: 0] += 1
            return true
        }
    }

    private func change(_ count: (inout State) -> Bool) throws {
        let seconds = Int(now().timeIntervalSince1970)
        let isAdmitted = state.withLock { state in
            // The counts of one minute are at most twice the limit of all, so the table is bounded.
            if state.minute != seconds / 60 { state = State(minute: seconds / 60) }
            return count(&state)
        }
        guard isAdmitted else {
            throw Problem(
                .tooManyRequests, "rate_limited",
                "Too many assertions were asked for. Try again in a minute.",
                retryAfter: 60 - seconds % 60)
        }
    }
}
