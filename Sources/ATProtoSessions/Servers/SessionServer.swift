internal import ATProtoIdentity
package import OAuthDPoP

/// The server that keeps a session. Each kind of session has its own requests.
package protocol SessionServer: Sendable {
    /// Requests new tokens once. The caller stores the answer before it uses the tokens.
    ///
    /// - Parameter sentBy: when each request must have begun to go out at the latest; nil for no such moment.
    func rotate(
        _ session: Session, _ token: RefreshToken, sentBy: ContinuousClock.Instant?
    ) async -> Result<RotationAnswer, RotationFailure>

    /// Ends the session.
    func end(_ session: Session) async throws
}

/// New tokens, and the result of their verification.
package struct RotationAnswer: Sendable {
    package let session: Session
    /// nil if the tokens passed verification. Otherwise they are stored but never used.
    package let problem: VerificationFailure?

    package init(session: Session, problem: VerificationFailure?) {
        self.session = session
        self.problem = problem
    }

    /// The session to store: never used if the tokens did not pass verification.
    package var stored: Session {
        guard problem != nil else { return session }
        var session = session
        session.state = .quarantined
        session.lastError = "quarantined"
        return session
    }
}

/// A failed request for new tokens, and what it means for the old token.
package struct RotationFailure: Error, Sendable {
    package let verdict: OAuthError.RefreshVerdict
    package let error: any KnownError
    /// The words of the server that refused, for people.
    package let serverWords: String?

    package init(verdict: OAuthError.RefreshVerdict, error: any KnownError, serverWords: String?) {
        self.verdict = verdict
        self.error = error
        self.serverWords = serverWords
    }
}
