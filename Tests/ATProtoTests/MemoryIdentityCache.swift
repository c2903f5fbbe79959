import ATProto
import Synchronization

/// A cache that ends with the test.
final class MemoryIdentityCache<Time: Clock<Duration>>: IdentityCache {
    private let clock: Time
    private let entries = Mutex<[ATIdentifier: (entry: IdentityCacheEntry, deadline: Time.Instant)]>([:])

    /// An empty cache that tells time by `clock`.
    init(clock: Time = ContinuousClock()) {
        self.clock = clock
    }

    /// What is known and not too old; see ``IdentityCache``.
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

    /// Keeps an entry for `lifetime` by this clock.
    func store(_ entry: IdentityCacheEntry, for identifier: ATIdentifier, lifetime: Duration) {
        let deadline = clock.now.advanced(by: lifetime)
        entries.withLock { $0[identifier] = (entry, deadline) }
    }

    func remove(_ identifier: ATIdentifier) {
        entries.withLock { $0[identifier] = nil }
    }
}
