package import ATPNetworking
package import ATProtoIdentity
package import ATProtoSessions
package import ATProtoVault
package import ATProtoXRPC
package import OAuthDPoP

/// Why a flow could not be finished. The errors hold facts, and the command line has the sentences.
package enum CoreError: Error, Sendable {
    // Errors of the layers below, with facts that only the core knows.
    /// The vault could not write the intent of a refresh or reserve its space. Nothing was sent.
    case rotationNotBegun(VaultError)
    /// The answer to a refresh could not be stored durably. The sent refresh token may be spent.
    case answerNotKept(VaultError)
    /// The service that keeps a password session could not be reached or gave no usable answer.
    case sessionService(TransportError)
    /// A server refused a request of a password session or failed.
    case xrpc(XRPCError, Account?)
    /// A service's answer contains no session.
    case malformedSession(Origin)
    /// The listener for the redirect could not be set up.
    case listener(String)

    // Accounts.
    case noAccounts
    /// The vault has accounts, but none is active and none was named.
    case noneActive([Account])
    case unknownAccount(String, known: [Account])
    case ambiguousAccount(String, candidates: [Account])
    /// An account could not be removed, though the step that comes before its removal is done.
    ///
    /// - Parameter isEnded: whether the vault has no token of its session any more.
    case notRemoved(Account, after: RemovalStep, isEnded: Bool, because: VaultError)
    /// A pin names an account that is not in this vault.
    case unknownPin(AccountPin)
    /// An account was used on another network than its own: on this dev network, or on the real network if nil.
    case wrongNetwork(Account, devNetwork: Origin?)
    /// The vault has several accounts, and the command needs a name.
    case accountNotNamed([Account])
    case noPreviousAccount
    /// A login with an app password would replace an OAuth session by a weaker session.
    case labelHoldsOAuth(Account)

    // Clients of the user's own.
    /// No client has this name or URL.
    case unknownClient(String, known: [String])
    /// A client has this name or URL already.
    case clientExists(HostedClient)
    /// A sealed client opens, but its content can't be decoded.
    case unreadableClient(UnreadableRecord)
    /// A client's metadata document at a URL is not what servers take.
    case clientDocument(String, ClientDocumentProblem)
    /// An export would take along a client key that other accounts here use.
    case clientKeyShared(AccountLogin, with: [Account])
    /// A bundle has a client key that is not published.
    case clientKeyNotPublished(ClientID, keyID: String)

    // Bundles.
    /// A bundle was decrypted, but a record in it can't be decoded.
    case unreadableBundle(UnreadableRecord)
    /// The access token in a bundle is bound to a different key than the key in the bundle.
    case foreignKey(AccountLogin)
    /// A session of another program can't be taken over.
    case takeover(TakeoverProblem)
    /// A refresh got no answer, so it is unknown whether its token is spent.
    case rotationUnsettled(AccountLogin, mayHideRotation: Bool)

    /// The mirror did not accept a session.
    case mirror(Account, SessionMirror.Moment, MirrorFailure)

    // Login.
    case loginTimedOut
    /// A login is finished and kept durably, but its account could not be changed.
    case loginKept(Account, because: any KnownError)
    case loginDeclined

    // Sessions.
    /// A proof was requested for a server that is not the audience of the session's tokens.
    case foreignAudience(Account, Origin)
    /// A proof was requested from a session without a DPoP key.
    case notBound(Account)
    case callRefused(CallRefusal)
    /// The account's server gave no token for another service.
    case serviceTokenRefused(CallRefusal, ServiceTokenRequest)
    /// The account's server gave another token than it was asked for. It was not used.
    case wrongServiceToken(Account, ServiceTokenProblem)
    /// The DID document of a service can't be had, or names no server that may be called.
    case unusableService(ServiceReference, IdentityError)
    /// The server of a service answered with a redirect, which was not followed.
    case serviceRedirects(ServiceReference, Origin)
    /// The account was removed while this process used it.
    case loggedOut(Account, LoginTerms?)
}

/// A step outside the vault that can't be undone, and that comes before the removal of an account.
package enum RemovalStep: Sendable {
    /// The session was ended at its server.
    case logout(LogoutFlow.Revocation)
    /// The bundle in this file has the session.
    case export(file: String)
    /// No step. The session at the server stays.
    case none

    /// Whether the server said that the session has ended.
    var hasEndedSession: Bool {
        switch self {
        case .logout(.answered(.accepted)), .logout(.answered(.confirmed)): true
        case .logout, .export, .none: false
        }
    }
}
