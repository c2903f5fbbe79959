package import ATPCryptography
package import ATPNetworking

extension OAuthFailure {
    package init(_ error: TransportError) {
        self.init(.network, "\(error)", requestWasSent: error.requestWasSent, network: error)
    }

    init(_ error: InvalidIssuer) {
        let why =
            switch error.reason {
            case .url(let reason): "it \(reason)"
            case .query: "it has a query"
            case .path: "it has a path"
            case .notCanonical: "it is not in its canonical form"
            case .refused(let refusal): "\(refusal)"
            }
        self.init(.invalidIssuer, "\(error.text) is no issuer: \(why)")
    }

    package init(_ error: CryptographyError) {
        let words =
            switch error {
            case .authenticationFailed: "the text was changed, or sealed with another key"
            case .invalidPrivateKey: "the private key is no key of P-256"
            case .invalidPublicKey: "the public key is no point of P-256"
            case .keyMismatch: "the public key does not belong to the private key"
            case .invalidParameter(let operation): "\(operation) does not take these parameters"
            case .operationFailed(let operation): "\(operation) failed"
            case .unreadableConfiguration: "OpenSSL's configuration file can't be read"
            case .noRandomBytes: "the system has no random bytes"
            }
        self.init(.cryptography, words)
    }

    package init(_ error: DiscoveryError) {
        if case .transport(let cause) = error.code {
            self.init(cause)
            return
        }
        var status: Int?
        if case .status(let answered) = error.code { status = answered }
        self.init(
            .metadata, "the metadata at \(error.url) can't be used: \(Self.words(error.code))",
            status: status,
            requestWasSent: true)
    }

    private static func words(_ code: DiscoveryError.Code) -> String {
        switch code {
        case .transport(let error): "\(error)"
        case .status(let status): "the status is \(status)"
        case .redirect: "the server redirects"
        case .mediaType: "it is not application/json"
        case .malformed: "it is no JSON object"
        case .missing(let field): "\(field) is missing"
        case .unacceptable(let field): "\(field) is not acceptable"
        case .issuerMismatch(_, let found): "it is of \(found)"
        case .resourceMismatch(_, let found): "it is of \(found)"
        case .resourceNotProtected(let resource): "it does not list \(resource)"
        case .invalidIssuer(let error): OAuthFailure(error).description
        }
    }

    package init(_ error: AuthorizationResponseError) {
        switch error {
        case .malformed: self.init(.foreignRedirect, "the redirect can't be read")
        case .stateMissing: self.init(.foreignRedirect, "the redirect has no state")
        case .stateMismatch:
            self.init(.foreignRedirect, "the redirect has the state of another authorization")
        case .issuerMissing:
            self.init(.invalidRedirect, "the redirect lacks the issuer that the server announces")
        case .issuerMismatch(let found): self.init(.invalidRedirect, "the redirect comes from \(found)")
        case .codeMissing: self.init(.invalidRedirect, "the redirect has no code")
        case .refused(let error, let description):
            self.init(
                .denied, "the authorization was denied: \(Self.words(error, description))", error: error,
                errorDescription: description)
        }
    }

    package init(_ problem: TokenResponseProblem) {
        let words =
            switch problem {
            case .tokenType(let type): "their type is \(type.isEmpty ? "missing" : type), not DPoP"
            case .missingSubject: "they name no account"
            case .missingScope: "they have no scope"
            case .scopeWithout(let value): "their scope lacks \(value)"
            case .idToken: "they have an OpenID Connect token"
            }
        self.init(.unacceptableTokens, "the tokens are not acceptable: \(words)", requestWasSent: true)
    }

    package init(_ error: OAuthError) {
        switch error.code {
        case .transport(let cause): self.init(cause)
        case .response(let response):
            self.init(
                .refused, Self.words(of: response),
                status: response.status, error: response.error, errorDescription: response.description,
                retryAfter: response.retryAfter, requestWasSent: true)
        case .malformedResponse(let status):
            self.init(
                .unreadableAnswer, "the server's answer can't be read", status: status, requestWasSent: true)
        case .unreadableTokens(let answer):
            self.init(
                .unreadableAnswer, "the server's answer has no access token", status: answer.status,
                requestWasSent: true)
        case .nonceRefused:
            self.init(.refused, "the server asks for a nonce again and again", requestWasSent: true)
        case .unsupported: self.init(.unsupported, "the server can't revoke tokens")
        case .cryptography(let cause): self.init(cause)
        case .wrongAssertion(let part):
            self.init(.cryptography, "the client assertion is for something else: \(part)")
        case .noClientKey(let keyID): self.init(.cryptography, "the client key \(keyID) is missing")
        }
    }

    private static func words(of response: OAuthErrorResponse) -> String {
        guard response.error == nil, response.description == nil else {
            return "the server refused: \(words(response.error, response.description))"
        }
        // A proxy before the server may have answered.
        return "the server answered with status \(response.status) and no reason"
    }

    private static func words(_ error: String?, _ description: String?) -> String {
        let parts = [error, description].compactMap(\.self)
        return parts.isEmpty ? "it gives no reason" : parts.joined(separator: ": ")
    }
}
