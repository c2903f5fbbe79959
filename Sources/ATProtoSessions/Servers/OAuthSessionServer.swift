internal import ATProtoIdentity
internal import ATProtoOAuth
package import OAuthDPoP

/// An OAuth session at its authorization server.
package struct OAuthSessionServer: SessionServer {
    private let clock: any WallClock
    private let account: Account
    package let credential: OAuthCredential
    private let server: AuthorizationServer

    package init(
        clock: any WallClock, account: Account, credential: OAuthCredential,
        server: AuthorizationServer
    ) {
        self.clock = clock
        self.account = account
        self.credential = credential
        self.server = server
    }

    package func rotate(
        _ session: Session, _ token: RefreshToken, sentBy: ContinuousClock.Instant?
    ) async -> Result<RotationAnswer, RotationFailure> {
        let askedAt = clock.now
        do {
            let response = try await server.refresh(
                token, client: credential.client, key: credential.key, sentBy: sentBy)
            return .success(
                RotationAnswer(
                    session: session.rotated(by: response, askedAt: askedAt), problem: problem(with: response)
                ))
        } catch let error {
            return .failure(
                RotationFailure(
                    verdict: error.refreshVerdict,
                    error: SessionFailure.oauth(error, AccountLogin(account, session)),
                    serverWords: error.serverWords))
        }
    }

    private func problem(with response: TokenResponse) -> VerificationFailure? {
        do {
            try response.validate(for: .atproto)
        } catch let error {
            return .tokenResponse(error)
        }
        guard response.subject == account.did.description else {
            return .subjectIsAnother(
                expected: account.did.description, received: response.subject ?? "")
        }
        return nil
    }

    /// Revokes the session with a proof of its key. Without a proof, the reference server answers 200 and revokes
    /// nothing. The refresh token identifies the session, even if it was used (protocol:R76).
    package func end(_ session: Session) async throws {
        do {
            if let token = session.refreshToken {
                try await server.revoke(token, client: credential.client, key: credential.key)
            } else {
                try await server.revoke(
                    session.accessToken, client: credential.client, key: credential.key)
            }
        } catch let error {
            throw SessionFailure.oauth(error, AccountLogin(account, session))
        }
    }
}

extension OAuthError {
    /// The words of the server that refused, for people.
    package var serverWords: String? {
        if case .response(let response) = code { response.description } else { nil }
    }
}
