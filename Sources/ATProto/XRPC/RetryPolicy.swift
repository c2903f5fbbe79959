/// How often, and how long in all, a call is tried again that failed in passing (protocol:X14).
package struct RetryPolicy: Sendable, Hashable {
    /// How often it is sent again at most.
    package let repetitions: Int
    /// How long its waits may be together.
    package let longestWait: Duration

    package init(repetitions: Int, longestWait: Duration) {
        self.repetitions = repetitions
        self.longestWait = longestWait
    }

    /// How long to wait before the call is sent again; nil where it is not, since that would be too often or too
    /// long.
    ///
    /// - Parameters:
    ///   - repetition: which one it would be, from 1.
    ///   - requested: what the server asked for; nil for a wait that doubles each time, and differs between
    ///     clients that failed together.
    ///   - waited: how long the waits were so far.
    package func wait(before repetition: Int, requested: Duration?, waited: Duration) -> Duration? {
        guard repetition <= repetitions else { return nil }
        let wait = requested ?? Self.backOff(before: repetition)
        return waited + wait <= longestWait ? wait : nil
    }

    /// Between one half and the whole of 1, 2, 4 and so on to 64 seconds.
    private static func backOff(before repetition: Int) -> Duration {
        let longest: Int64 = 1000 << Int64(min(repetition - 1, 6))
        return .milliseconds(Int64.random(in: longest / 2...longest))
    }
}
