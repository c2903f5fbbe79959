/// Why a refresh gave no tokens, and what became of the refresh token. A client that takes every failure for the end of the
/// session logs people out on a bad day of the network.
public struct RefreshFailure: Error, Sendable, CustomStringConvertible {
    /// Whether the refresh token still works. The enumeration is closed: yes, no, and unknown are all answers.
    public enum TokenState: Sendable, Hashable {
        /// The server did not receive the token, or did not use it. Keep it and try again later.
        case usable
        /// The token may be spent: no answer came, or the server failed. Keep it, and try it once more.
        case unknown
        /// The token is spent or refused. Only a new authorization helps.
        case unusable
    }

    /// What became of the refresh token.
    public let refreshToken: TokenState
    /// What went wrong.
    public let reason: OAuthFailure

    init(refreshToken: TokenState, reason: OAuthFailure) {
        self.refreshToken = refreshToken
        self.reason = reason
    }

    init(_ error: OAuthError) {
        let state: TokenState =
            switch error.refreshVerdict {
            // The code decides here. A public client has no assertion that a server could mean by it.
            case _ where error.isInvalidGrant: .unusable
            case .nothingSent, .refused, .clientRefused, .notNow: .usable
            case .unexplained, .failed, .unanswered: .unknown
            case .invalidGrant, .unknownToken, .unreadable: .unusable
            }
        self.init(refreshToken: state, reason: OAuthFailure(error))
    }

    /// Both facts as a sentence.
    public var description: String {
        switch refreshToken {
        case .usable: "\(reason); the refresh token still works"
        case .unknown: "\(reason); the refresh token may be spent"
        case .unusable: "\(reason); the refresh token no longer works"
        }
    }
}

extension OAuthError {
    /// Whether the server refused the grant, in whatever words (RFC 6749 §5.2).
    fileprivate var isInvalidGrant: Bool {
        if case .response(let response) = code { response.error == "invalid_grant" } else { false }
    }
}
