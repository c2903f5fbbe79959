/// An error answer of the PDS (`protocol:X6`, section 4c).
struct XRPCFailure: Error {
    let status: Int
    let name: String
    let message: String
    let challenge: String?
    /// The kind of failure and its subject, for servers with their own error texts.
    let reason: Reason
    let subject: String

    init(
        _ status: Int,
        _ name: String,
        _ message: String,
        _ reason: Reason = .other,
        about subject: String = "",
        challenge: String? = nil
    ) {
        self.reason = reason
        self.subject = subject
        self.status = status
        self.name = name
        self.message = message
        self.challenge = challenge
    }

    /// At the PDS every proof or token failure is a 401 with a challenge (`protocol:R57`).
    init(_ failure: ProofFailure, _ reason: Reason? = nil) {
        let usual: Reason =
            switch failure.code {
            case .nonceNeeded: .nonceNeeded
            case .invalidProof: .badProof
            case .invalidToken: .badToken
            }
        self.init(
            401, failure.code.rawValue, failure.message, reason ?? usual, about: failure.message,
            challenge: failure.challenge)
    }

    static func invalidRequest(_ message: String, _ reason: Reason = .other) -> XRPCFailure {
        XRPCFailure(400, "InvalidRequest", message, reason)
    }

    /// A failure that the server did not foresee. It does not say more.
    static let internalError = XRPCFailure(500, "InternalServerError", "Internal Server Error")

    static func missingScope(_ scope: String) -> XRPCFailure {
        XRPCFailure(
            403, "ScopeMissingError", "Missing required scope \"\(scope)\"", .scopeMissing, about: scope)
    }

    func answer(in profile: ServerProfile) -> Answer {
        if let words = profile.resourceWords[reason] { return words.answer(about: subject) }
        var headers: HeaderList = [:]
        headers["www-authenticate"] = challenge
        return .json(["error": .string(name), "message": .string(message)], status: status, headers: headers)
    }
}
