internal import OAuth

/// The server that keeps a session, spoken to as its kind demands.
protocol SessionServer: Sendable {
    /// Asks for new tokens, once. What comes back is stored before anything is made of it.
    func rotate(_ session: Session, _ token: RefreshToken) async -> Result<RotationAnswer, RotationFailure>

    /// Ends the session.
    func end(_ session: Session) async throws
}

/// New tokens, and what is wrong with them.
struct RotationAnswer: Sendable {
    let session: Session
    /// nil where everything verifies; otherwise the tokens are stored and never used.
    let problem: VerificationFailure?
}

/// No new tokens, and what that says about the old one.
struct RotationFailure: Error, Sendable {
    let verdict: OAuthError.RefreshVerdict
    let error: any KnownError
}
