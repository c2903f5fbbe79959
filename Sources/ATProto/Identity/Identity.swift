package import Networking

/// An account as it was found, checked both ways (atproto OAuth: identity authentication; protocol:R8, R9).
package struct Identity: Sendable, Hashable {
    /// The account's lasting name.
    package let did: DID
    /// A handle that leads to this DID and is claimed by it; nil is shown as ``Handle/invalidPlaceholder``.
    package let handle: Handle?
    /// The document of the DID, which names the server.
    package let document: DIDDocument
    /// Whether all of it was asked for just now where it is decided; else some was remembered, or told by a
    /// service.
    package let isFirstHand: Bool

    /// Joins a document with the handle that was checked against it.
    package init(document: DIDDocument, handle: Handle?, isFirstHand: Bool) {
        self.did = document.did
        self.document = document
        self.handle = handle
        self.isFirstHand = isFirstHand
    }

    /// The account's server.
    package var pds: Origin { document.pds }
}
