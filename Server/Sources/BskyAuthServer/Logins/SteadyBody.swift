internal import ATPNetworking
internal import Synchronization

/// The body of an answer that must not drip. It ends with an error if too few bytes come in the time that is waited for them, so that
/// a server does not hold a call without end. The time in which the client reads nothing does not count.
final class SteadyBody: ResponseBodySource {
    private let body: ResponseBody
    private let now: @Sendable () -> ContinuousClock.Instant
    private let pace = Mutex(Pace())

    init(_ body: ResponseBody, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.body = body
        self.now = now
    }

    func next() async throws(TransportError) -> [UInt8]? {
        let start = now()
        // All iterators of a body share its bytes.
        var bytes = body.makeAsyncIterator()
        guard let piece = try await bytes.next() else { return nil }
        let waited = start.duration(to: now())
        guard pace.withLock({ $0.allows(piece.count, after: waited) }) else {
            body.cancel()
            throw TransportError(.timedOut, requestWasSent: true, detail: "the answer came too slowly")
        }
        return piece
    }

    func cancel() { body.cancel() }

    /// Counts the bytes of one stretch of waiting after the other.
    private struct Pace {
        /// How long a stretch is at least, and how many bytes must come in it if the answer is to go on.
        static let stretch = Duration.seconds(60), least = 16 * 1024

        private var bytes = 0
        private var waited = Duration.zero

        /// Whether the answer may go on with a piece that came after some waiting.
        mutating func allows(_ count: Int, after time: Duration) -> Bool {
            if waited >= Self.stretch {
                guard bytes >= Self.least else { return false }
                (bytes, waited) = (0, .zero)
            }
            bytes += count
            waited += time
            return true
        }
    }
}
