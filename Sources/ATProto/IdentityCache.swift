internal import Synchronization

/// Keeps what was found about names for a short while. Nothing in it decides about a token: those checks
/// bypass it (protocol:R10).
package protocol IdentityCache: Sendable {
    /// What is known about a handle or DID and has not outlived its lifetime.
    func entry(for identifier: ATIdentifier) async -> IdentityCacheEntry?

    /// Keeps an entry for at most `lifetime`. A cache that fails to keep it says nothing.
    func store(_ entry: IdentityCacheEntry, for identifier: ATIdentifier, lifetime: Duration) async
}

/// What a cache can know about an identifier.
package enum IdentityCacheEntry: Sendable, Hashable {
    /// What a handle points to, not yet checked against the document.
    case did(DID)
    /// The document of a DID.
    case document(DIDDocument)
    /// It does not exist.
    case absent
}

/// A cache that ends with the process.
package final class MemoryIdentityCache<Time: Clock<Duration>>: IdentityCache {
    private let clock: Time
    private let entries = Mutex<[ATIdentifier: (entry: IdentityCacheEntry, deadline: Time.Instant)]>([:])

    /// An empty cache that tells time by `clock`.
    package init(clock: Time = ContinuousClock()) {
        self.clock = clock
    }

    /// What is known and not too old; see ``IdentityCache``.
    package func entry(for identifier: ATIdentifier) -> IdentityCacheEntry? {
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
    package func store(_ entry: IdentityCacheEntry, for identifier: ATIdentifier, lifetime: Duration) {
        let deadline = clock.now.advanced(by: lifetime)
        entries.withLock { $0[identifier] = (entry, deadline) }
    }
}
