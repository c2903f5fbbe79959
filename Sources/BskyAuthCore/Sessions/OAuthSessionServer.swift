internal import ATProtoIdentity
internal import ATProtoOAuth
internal import ATProtoSessions
internal import OAuthDPoP

/// An OAuth session at its authorization server.
struct OAuthSessionServer: SessionServer {
    let clock: any WallClock
    let profile: AccountProfile
    let credential: OAuthCredential
    let server: AuthorizationServer

    func rotate(_ session: Session, _ token: RefreshToken) async -> Result<RotationAnswer, RotationFailure> {
        let askedAt = clock.now
        do {
            let response = try await server.refresh(
                token, client: credential.client, key: credential.key)
            return .success(
                RotationAnswer(
                    session: session.rotated(by: response, askedAt: askedAt), problem: problem(with: response)
                ))
        } catch let error {
            return .failure(
                RotationFailure(
                    verdict: error.refreshVerdict,
                    error: CoreError.oauth(error, AccountLogin(profile, session))))
        }
    }

    private func problem(with response: TokenResponse) -> VerificationFailure? {
        do {
            try response.validate(for: .atproto)
        } catch let error {
            return .tokenResponse(error)
        }
        guard response.subject == profile.did.description else {
            return .subjectIsAnother(
                expected: profile.did.description, received: response.subject ?? "")
        }
        return nil
    }

    /// Revokes the session with a proof of its key. Without a proof, the reference server answers 200 and revokes
    /// nothing. The refresh token identifies the session, even if it was used (protocol:R76).
    func end(_ session: Session) async throws {
        do {
            if let token = session.refreshToken {
                try await server.revoke(token, client: credential.client, key: credential.key)
            } else {
                try await server.revoke(
                    session.accessToken, client: credential.client, key: credential.key)
            }
        } catch let error {
            throw CoreError.oauth(error, AccountLogin(profile, session))
        }
    }
}
