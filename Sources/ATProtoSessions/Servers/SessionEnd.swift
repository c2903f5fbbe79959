internal import Logging
package import OAuthDPoP

/// The end of an OAuth session at its server.
package struct SessionEnd: Sendable {
    /// What a server did with a revocation. A 200 does not prove that the session has ended (protocol:R75).
    package enum Answer: String, Sendable {
        /// It answered with success. The request had a proof of the session's key.
        case accepted
        /// It then refused to refresh the session, because it has ended. Only tried with a confidential client.
        case confirmed
        /// It then refused to refresh the session, without saying whether it has ended.
        case unclear
    }

    private let network: NetworkEnvironment
    private let account: Account

    package init(_ network: NetworkEnvironment, of account: Account) {
        self.network = network
        self.account = account
    }

    /// Ends a session.
    ///
    /// - Parameters:
    ///   - assertions: authenticates the session's client; nil for a public client.
    ///   - keep: stores the session's new tokens, if the server gave some instead of ending it.
    /// - Throws: ``SessionFailure/logoutRefused(_:at:said:)`` if the server refuses the client.
    package func end(
        _ session: Session, _ credential: OAuthCredential, _ assertions: (any ClientAssertionSource)?,
        _ cache: SessionCache, keeping keep: (Session) async throws -> Void
    ) async throws -> Answer {
        let metadata = try await IssuerVerifier(network).metadata(of: credential.issuer)
        let server = OAuthSessionServer(
            clock: network.wallClock, account: account, credential: credential,
            server: AuthorizationServer(
                metadata: metadata, transport: network.transport, nonces: cache, clock: cache,
                assertions: assertions))
        guard assertions != nil else {
            try await server.end(session)
            return .accepted
        }
        return try await endForSure(session, at: server, keeping: keep)
    }

    /// Ends the session of a confidential client, and makes sure of it. The reference server answers a revocation with
    /// success even if it refused the client, so only a refresh shows what became of the session.
    private func endForSure(
        _ session: Session, at server: OAuthSessionServer, keeping keep: (Session) async throws -> Void
    ) async throws -> Answer {
        try await end(session, at: server)
        var session = session
        for _ in 1...2 {
            guard let token = session.refreshToken else { return .accepted }
            switch await server.rotate(session, token, sentBy: nil) {
            case .success(let answer):
                session = answer.stored
                network.log.notice(
                    "the server did not end the session of \(account.name); ending it once more")
                let kept: Result<Void, any Error>
                do { kept = .success(try await keep(session)) } catch { kept = .failure(error) }
                try await end(session, at: server)
                try kept.get()
            case .failure(let failure):
                switch failure.verdict {
                case .invalidGrant: return .confirmed
                case .unknownToken, .unexplained, .refused: return .unclear
                case .clientRefused: throw refused(session, at: server, failure.serverWords)
                default: throw failure.error
                }
            }
        }
        throw refused(session, at: server, nil)
    }

    private func end(_ session: Session, at server: OAuthSessionServer) async throws {
        do { try await server.end(session) } catch let error as SessionFailure {
            guard case .oauth(let failure, _) = error, failure.isAboutClient else { throw error }
            throw refused(session, at: server, failure.serverWords)
        }
    }

    private func refused(
        _ session: Session, at server: OAuthSessionServer, _ said: String?
    ) -> SessionFailure {
        .logoutRefused(AccountLogin(account, session), at: server.credential.issuer, said: said)
    }
}
