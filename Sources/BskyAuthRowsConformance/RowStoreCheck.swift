public import BskyAuthRows
public import FoundationEssentials
internal import Synchronization
public import Testing

/// One rule of `RowStore`, as a test. The tests of each store run ``all``.
public struct RowStoreCheck: Sendable, CustomTestStringConvertible {
    /// The rule in words.
    public let testDescription: String
    /// Checks a store that has no rows. Its time is that of the clock.
    public let run: @Sendable (any RowStore, CheckClock) async throws -> Void

    init(_ rule: String, _ run: @escaping @Sendable (any RowStore, CheckClock) async throws -> Void) {
        testDescription = rule
        self.run = run
    }

    /// Every rule.
    public static let all = values + conditions + races + lists + expiries + changes
}

/// A clock that a check moves.
public final class CheckClock: Sendable {
    private let time = Mutex(Date(timeIntervalSince1970: 1_800_000_000))

    /// A clock at a fixed time.
    public init() {}

    /// The time.
    public var now: Date { time.withLock { $0 } }

    func advance(_ seconds: Double) { time.withLock { $0 += seconds } }
}
