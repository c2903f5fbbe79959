package import Cryptography
package import Networking

/// Why a request that proves possession of a key did not bring what it should: facts, no advice, no secrets.
package struct OAuthError: Error, Sendable, Hashable {
    /// What was asked for.
    package enum Endpoint: Sendable, Hashable {
        case pushedAuthorizationRequest
        /// The token endpoint with a code.
        case token
        /// The token endpoint with a refresh token.
        case refresh
        case revocation
        case resource
    }

    /// What was wrong.
    package enum Code: Sendable, Hashable {
        case transport(TransportError)
        /// A status other than success.
        case response(OAuthErrorResponse)
        /// Success, but not in a form that means anything.
        case malformedResponse(status: Int)
        /// A nonce was asked for again right after it was given, or none came with the demand.
        case nonceRefused
        /// The server has no such endpoint.
        case unsupported
        case cryptography(CryptographyError)
        /// The session is a confidential client's, whose key of this `kid` is not here.
        case noClientKey(String)
    }

    package let code: Code
    package let endpoint: Endpoint
    /// How many seconds the server's clock is ahead of ours, where it refused a proof and its clock may be
    /// why.
    package let skew: Int64?

    package init(_ code: Code, endpoint: Endpoint, skew: Int64? = nil) {
        self.code = code
        self.endpoint = endpoint
        self.skew = skew
    }
}

extension OAuthError {
    /// Whether a pushed authorization request may have failed over its `redirect_uri`, so that another form
    /// of it is worth a try (protocol:13.3).
    package var refusesRedirectURI: Bool {
        guard endpoint == .pushedAuthorizationRequest, case .response(let response) = code,
            response.status == 400
        else { return false }
        switch response.error {
        case "invalid_request", "invalid_redirect_uri", "invalid_client_metadata", "invalid_client":
            return true
        case "invalid_scope", "invalid_grant", "invalid_dpop_proof", "use_dpop_nonce": return false
        default: return response.description?.lowercased().contains("redirect") == true
        }
    }

    /// What a refresh that failed says about the refresh token.
    package enum RefreshVerdict: Sendable, Hashable {
        /// The server can't have seen the token.
        case nothingSent
        /// The server knows the token, and it is no longer good (protocol:4a).
        case invalidGrant
        /// The server said no for another reason; the token is most likely still good.
        case refused
        /// The server said no in a sentence of its own, as those do that never say `invalid_grant` (case 505 of
        /// cocoon): the token may be good or not.
        case unexplained
        /// The server did not look at the token: too many requests, or a proof it would not take
        /// (protocol:R65).
        case notNow
        /// The token may have been used or not (protocol:R66).
        case unanswered
    }

    package var refreshVerdict: RefreshVerdict {
        switch code {
        case .transport(let error): error.requestWasSent ? .unanswered : .nothingSent
        case .cryptography, .unsupported, .noClientKey: .nothingSent
        case .nonceRefused: .notNow
        case .malformedResponse: .unanswered
        case .response(let response):
            switch (response.status, response.error) {
            case (400, "invalid_grant"), (401, "invalid_grant"): .invalidGrant
            // A time-out is the absence of an answer, whoever writes it down.
            case (408, _): .unanswered
            case (429, _), (_, "invalid_dpop_proof"), (_, "use_dpop_nonce"): .notNow
            case (400, nil) where response.description != nil: .unexplained
            case (400..<500, _): .refused
            default: .unanswered
            }
        }
    }
}
