package import ATPNetworking

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Why an identifier could not be resolved. Holds facts for messages and no advice.
public struct IdentityError: Error, Sendable, Hashable {
    /// No account has this handle or DID.
    public static func notFound(_ subject: String) -> IdentityError {
        IdentityError(.notFound, step: .name, subject: subject)
    }

    /// The handle or DID could not be looked up. A later lookup may succeed.
    public static func unavailable(_ subject: String) -> IdentityError {
        IdentityError(.malformedAnswer, step: .name, subject: subject)
    }

    /// The step that failed.
    package enum Step: Sendable, Hashable {
        /// The name itself. Nothing was sent.
        case name
        case handleTextRecord
        case handleWellKnown
        /// `com.atproto.identity.resolveHandle` of a server.
        case handleService
        case didDocument
        /// The TXT record that says who publishes the lexicons of a domain.
        case lexiconTextRecord
        /// The check that document and handle name each other (protocol:R8).
        case bidirectionalCheck
    }

    /// What failed.
    package enum Code: Sendable, Hashable {
        /// A top-level domain that is never looked up (protocol:R3).
        case reservedName
        case notFound
        /// The TXT records name different DIDs (protocol:R4).
        case conflictingRecords
        case invalidDID(InvalidDID)
        /// The text in place of the DID, which differs from one in a way that does not count.
        case flawedDID(DIDFlaw, found: String)
        case invalidDocument(InvalidDIDDocument)
        /// The document claims another handle or none.
        case handleMismatch(claimed: Handle?)
        /// The host does not exist on this network, such as `localhost` outside the dev network.
        case unreachableHost
        case textRecords(TextRecordError)
        case transport(TransportError)
        /// An HTTP status that leaves it open whether the identifier exists.
        case status(Int)
        /// A redirect at a step where none is followed.
        case redirect
        /// More redirects than this one after another.
        case tooManyRedirects(limit: Int)
        /// A redirect to a place that is not https on the standard port; nil if it does not say where to.
        case redirectTarget(String?)
        /// The body is not a valid answer.
        case malformedAnswer
    }

    /// What the error means for the caller.
    package enum Kind: Sendable, Hashable {
        /// No account exists under this name.
        case doesNotExist
        /// The lookup failed. A later one may succeed.
        case unavailable
        /// The answers contradict each other. The caller must not go on.
        case failedVerification
    }

    /// The step that failed.
    package let step: Step
    /// What failed.
    package let code: Code
    /// The handle or DID to resolve.
    package let subject: String
    /// The URL that was requested, if there was one.
    package let url: String?
    /// The errors of other ways to look up the same identifier.
    package internal(set) var alternatives: [IdentityError] = []

    /// - Parameter url: the requested URL without its query.
    package init(_ code: Code, step: Step, subject: String, url: String? = nil) {
        self.code = code
        self.step = step
        self.subject = subject
        self.url = url
    }

    /// Whether the same lookup may succeed later.
    package var mayPass: Bool {
        switch code {
        case .invalidDocument: false
        default: kind == .unavailable
        }
    }

    /// Whether the identifier does not exist, can't be looked up, or fails verification.
    package var kind: Kind {
        switch code {
        case .reservedName, .notFound, .flawedDID: .doesNotExist
        case .conflictingRecords, .handleMismatch, .invalidDocument(.otherSubject): .failedVerification
        case .invalidDID, .invalidDocument, .unreachableHost, .textRecords, .transport, .status,
            .redirect, .tooManyRedirects, .redirectTarget, .malformedAnswer:
            .unavailable
        }
    }
}

extension IdentityError: CustomStringConvertible, LocalizedError {
    /// What is wrong, in plain English.
    public var description: String {
        let subject = UntrustedText.harmless(subject)
        return switch (kind, code) {
        case (.doesNotExist, .reservedName): "\(subject) can't be the handle of an account"
        case (.doesNotExist, _): "no account has the name \(subject)"
        case (.failedVerification, .handleMismatch(let other?)):
            "the account that \(subject) leads to names @\(other) instead"
        case (.failedVerification, .handleMismatch(nil)):
            "the account that \(subject) leads to names no handle"
        case (.failedVerification, _): "the answers about \(subject) contradict each other"
        case (.unavailable, .transport(let cause)): "\(subject) could not be looked up: \(cause)"
        case (.unavailable, .status(let status)):
            "\(subject) could not be looked up: the status is \(status)"
        case (.unavailable, _): "\(subject) could not be looked up"
        }
    }

    /// The description, for `localizedDescription`.
    public var errorDescription: String? { description }
}
