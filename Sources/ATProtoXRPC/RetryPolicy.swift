/// Limits the retries of a call after temporary failures (protocol:X14).
package struct RetryPolicy: Sendable, Hashable {
    /// The highest number of retries.
    package let retries: Int
    /// The limit for the sum of all waits.
    package let longestWait: Duration

    package init(retries: Int, longestWait: Duration) {
        self.retries = retries
        self.longestWait = longestWait
    }

    /// How long to wait before a retry. Nil if the retry would exceed a limit.
    ///
    /// - Parameters:
    ///   - retry: the number of the retry, from 1.
    ///   - requested: the wait that the server asked for. Nil for exponential back-off with jitter.
    ///   - waited: the sum of the waits so far.
    package func wait(before retry: Int, requested: Duration?, waited: Duration) -> Duration? {
        guard retry <= retries else { return nil }
        let wait = requested ?? Self.backOff(before: retry)
        return waited + wait <= longestWait ? wait : nil
    }

    /// A random wait between one half and the whole of 1, 2, 4 and so on up to 64 seconds.
    private static func backOff(before retry: Int) -> Duration {
        let longest: Int64 = 1000 << Int64(min(retry - 1, 6))
        return .milliseconds(Int64.random(in: longest / 2...longest))
    }
}
