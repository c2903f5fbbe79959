package import ATPCryptography
package import ATPNetworking
package import ATProtoIdentity
package import ATProtoXRPC
package import OAuthDPoP

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// An error type of this package. Flows let the errors of the layers below pass. The command line has words, an exit code and
/// a next step for each. Any other error that is thrown is a defect.
package protocol KnownError: Error {
    /// Whether the error says nothing about the session: a server can't be reached or fails, another process has the
    /// account, or the disk is full.
    var isPassing: Bool { get }
    /// Whether the account may have moved to another server: its own can't be reached, or does not have it any more.
    var suggestsMove: Bool { get }
}

extension KnownError {
    package var isPassing: Bool { false }
    package var suggestsMove: Bool { false }
}

extension CryptographyError: KnownError {}
extension AuthorizationResponseError: KnownError {}

extension StoreError: KnownError {
    package var isPassing: Bool { code == .busy || code == .overtaken || code == .kept }
}

extension TransportError: KnownError {
    package var isPassing: Bool { true }
    package var suggestsMove: Bool { isOfServerThatIsGone }
}

extension IdentityError: KnownError {
    package var isPassing: Bool { kind == .unavailable }
}

extension DiscoveryError: KnownError {
    package var isPassing: Bool {
        switch code {
        case .transport, .status: true
        default: false
        }
    }

    package var suggestsMove: Bool {
        if case .transport(let error) = code { error.isOfServerThatIsGone } else { false }
    }
}

/// Why a session could not be used or refreshed. The errors hold facts, and no sentences.
package enum SessionFailure: KnownError {
    case oauth(OAuthError, AccountLogin?)
    /// A session is bound to a client key that is not here. Nothing was sent.
    case clientKeyMissing(ClientID, keyID: String)
    case verification(VerificationFailure)
    /// The same for an account that is logged in.
    case unverified(VerificationFailure, AccountLogin)
    /// The server granted nothing of what a login asked for. Nothing was saved.
    ///
    /// - Parameter areRevoked: whether the server has revoked the tokens.
    case nothingGranted(of: Scope, areRevoked: Bool)
    /// The server answered a refresh without saying what became of the token. The token may be sent again at a time.
    case refreshFailed(any KnownError, retryAt: Date)
    /// The same happened to an earlier refresh, or it may still be answered (nil), and that time has not come. Nothing was
    /// sent.
    case refreshPostponed(AccountLogin, status: Int?, retryAt: Date)
    /// The access token is valid, but an earlier refresh got no answer, or one of this status behind which the server may
    /// have refreshed. The refresh token is sent again when the access token has expired.
    case refreshUnclear(AccountLogin, since: Date, status: Int?, until: Date)
    case sessionEnded(AccountLogin, SessionEnding)
    /// The account's server refuses a token that its authorization server has just issued, with these words. The session still
    /// exists: a server whose clock is wrong refuses every token.
    case tokenRefused(AccountLogin, XRPCError)
    /// The server did not end the session of a confidential client, which could live for years. The account stays.
    case logoutRefused(AccountLogin, at: Issuer, said: String?)
    /// The account's DID names another server now. The session is of the earlier server, which failed with this error.
    case accountMoved(AccountLogin, to: Origin, because: any KnownError)
    /// A server answers calls of XRPC, but not where its OAuth metadata should be. An app password needs no metadata.
    case oauthNotServed(Origin, because: DiscoveryError)
    /// The calling task was cancelled.
    case cancelled

    package var isPassing: Bool {
        switch self {
        case .accountMoved(_, _, let cause): cause.isPassing
        case .oauthNotServed(_, let cause): cause.isPassing
        case .refreshFailed, .refreshPostponed, .refreshUnclear: true
        case .oauth(let error, _): error.refreshVerdict != .invalidGrant
        default: false
        }
    }

    package var suggestsMove: Bool {
        switch self {
        case .oauth(let error, _):
            if case .transport(let error) = error.code { error.suggestsMove } else { false }
        case .refreshFailed(let error, _): error.suggestsMove
        default: false
        }
    }
}

extension SessionFailure {
    /// The failure after an attempt to refresh a session that may have succeeded; nil if there is no such attempt.
    package init?(unclear attempt: RotationIntent?, _ account: Account, _ session: Session) {
        guard let attempt, attempt.mayHideRotation else { return nil }
        self = .refreshUnclear(
            AccountLogin(account, session), since: attempt.startedAt, status: attempt.answer?.unclearStatus,
            until: session.accessExpiresAt)
    }
}

/// A DID with its verified handle; nil if it has none or can't be looked up.
package struct NamedDID: Sendable, Hashable {
    package let did: DID
    package let handle: ATProtoIdentity.Handle?

    package init(_ did: DID, _ handle: ATProtoIdentity.Handle?) {
        self.did = did
        self.handle = handle
    }
}

/// A failed check of a server that is hostile or has a defect. Nothing is saved, and the received tokens are revoked.
package enum VerificationFailure: Error, Sendable, Hashable {
    /// The token response names a different account than the login.
    case subjectIsAnother(expected: String, received: String)
    /// Another person than the expected one signed in at the server's page.
    case anotherSignedIn(NamedDID, expected: NamedDID)
    /// The typed handle does not belong to the account that logged in.
    case handleIsAnothers(String)
    /// The `sub` of a token response is not a DID.
    case subjectIsNoDID
    /// The PDS of the account names a different authorization server than the issuer of the tokens.
    case issuerMismatch(account: String, expected: String, found: String)
    /// The token response has the wrong token type, the wrong scope or an ID token.
    case tokenResponse(TokenResponseProblem)
}

/// Why a session can't be used any more. The account stays until a logout.
package enum SessionEnding: Sendable, Hashable {
    /// The server reported that the grant has ended, with its words; nil if it gave none or they are not known any more.
    case expired(said: String?)
    /// The server completed a rotation, but its answer was lost. The status is what the server or a proxy answered to it;
    /// nil if no answer came or it is not known any more.
    case lostRotation(after: Int?)
    /// The server refreshed the session, but its answer can't be read. The answer is kept.
    case unreadable
    /// The server refused to refresh but did not report that the session ended.
    case uncertain
    /// The last token response failed verification.
    case quarantined
    /// The server issued no refresh token, and the access token has expired.
    case notRefreshable
}
