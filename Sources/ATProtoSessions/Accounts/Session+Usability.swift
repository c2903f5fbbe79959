internal import OAuthDPoP

extension Session {
    /// Whether the session may still be refreshed.
    ///
    /// - Parameter isForced: whether to try even if the server's last answers were unclear.
    package func checkUsable(_ account: Account, isForced: Bool) throws {
        if let ending, !(isForced && state == .uncertain) {
            throw SessionFailure.sessionEnded(AccountLogin(account, self), ending)
        }
        guard refreshToken != nil else {
            throw SessionFailure.sessionEnded(AccountLogin(account, self), .notRefreshable)
        }
    }
}

extension Session {
    /// Why the session can't be used; nil while its state is ok.
    package var ending: SessionEnding? {
        switch state {
        case .ok: nil
        case .expired:
            lastError == SessionEnding.lostRotationName ? .lostRotation(after: nil) : .expired(said: nil)
        case .quarantined: .quarantined
        case .uncertain: lastError == SessionEnding.unreadableName ? .unreadable : .uncertain
        }
    }
}

extension Session {
    private static let noToken = AccessToken("ended")

    /// The session of an account that could not be removed, though its session has ended or moved away. Nothing that is sent with
    /// it can do harm.
    package var withoutTokens: Session {
        Session(
            credential: credential, createdAt: createdAt, accessToken: Self.noToken, refreshToken: nil,
            accessExpiresAt: obtainedAt, obtainedAt: obtainedAt, scope: scope,
            requestedScope: requestedScope, state: .expired)
    }

    /// Whether the session has a token that its server can end.
    package var hasTokens: Bool { refreshToken != nil || accessToken != Self.noToken }
}

extension SessionEnding {
    /// The value of ``Session/lastError`` after a lost rotation.
    package static let lostRotationName = "lost_rotation"
    /// The value of ``Session/lastError`` in an uncertain session if an earlier attempt got no answer.
    package static let unansweredName = "refresh_unanswered"
    /// The value of ``Session/lastError`` in an uncertain session if the last answer could not be read.
    package static let unreadableName = "answer_unreadable"
}

/// Why a session that comes from elsewhere can't be taken.
package enum SessionKeyProblem: Sendable {
    /// The two halves of the key don't belong together.
    case invalid
    /// The access token is bound to another key (RFC 9449 §6).
    case otherThanBound
}

extension Session {
    /// What is wrong with the key; nil for a session without one.
    package var keyProblem: SessionKeyProblem? {
        guard let key = credential.oauth?.key else { return nil }
        if let key = key as? DPoPKey, (try? key.verify()) == nil { return .invalid }
        if let bound = accessToken.confirmedThumbprint, bound != key.thumbprint { return .otherThanBound }
        return nil
    }
}
