import ATProtoIdentity
import Synchronization

/// A cache in memory.
final class MemoryIdentityCache<Time: Clock<Duration>>: IdentityCache {
    private let clock: Time
    private let entries = Mutex<[ATIdentifier: (entry: IdentityCacheEntry, deadline: Time.Instant)]>([:])

    /// An empty cache.
    init(clock: Time = ContinuousClock()) {
        self.clock = clock
    }

    /// The entry, unless it has expired.
    func entry(for identifier: ATIdentifier) -> IdentityCacheEntry? {
        let now = clock.now
        return entries.withLock { entries in
            guard let found = entries[identifier] else { return nil }
            guard found.deadline > now else {
                entries[identifier] = nil
                return nil
            }
            return found.entry
        }
    }

    /// Stores an entry for `lifetime` by this clock.
    func store(_ entry: IdentityCacheEntry, for identifier: ATIdentifier, lifetime: Duration) {
        let deadline = clock.now.advanced(by: lifetime)
        entries.withLock { $0[identifier] = (entry, deadline) }
    }

    func remove(_ identifier: ATIdentifier) {
        entries.withLock { $0[identifier] = nil }
    }
}

/// A clock that only moves when a test advances it.
final class ManualClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    }

    private let current = Mutex(Instant(offset: .zero))

    var now: Instant { current.withLock(\.self) }
    var minimumResolution: Duration { .zero }
    func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
    func advance(by duration: Duration) { current.withLock { $0 = $0.advanced(by: duration) } }
}
