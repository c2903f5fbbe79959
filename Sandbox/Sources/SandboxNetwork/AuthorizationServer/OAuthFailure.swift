/// An error answer of the authorization server (RFC 6749 §5.2; `protocol` section 4a).
struct OAuthFailure: Error {
    let status: Int
    let code: String
    let description: String
    /// The `WWW-Authenticate` challenge that goes with it.
    let challenge: String?

    init(_ code: String, _ description: String, status: Int = 400, challenge: String? = nil) {
        self.status = status
        self.code = code
        self.description = description
        self.challenge = challenge
    }

    /// At the AS a missing nonce is 400 and every other proof failure 401 (`protocol:R57`).
    init(_ failure: ProofFailure) {
        let isChallenge = failure.code == .nonceNeeded
        self.init(
            failure.code.rawValue,
            failure.message,
            status: isChallenge ? 400 : 401,
            challenge: isChallenge ? nil : failure.challenge
        )
    }

    static func invalidGrant(_ description: String) -> OAuthFailure {
        OAuthFailure("invalid_grant", description)
    }

    var answer: Answer {
        var headers: HeaderList = [:]
        headers["www-authenticate"] = challenge
        return .json(
            ["error": .string(code), "error_description": .string(description)],
            status: status,
            headers: headers
        )
    }
}
