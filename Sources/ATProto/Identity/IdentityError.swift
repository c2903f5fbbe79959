package import Networking

/// Why an identifier could not be resolved: facts for messages, no advice.
package struct IdentityError: Error, Sendable, Hashable {
    /// Where it stopped.
    package enum Step: Sendable, Hashable {
        /// The name itself, before anything was asked.
        case name
        case handleTextRecord
        case handleWellKnown
        /// `com.atproto.identity.resolveHandle` of a server.
        case handleService
        case didDocument
        /// Document and handle each name the other (protocol:R8).
        case bidirectionalCheck
    }

    /// What was wrong.
    package enum Code: Sendable, Hashable {
        /// A top-level domain that is never looked up (protocol:R3).
        case reservedName
        case notFound
        /// TXT records that name different DIDs (protocol:R4).
        case conflictingRecords
        case invalidDID(InvalidDID)
        case invalidDocument(InvalidDIDDocument)
        /// The document claims another handle, or none.
        case handleMismatch(claimed: Handle?)
        /// A host that this network does not have, such as `localhost` outside the dev network.
        case unreachableHost
        case textRecords(TextRecordError)
        case transport(TransportError)
        /// An answer that says neither yes nor no.
        case status(Int)
        /// A redirect that is not allowed: where none is, past the limit, or to a place not to be asked.
        case redirect
        /// A body that is not what was asked for.
        case malformedAnswer
    }

    /// What a caller should make of it.
    package enum Kind: Sendable, Hashable {
        /// The account is known not to exist under this name.
        case doesNotExist
        /// It could not be found out; later it may.
        case unavailable
        /// Something contradicts itself: do not go on.
        case failedVerification
    }

    /// Where it stopped.
    package let step: Step
    /// What was wrong.
    package let code: Code
    /// The handle or DID that was being resolved.
    package let subject: String
    /// What was asked, where it was a URL.
    package let url: String?
    /// What another way to look the same thing up said.
    package internal(set) var alternatives: [IdentityError] = []

    /// An error about `subject`; `url` without its query.
    package init(_ code: Code, step: Step, subject: String, url: String? = nil) {
        self.code = code
        self.step = step
        self.subject = subject
        self.url = url
    }

    /// Tells "does not exist" from "could not be looked up" from "contradicts itself".
    package var kind: Kind {
        switch code {
        case .reservedName, .notFound: .doesNotExist
        case .conflictingRecords, .handleMismatch, .invalidDocument(.otherSubject): .failedVerification
        case .invalidDID, .invalidDocument, .unreachableHost, .textRecords, .transport, .status, .redirect,
            .malformedAnswer:
            .unavailable
        }
    }
}
