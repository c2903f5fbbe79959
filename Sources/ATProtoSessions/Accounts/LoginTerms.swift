internal import ATPNetworking
internal import ATProtoOAuth
package import OAuthDPoP

/// The terms of a login. A new login repeats them. With other terms, programs could get permissions that the session
/// did not have before.
package enum LoginTerms: Sendable, Hashable {
    /// `client` is nil for the loopback client, which needs no name.
    case oauth(scope: Scope, client: Client?)
    case appPassword

    package init(_ session: Session) {
        switch session.credential {
        case .oauth(let credential):
            let client = credential.client
            if let asked = LoopbackClientID.scope(of: client.id) {
                self = .oauth(scope: asked, client: nil)
            } else {
                self = .oauth(scope: session.scope, client: client)
            }
        case .password: self = .appPassword
        }
    }

    /// The same login with one more permission.
    package func adding(_ scope: String) -> LoginTerms {
        switch self {
        case .oauth(let held, let client): .oauth(scope: Scope("\(held) \(scope)"), client: client)
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
