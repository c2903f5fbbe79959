/// Keeps resolved identities for a short time. The checks that decide about tokens bypass the cache (protocol:R10).
package protocol IdentityCache: Sendable {
    /// The entry for a handle or DID, unless it has expired.
    func entry(for identifier: ATIdentifier) async -> IdentityCacheEntry?

    /// Stores an entry for at most `lifetime`. A failure to store it is not an error.
    func store(_ entry: IdentityCacheEntry, for identifier: ATIdentifier, lifetime: Duration) async

    /// Removes the entry for a handle or DID.
    func remove(_ identifier: ATIdentifier) async
}

/// A cached fact about an identifier.
package enum IdentityCacheEntry: Sendable, Hashable {
    /// The DID that a handle points to, not yet checked against the document.
    case did(DID)
    /// The document of a DID.
    case document(DIDDocument)
    /// The identifier does not exist.
    case absent
}
