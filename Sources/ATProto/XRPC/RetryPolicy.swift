/// Limits the retries of a call after temporary failures (protocol:X14).
package struct RetryPolicy: Sendable, Hashable {
    /// The highest number of retries.
    package let repetitions: Int
    /// The longest sum of all waits.
    package let longestWait: Duration

    package init(repetitions: Int, longestWait: Duration) {
        self.repetitions = repetitions
        self.longestWait = longestWait
    }

    /// How long to wait before a retry. Nil if the retry would exceed a limit.
    ///
    /// - Parameters:
    ///   - repetition: the number of the retry, from 1.
    ///   - requested: the wait that the server asked for. Nil for exponential back-off with jitter.
    ///   - waited: the sum of the waits so far.
    package func wait(before repetition: Int, requested: Duration?, waited: Duration) -> Duration? {
        guard repetition <= repetitions else { return nil }
        let wait = requested ?? Self.backOff(before: repetition)
        return waited + wait <= longestWait ? wait : nil
    }

    /// A random wait between one half and the whole of 1, 2, 4 and so on up to 64 seconds.
    private static func backOff(before repetition: Int) -> Duration {
        let longest: Int64 = 1000 << Int64(min(repetition - 1, 6))
        return .milliseconds(Int64.random(in: longest / 2...longest))
    }
}
