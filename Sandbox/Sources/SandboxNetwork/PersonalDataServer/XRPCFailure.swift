/// An error answer of the PDS (`protocol:X6`, section 4c).
struct XRPCFailure: Error {
    let status: Int
    let name: String
    let message: String
    let challenge: String?

    init(_ status: Int, _ name: String, _ message: String, challenge: String? = nil) {
        self.status = status
        self.name = name
        self.message = message
        self.challenge = challenge
    }

    /// At the PDS every proof or token failure is a 401 with a challenge (`protocol:R57`).
    init(_ failure: ProofFailure) {
        self.init(401, failure.code.rawValue, failure.message, challenge: failure.challenge)
    }

    static func invalidRequest(_ message: String) -> XRPCFailure {
        XRPCFailure(400, "InvalidRequest", message)
    }

    static func missingScope(_ scope: String) -> XRPCFailure {
        XRPCFailure(403, "ScopeMissingError", "Missing required scope \"\(scope)\"")
    }

    var answer: Answer {
        var headers: HeaderList = [:]
        headers["www-authenticate"] = challenge
        return .json(["error": .string(name), "message": .string(message)], status: status, headers: headers)
    }
}
