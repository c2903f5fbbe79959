package import FoundationEssentials
package import OAuth

/// The secrets of one login: tokens and the key they are bound to. Sealed apart from the profile and rewritten
/// whole by every rotation.
package struct Session: Sendable {
    package let credential: SessionCredential
    /// When the user logged in: a public client's session ends 14 days later, refreshed or not.
    package let createdAt: Date
    package let accessToken: AccessToken
    /// nil where the server issued none: the session then ends with the access token.
    package let refreshToken: RefreshToken?
    /// When the access token ends, counted from before the request that brought it.
    package let accessExpiresAt: Date
    /// When the tokens were asked for.
    package let obtainedAt: Date
    /// What the server granted, as it said.
    package let scope: Scope
    package var state: SessionState
    /// The stable name of what went wrong last; nil after a success.
    package var lastError: String?

    package init(
        credential: SessionCredential, createdAt: Date, accessToken: AccessToken, refreshToken: RefreshToken?,
        accessExpiresAt: Date, obtainedAt: Date,
        scope: Scope, state: SessionState = .ok, lastError: String? = nil
    ) {
        self.credential = credential
        self.createdAt = createdAt
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.accessExpiresAt = accessExpiresAt
        self.obtainedAt = obtainedAt
        self.scope = scope
        self.state = state
        self.lastError = lastError
    }

    /// The session that a login's token response begins.
    init(_ response: TokenResponse, _ credential: OAuthCredential, askedAt: Date) {
        self.init(
            credential: .oauth(credential), createdAt: askedAt, accessToken: response.accessToken,
            refreshToken: response.refreshToken, accessExpiresAt: response.expiry(askedAt: askedAt),
            obtainedAt: askedAt, scope: response.scope ?? Scope(""))
    }

    /// The session after a rotation. What the response leaves out stays as it was (RFC 6749 §6).
    func rotated(by response: TokenResponse, askedAt: Date) -> Session {
        Session(
            credential: credential, createdAt: createdAt, accessToken: response.accessToken,
            refreshToken: response.refreshToken ?? refreshToken,
            accessExpiresAt: response.expiry(askedAt: askedAt), obtainedAt: askedAt,
            scope: response.scope ?? scope)
    }

    /// The end of the session (protocol:Lifetimes): 14 days after login for a public client, refreshed or not; 90
    /// days after the last refresh for an app password.
    package var endsAt: Date {
        switch credential {
        case .oauth: createdAt.addingTimeInterval(14 * 86400)
        case .password: obtainedAt.addingTimeInterval(90 * 86400)
        }
    }

    /// Whether the access token is still good for `margin` seconds more.
    package func lives(at now: Date, margin: Double = 0) -> Bool {
        accessExpiresAt.timeIntervalSince(now) > margin
    }

    /// What `call` wants left of a token: five minutes, or a fifth of its lifetime where that is less.
    package var refreshMargin: Double {
        guard refreshToken != nil else { return 0 }
        return min(300, lifetime / 5)
    }

    /// Seconds that the access token lives in all, as its server had it.
    package var lifetime: Double { max(0, accessExpiresAt.timeIntervalSince(obtainedAt)) }

    /// Whether the access tokens differ: another process has rotated them since `other` was read.
    package func hasOtherTokens(than other: Session) -> Bool {
        accessToken.fingerprint != other.accessToken.fingerprint
    }
}

/// What can be done with a session.
package enum SessionState: String, Sendable, Hashable {
    case ok
    /// The server said `invalid_grant`, or the time is over.
    case expired
    /// The server may have rotated the token while the answer was lost; no automatic attempt is made again.
    case uncertain
    /// New tokens that did not pass verification: kept, never used.
    case quarantined
}

extension TokenResponse {
    /// When the access token ends, counted from before the request (protocol:R43); an hour where the server
    /// does not say.
    fileprivate func expiry(askedAt: Date) -> Date {
        askedAt.addingTimeInterval(Double(min(max(expiresIn ?? 3600, 0), 366 * 86400)))
    }
}
