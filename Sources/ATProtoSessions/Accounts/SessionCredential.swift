package import ATPNetworking
package import OAuthDPoP

/// The kind of a session's tokens, and their issuer.
package enum SessionCredential: Sendable {
    case oauth(OAuthCredential)
    /// Bearer tokens of an app password. `service` keeps the session. With an entryway, the service is not the PDS
    /// (protocol:A7).
    case password(service: Origin)

    /// The name in JSON output.
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

/// The client and the key that OAuth tokens are bound to. They are sealed together with the tokens.
package struct OAuthCredential: Sendable {
    package let issuer: Issuer
    /// The client that the tokens were issued to. Its id is kept byte for byte, because a loopback client id contains
    /// the scope and the redirect URI (protocol:R70).
    package let client: Client
    /// The key of this session. No other session uses it (protocol:R55).
    package let key: any ProofSigner

    package init(issuer: Issuer, client: Client, key: any ProofSigner) {
        self.issuer = issuer
        self.client = client
        self.key = key
    }
}
