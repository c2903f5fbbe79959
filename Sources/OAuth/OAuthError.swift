package import Cryptography
package import Networking

/// Why a request with a proof of possession failed. Holds facts, no advice and no secrets.
package struct OAuthError: Error, Sendable, Hashable {
    /// The kind of request.
    package enum Endpoint: Sendable, Hashable {
        case pushedAuthorizationRequest
        /// The token endpoint with a code.
        case token
        /// The token endpoint with a refresh token.
        case refresh
        case revocation
        case resource
    }

    /// What failed.
    package enum Code: Sendable, Hashable {
        case transport(TransportError)
        /// The server answered with an error status.
        case response(OAuthErrorResponse)
        /// The server reported success, but the body can't be read.
        case malformedResponse(status: Int)
        /// The server asked for a nonce again after the client sent one, or asked without supplying one.
        case nonceRefused
        /// The server has no such endpoint.
        case unsupported
        case cryptography(CryptographyError)
        /// The session belongs to a confidential client whose key with this `kid` is missing.
        case noClientKey(String)
    }

    package let code: Code
    package let endpoint: Endpoint
    /// How many seconds the server's clock is ahead of ours, if it refused a proof and the clock may be the
    /// reason.
    package let skew: Int64?

    package init(_ code: Code, endpoint: Endpoint, skew: Int64? = nil) {
        self.code = code
        self.endpoint = endpoint
        self.skew = skew
    }
}

extension OAuthError {
    /// Whether a pushed authorization request may have failed because of its `redirect_uri`. Then another form of
    /// it is worth a try (protocol:13.3).
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

    /// What a failed refresh means for the refresh token.
    package enum RefreshVerdict: Sendable, Hashable {
        /// The server did not receive the token.
        case nothingSent
        /// The server says that the token no longer works (protocol:AS-errors).
        case invalidGrant
        /// The server refused for another reason. The token most likely still works.
        case refused
        /// The server refused with a sentence instead of a code, as servers do that never send `invalid_grant`
        /// (case 505 of cocoon). The token may work or not.
        case unexplained
        /// The server did not look at the token, because of too many requests or a refused proof (protocol:R65).
        case notNow
        /// It is unknown whether the server used the token (protocol:R66).
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
            // A reported time-out says as little about the token as a missing response.
            case (408, _): .unanswered
            case (429, _), (_, "invalid_dpop_proof"), (_, "use_dpop_nonce"): .notNow
            case (400, nil) where response.description != nil: .unexplained
            case (400..<500, _): .refused
            default: .unanswered
            }
        }
    }
}
