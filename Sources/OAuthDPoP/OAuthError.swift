package import ATPCryptography
internal import ATPJSON
package import ATPNetworking

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
        /// The server that makes assertions for the client. The authorization server did not get the request.
        case clientAssertion
    }

    /// Why the request got no usable answer, with the facts of the failure.
    package enum Code: Sendable, Hashable {
        case transport(TransportError)
        /// The server answered with an error status.
        case response(OAuthErrorResponse)
        /// The server reported success, but the body can't be read.
        case malformedResponse(status: Int)
        /// The server reported success with JSON, but it can't be read as tokens.
        case unreadableTokens(UnreadableTokens)
        /// The server asked for a nonce again after the client sent one, or asked without supplying one.
        case nonceRefused
        /// The server has no such endpoint.
        case unsupported
        case cryptography(CryptographyError)
        /// The session belongs to a confidential client whose key with this `kid` is missing.
        case noClientKey(String)
        /// The assertion of a backend is not what was asked for. The text names the part that differs.
        case wrongAssertion(String)
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

    /// Whether the server refused the client, its metadata document or its assertion.
    package var isAboutClient: Bool {
        guard endpoint != .clientAssertion, case .response(let response) = code else { return false }
        return response.isAboutClient
    }

    /// What a failed refresh means for the refresh token.
    package enum RefreshVerdict: Sendable, Hashable {
        /// The server did not receive the token.
        case nothingSent
        /// The server says that the token no longer works (protocol:AS-errors).
        case invalidGrant
        /// The server refused with another OAuth error. The token most likely still works.
        case refused
        /// The server refused with JSON that has a sentence instead of a code. The token may work or not.
        case unexplained
        /// The server refused with cocoon's sentence for a token that it does not know (case 519 of cocoon).
        case unknownToken
        /// The server refused the client, its metadata document or its assertion, and did not look at the token.
        case clientRefused(InconclusiveAnswer)
        /// The answer says nothing about the token, and the server did not use it: too many requests, a refused proof
        /// (protocol:R65), or the page of a proxy.
        case notNow(InconclusiveAnswer)
        /// The server failed, or a proxy in front of it did. The server may have used the token (protocol:R65). No other
        /// answer will come.
        case failed(InconclusiveAnswer)
        /// The server used the token. Its answer can't be read, but may hold the new tokens.
        case unreadable(UnreadableTokens)
        /// No answer came, so it is unknown whether the server used the token (protocol:R66).
        case unanswered
    }

    /// An answer that does not say what became of the token.
    package struct InconclusiveAnswer: Sendable, Hashable {
        /// The HTTP status.
        package let status: Int
        /// Seconds to wait before a retry; nil if the server gives none.
        package let retryAfter: Int64?

        package init(status: Int, retryAfter: Int64? = nil) {
            self.status = status
            self.retryAfter = retryAfter
        }
    }

    /// Codes of RFC 6749 and its relatives that say nothing about the token.
    private static let codesAboutOthers: Set = [
        "invalid_dpop_proof", "use_dpop_nonce", "temporarily_unavailable", "server_error", "slow_down",
    ]

    /// cocoon finds no token and then compares the client of nothing with the client of the request.
    private static let unknownToken = #""client_id" mismatch"#

    package var refreshVerdict: RefreshVerdict {
        // An attempt before this one was answered with a challenge, and servers check the proof before the token.
        if endpoint == .clientAssertion { return .nothingSent }
        return switch code {
        case .transport(let error): error.requestWasSent ? .unanswered : .nothingSent
        case .cryptography, .unsupported, .noClientKey, .wrongAssertion: .nothingSent
        case .nonceRefused: .notNow(InconclusiveAnswer(status: 401))
        case .malformedResponse(let status): .failed(InconclusiveAnswer(status: status))
        case .unreadableTokens(let tokens): .unreadable(tokens)
        case .response(let response):
            switch (response.status, response.error) {
            case (400..<500, _) where response.isAboutClient: .clientRefused(response.inconclusive)
            case (400, "invalid_grant"), (401, "invalid_grant"): .invalidGrant
            // A reported time-out says as little about the token as a failure.
            case (408, _): .failed(response.inconclusive)
            case (400...401, let code?) where !Self.codesAboutOthers.contains(code): .refused
            case (400, nil) where response.isSentence:
                response.description == Self.unknownToken ? .unknownToken : .unexplained
            case (400..<500, _): .notNow(response.inconclusive)
            default: .failed(response.inconclusive)
            }
        }
    }
}

/// The body of a response that should hold tokens.
package struct UnreadableTokens: Sendable, Hashable {
    package let status: Int
    /// The body as the server sent it. It may hold tokens.
    package let body: SecretBytes

    package init(status: Int, _ body: [UInt8]) {
        self.status = status
        self.body = SecretBytes(body)
    }

    /// The refresh token of an answer that is otherwise unusable.
    var refreshToken: RefreshToken? {
        (try? JSONParser.parse(body.bytes))?["refresh_token"]?.string
            .flatMap { $0.isEmpty ? nil : RefreshToken($0) }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(status)
        hasher.combine(body.count)
    }
}

extension OAuthErrorResponse {
    /// Whether the response is about the client, its metadata document or its assertion. Servers look at these before
    /// they look at a code or a token (docs/design/protocol.md, "Answers about the client").
    package var isAboutClient: Bool {
        let words = description?.lowercased() ?? ""
        return switch error {
        case "invalid_client", "invalid_client_metadata", "invalid_redirect_uri", "unauthorized_client": true
        case "invalid_request": words.contains("client_assertion") || words.contains("client assertion")
        // The reference server answers so to a repeated assertion, to malformed credentials, and to a document that does not
        // allow refreshes.
        case "invalid_grant": ["jti", "credentials", "grant type"].contains(where: words.contains)
        // cocoon has sentences.
        case nil where isSentence:
            ["no key with kid", "client assertion", "client metadata", "jwks"].contains(where: words.contains)
        default: false
        }
    }

    fileprivate var inconclusive: OAuthError.InconclusiveAnswer {
        OAuthError.InconclusiveAnswer(status: status, retryAfter: retryAfter)
    }
}
