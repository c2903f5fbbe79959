package import Networking
package import OAuth

/// How a session's tokens are used, and by whom they were issued.
package enum SessionCredential: Sendable {
    case oauth(OAuthCredential)
    /// Bearer tokens of an app password. `service` keeps the session; behind an entryway that is not the PDS
    /// (protocol:A7).
    case password(service: Origin)

    /// The name scripts see.
    package var name: String {
        switch self {
        case .oauth: "oauth"
        case .password: "app-password"
        }
    }

    package var oauth: OAuthCredential? {
        if case .oauth(let credential) = self { credential } else { nil }
    }
}

/// What OAuth tokens are bound to. It lives and dies with them, so it is sealed with them.
package struct OAuthCredential: Sendable {
    package let issuer: Issuer
    /// The client the tokens were issued to, its name byte for byte: a loopback client id contains its scope
    /// and redirect URI (protocol:R70).
    package let client: Client
    /// The key of this session and of no other (protocol:R55).
    package let key: DPoPKey

    package init(issuer: Issuer, client: Client, key: DPoPKey) {
        self.issuer = issuer
        self.client = client
        self.key = key
    }
}
