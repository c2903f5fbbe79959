package import OAuthDPoP

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The secrets of one login: the tokens and the key that they are bound to. The session is sealed separately from the
/// profile. Every rotation rewrites the whole session.
public struct Session: Sendable, CustomStringConvertible, CustomReflectable {
    package let credential: SessionCredential
    /// When the user logged in. A public client's session ends 14 days later, even if it is refreshed.
    package let createdAt: Date
    package let accessToken: AccessToken
    /// nil if the server issued none. Then the session ends with the access token.
    package let refreshToken: RefreshToken?
    /// When the access token ends, counted from before the request that brought it.
    package let accessExpiresAt: Date
    /// When the tokens were requested: at the login or at the last refresh. Servers end a session that is not refreshed for
    /// long, so refresh one that its account seldom uses.
    public let obtainedAt: Date
    /// The granted scope, in the server's words.
    package let scope: Scope
    /// The scope that the login asked for, as it was sent. Servers grant it in other words, and may grant less or, after a refresh,
    /// more. Nil if it is not known: for an app password, after a takeover or a refresh by an earlier version, and beyond 8 KiB.
    public let requestedScope: String?
    package var state: SessionState
    /// The stable name of the last error; nil after a success.
    package var lastError: String?

    package init(
        credential: SessionCredential, createdAt: Date, accessToken: AccessToken, refreshToken: RefreshToken?,
        accessExpiresAt: Date, obtainedAt: Date,
        scope: Scope, requestedScope: String? = nil, state: SessionState = .ok, lastError: String? = nil
    ) {
        self.credential = credential
        self.createdAt = createdAt
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.accessExpiresAt = accessExpiresAt
        self.obtainedAt = obtainedAt
        self.scope = scope
        self.requestedScope = requestedScope.flatMap { $0.utf8.count <= Self.longestScope ? $0 : nil }
        self.state = state
        self.lastError = lastError
    }

    /// The longest requested scope that is kept, in bytes.
    private static let longestScope = 8192

    /// The permissions that the server has granted, separated by spaces. They may differ from those that the login asked for.
    public var grantedScope: String { scope.description }

    /// The issuer of the tokens, such as `https://bsky.social` (RFC 8414 §2). Nil for an app password.
    public var issuer: String? { credential.oauth?.issuer.description }

    /// `<redacted>`.
    public var description: String { "<redacted>" }

    /// Has no children, so that `dump` shows no secret.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// The session from the token response of a login.
    ///
    /// - Parameter requestedScope: the scope of the pushed request.
    package init(
        _ response: TokenResponse, _ credential: OAuthCredential, askedAt: Date, requestedScope: String? = nil
    ) {
        self.init(
            credential: .oauth(credential), createdAt: askedAt, accessToken: response.accessToken,
            refreshToken: response.refreshToken, accessExpiresAt: response.expiry(askedAt: askedAt),
            obtainedAt: askedAt, scope: response.scope ?? Scope(""),
            requestedScope: requestedScope)
    }

    /// Whether the session can never be used again: its server has ended it, or gave tokens that are not acceptable. Only a new
    /// login helps. A server that refuses a refresh and does not say why has not ended the session.
    public var hasEnded: Bool {
        switch state {
        case .expired, .quarantined: true
        case .ok, .uncertain: false
        }
    }

    /// Whether both come from one login, with or without refreshes between them. Each login has its own key.
    package func isOfSameLogin(as other: Session) -> Bool {
        switch (credential, other.credential) {
        case (.oauth(let mine), .oauth(let theirs)): mine.key.thumbprint == theirs.key.thumbprint
        case (.password(let mine), .password(let theirs)):
            // App passwords have no key. A login within the same second is the same, or as good.
            mine == theirs
                && Int64(createdAt.timeIntervalSince1970) == Int64(other.createdAt.timeIntervalSince1970)
        default: false
        }
    }

    /// The session after a rotation. Values that are missing from the response stay unchanged (RFC 6749 §6).
    package func rotated(by response: TokenResponse, askedAt: Date) -> Session {
        Session(
            credential: credential, createdAt: createdAt, accessToken: response.accessToken,
            refreshToken: response.refreshToken ?? refreshToken,
            accessExpiresAt: response.expiry(askedAt: askedAt), obtainedAt: askedAt,
            scope: response.scope ?? scope, requestedScope: requestedScope)
    }

    /// The end of an OAuth session at the reference server, even if it is refreshed: 14 days after the login with a
    /// public client, two years with a confidential one (protocol:Lifetimes). Nil for an app password.
    package var lifeEndsAt: Date? {
        switch credential {
        case .oauth(let credential):
            createdAt.addingTimeInterval((credential.client.isConfidential ? 2 * 365.25 : 14) * 86400)
        case .password: nil
        }
    }

    /// The end of the session if it is not refreshed before: 90 days after the last refresh with a confidential client or
    /// an app password. Nil for a public client, whose session ends before that.
    package var idleEndsAt: Date? {
        guard credential.oauth?.client.isConfidential != false else { return nil }
        return obtainedAt.addingTimeInterval(90 * 86400)
    }

    /// The earlier end.
    package var endsAt: Date {
        [lifeEndsAt, idleEndsAt].compactMap(\.self).min() ?? .distantFuture
    }

    /// Whether the access token is valid for at least `margin` more seconds.
    package func lives(at now: Date, margin: Double = 0) -> Bool {
        accessExpiresAt.timeIntervalSince(now) > margin
    }

    /// The remaining lifetime below which `call` refreshes a token: five minutes or a fifth of the lifetime, whichever
    /// is less.
    package var refreshMargin: Double {
        guard refreshToken != nil else { return 0 }
        return min(300, lifetime / 5)
    }

    /// The whole lifetime of the access token in seconds, by the server's statement.
    package var lifetime: Double { max(0, accessExpiresAt.timeIntervalSince(obtainedAt)) }

    /// The fingerprint of the access token. It tells the tokens of one rotation from those of another.
    public var tokenFingerprint: String { accessToken.fingerprint }

    /// Whether the access tokens differ. If so, another process has rotated them since `other` was read.
    package func hasOtherTokens(than other: Session) -> Bool { tokenFingerprint != other.tokenFingerprint }
}

/// The state of a session, as far as it is known.
package enum SessionState: String, Sendable, Hashable {
    case ok
    /// The server answered `invalid_grant`, or the session has reached its end.
    case expired
    /// The server may have rotated the token while the answer was lost. Automatic refreshes stop.
    case uncertain
    /// The new tokens failed verification. They are stored but never used.
    case quarantined
}

extension TokenResponse {
    /// When the access token ends, counted from before the request (protocol:R43). Without a statement of the server,
    /// the token counts as valid for an hour.
    fileprivate func expiry(askedAt: Date) -> Date {
        askedAt.addingTimeInterval(Double(min(max(expiresIn ?? 3600, 0), 366 * 86400)))
    }
}
