#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

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

    /// Both facts as a sentence.
    public var description: String {
        switch refreshToken {
        case .usable: "\(reason); the refresh token still works"
        case .unknown: "\(reason); the refresh token may be spent"
        case .unusable: "\(reason); the refresh token no longer works"
        }
    }
}

extension RefreshFailure.TokenState {
    /// What a failed refresh says about its refresh token.
    init(after error: OAuthError) {
        self =
            switch error.refreshVerdict {
            // The code decides here. A public client has no assertion that a server could mean by it.
            case _ where error.isInvalidGrant: .unusable
            case .nothingSent, .refused, .clientRefused: .usable
            case .notNow: error.leavesTheToken ? .usable : .unknown
            case .unexplained, .failed, .unanswered: .unknown
            case .invalidGrant, .unknownToken, .unreadable: .unusable
            }
    }
}

extension OAuthError {
    /// Whether the server refused the grant, in whatever words (RFC 6749 §5.2).
    fileprivate var isInvalidGrant: Bool {
        if case .response(let response) = code { response.error == "invalid_grant" } else { false }
    }

    /// Whether the answer is one that a server gives before it uses a token. The page of a proxy or a failure is not.
    fileprivate var leavesTheToken: Bool {
        switch code {
        case .nonceRefused: true
        case .response(let response):
            response.status == 429 || response.error.map(Self.codesBeforeUse.contains) == true
        default: false
        }
    }

    private static let codesBeforeUse: Set = [
        "invalid_dpop_proof", "use_dpop_nonce", "temporarily_unavailable", "slow_down",
    ]
}

extension RefreshFailure: LocalizedError {
    /// The description, for `localizedDescription`.
    public var errorDescription: String? { description }
}
