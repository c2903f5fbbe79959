/// Keeps what was found about names for a short while. Nothing in it decides about a token: those checks
/// bypass it (protocol:R10).
package protocol IdentityCache: Sendable {
    /// What is known about a handle or DID and has not outlived its lifetime.
    func entry(for identifier: ATIdentifier) async -> IdentityCacheEntry?

    /// Keeps an entry for at most `lifetime`. A cache that fails to keep it says nothing.
    func store(_ entry: IdentityCacheEntry, for identifier: ATIdentifier, lifetime: Duration) async

    /// Forgets what is kept about a handle or DID.
    func remove(_ identifier: ATIdentifier) async
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
