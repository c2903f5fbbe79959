package import ATProto
package import CredentialVault
package import FoundationEssentials
package import Networking
package import OAuth

/// Why a flow could not be finished: facts, for the command line to put into words.
package enum CoreError: Error, Sendable {
    // Errors of the layers below, with what only the core knows about them.
    /// The vault could not write what a refresh has to write before its request: nothing was sent.
    case rotationNotBegun(VaultError)
    /// The answer to a refresh could not be made durable. The refresh token that was sent may be spent.
    case answerNotKept(VaultError)
    case oauth(OAuthError, AccountLogin?)
    /// The service that keeps a password session was not reached, or gave no answer about it.
    case sessionService(TransportError)
    /// A server refused or failed a request of a password session.
    case xrpc(XRPCError, AccountProfile?)
    /// A service's answer that holds no session.
    case malformedSession(Origin)
    /// The listener for the redirect could not be set up.
    case listener(String)

    // Accounts.
    case noAccounts
    /// There are accounts, none is active, and none was named.
    case noneActive([AccountProfile])
    case unknownAccount(String, known: [AccountProfile])
    case ambiguousAccount(String, candidates: [AccountProfile])
    /// A pin that names no account of this vault.
    case unknownPin(AccountPin)
    case unreadableRecord(UUID, UnreadableRecord)
    /// A dev network account without the dev network switch, or the other way round.
    case wrongNetwork(AccountProfile)
    /// Several accounts, and the command has to be told which.
    case accountNotNamed([AccountProfile])
    case noPreviousAccount
    /// Another account has this DID and label.
    case labelInUse(AccountProfile)
    /// A label that an account is to get, and that another one answers to as its handle, DID or UUID.
    case labelTaken(String, by: UUID)
    /// A password login to an account that has an OAuth session, which it would weaken.
    case labelHoldsOAuth(AccountProfile)

    // Bundles.
    /// A bundle opened, and a record in it could not be read.
    case unreadableBundle(UnreadableRecord)
    /// The access token in a bundle is bound to another key than the one beside it.
    case foreignKey(AccountLogin)
    /// A refresh went unanswered, and whether its token is spent is not known.
    case rotationUnsettled(AccountProfile)

    /// The store that sessions are handed to did not take one.
    case mirror(AccountProfile, SessionMirror.Moment, MirrorFailure)

    // Login.
    case verification(VerificationFailure)
    /// The same for an account that is logged in.
    case unverified(VerificationFailure, AccountLogin)
    case loginTimedOut
    case loginDeclined
    /// The asking task was cancelled.
    case cancelled

    // Sessions.
    /// A proof was asked for a server that the session's tokens are not for.
    case foreignAudience(AccountProfile, Origin)
    /// A proof was asked of a session that is bound to no key.
    case notBound(AccountProfile)
    case sessionEnded(AccountLogin, SessionEnding)
}

/// A check that a hostile or confused server fails. Nothing is saved, and stray tokens are revoked.
package enum VerificationFailure: Error, Sendable, Hashable {
    /// The token response names another account than the one that was to log in.
    case subjectIsAnother(expected: String, received: String)
    /// The handle that was typed does not lead to the account that logged in.
    case handleIsAnothers(String)
    /// The `sub` of a token response is no DID.
    case subjectIsNoDID
    /// The PDS of the account names another authorization server than the one that issued the tokens.
    case issuerMismatch(account: String, expected: String, found: String)
    /// The token response itself is not acceptable: token type, scope, or an ID token.
    case tokenResponse(TokenResponseProblem)
}

/// Why a session can't be used any more; the account stays until it is logged out.
package enum SessionEnding: Sendable, Hashable {
    /// The server said that the grant is over.
    case expired
    /// A rotation's answer was lost and the server had committed it.
    case lostRotation
    /// The server refused to refresh without saying that the session ended.
    case uncertain
    /// The last token response did not verify.
    case quarantined
    /// The server issued no refresh token and the access token is over.
    case notRefreshable
    /// The server refuses the token it has just issued.
    case tokenRefused
}
