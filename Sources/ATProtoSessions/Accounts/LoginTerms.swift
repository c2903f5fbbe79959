internal import ATPNetworking
internal import ATProtoOAuth
package import OAuthDPoP

/// The terms of a login. A new login repeats them. With other terms, programs could get permissions that the session
/// did not have before.
package enum LoginTerms: Sendable, Hashable {
    /// `scope` is nil if it is not known what the login asked for. `client` is nil for the loopback client, which needs no name.
    case oauth(scope: Scope?, client: Client?)
    case appPassword

    package init(_ session: Session) {
        switch session.credential {
        case .oauth(let credential):
            // The granted scope says something else: servers refuse it, because the document of a client does not have it.
            let (client, asked) = (credential.client, session.requestedScope.map { Scope($0) })
            if let inName = LoopbackClientID.scope(of: client.id) {
                self = .oauth(scope: asked ?? inName, client: nil)
            } else {
                self = .oauth(scope: asked, client: client)
            }
        case .password: self = .appPassword
        }
    }

    /// The same login with another scope.
    package func asking(for scope: Scope) -> LoginTerms {
        switch self {
        case .oauth(_, let client): .oauth(scope: scope, client: client)
        case .appPassword: self
        }
    }
}

/// An account and the terms of its login.
package struct AccountLogin: Sendable, Hashable {
    package let account: Account
    package let terms: LoginTerms

    package init(_ account: Account, _ session: Session) {
        self.account = account
        terms = LoginTerms(session)
    }
}
