internal import ATProtoIdentity
internal import ATProtoSessions
internal import ATProtoXRPC
internal import OAuthDPoP

/// The server that keeps a session. Each kind of session has its own requests.
protocol SessionServer: Sendable {
    /// Requests new tokens once. The caller stores the answer before it uses the tokens.
    func rotate(_ session: Session, _ token: RefreshToken) async -> Result<RotationAnswer, RotationFailure>

    /// Ends the session.
    func end(_ session: Session) async throws
}

/// New tokens, and the result of their verification.
struct RotationAnswer: Sendable {
    let session: Session
    /// nil if the tokens passed verification. Otherwise they are stored but never used.
    let problem: VerificationFailure?

    /// The session to store: never used if the tokens did not pass verification.
    var stored: Session {
        guard problem != nil else { return session }
        var session = session
        session.state = .quarantined
        session.lastError = "quarantined"
        return session
    }
}

/// A failed request for new tokens, and what it means for the old token.
struct RotationFailure: Error, Sendable {
    let verdict: OAuthError.RefreshVerdict
    let error: any KnownError
}

extension KnownError {
    /// The words of the server that refused a refresh, for people.
    var serverWords: String? {
        switch self as any Error {
        case CoreError.oauth(let error, _):
            if case .response(let response) = error.code { response.description } else { nil }
        case CoreError.xrpc(let error, _): error.message
        default: nil
        }
    }
}
