/// An error answer of the authorization server (RFC 6749 §5.2; `protocol` section 4a).
struct OAuthFailure: Error {
    let status: Int
    let code: String
    let description: String
    /// The `WWW-Authenticate` challenge that goes with it.
    let challenge: String?
    /// The kind of failure and its subject, for servers with their own error texts.
    let reason: Reason
    let subject: String

    init(
        _ code: String,
        _ description: String,
        status: Int = 400,
        challenge: String? = nil,
        reason: Reason = .other,
        subject: String = ""
    ) {
        self.reason = reason
        self.subject = subject
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
            challenge: isChallenge ? nil : failure.challenge,
            reason: isChallenge ? .nonceNeeded : failure.code == .invalidToken ? .declaredKey : .badProof,
            subject: failure.message
        )
    }

    static let proofMissing = OAuthFailure(
        "invalid_dpop_proof", "DPoP proof required", status: 401,
        challenge: ProofFailure.invalidProof("DPoP proof required").challenge, reason: .proofMissing)

    static func invalidGrant(_ description: String, _ reason: Reason = .other, about subject: String = "")
        -> OAuthFailure
    {
        OAuthFailure("invalid_grant", description, reason: reason, subject: subject)
    }

    func answer(in profile: ServerProfile) -> Answer {
        if let words = profile.authorizationWords[reason] { return words.answer(about: subject) }
        var headers: HeaderList = [:]
        headers["www-authenticate"] = challenge
        return .json(
            ["error": .string(code), "error_description": .string(description)],
            status: status,
            headers: headers
        )
    }
}
