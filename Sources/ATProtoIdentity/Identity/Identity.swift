package import ATPNetworking

/// A resolved account whose handle and DID name each other (atproto OAuth: identity authentication; protocol:R8, R9).
package struct Identity: Sendable, Hashable {
    /// The DID, which never changes.
    package let did: DID
    /// A handle that resolves to this DID and that the DID claims. Nil is displayed as
    /// ``Handle/invalidPlaceholder``.
    package let handle: Handle?
    /// Why the claimed handle could not be looked up. Then ``handle`` is nil, but the DID may have this handle.
    package let handleFailure: IdentityError?
    /// The document of the DID, which names the PDS.
    package let document: DIDDocument
    /// Whether every part was just fetched from its authoritative source. Otherwise some part comes from a cache
    /// or from a resolver service.
    package let isFirstHand: Bool

    /// Combines a document with the handle that was checked against it.
    package init(
        document: DIDDocument, handle: Handle?, handleFailure: IdentityError? = nil, isFirstHand: Bool
    ) {
        self.did = document.did
        self.document = document
        self.handle = handle
        self.handleFailure = handleFailure
        self.isFirstHand = isFirstHand
    }

    /// The account's PDS.
    package var pds: Origin { document.pds }
}
