internal import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoSessions
internal import ATProtoVault
package import FoundationEssentials
internal import Logging
internal import OAuthDPoP

/// Ends a session at its server and removes the account from the vault.
package struct LogoutFlow: Sendable {
    /// The result of the revocation at the server. A 200 does not prove that the session has ended (protocol:R75).
    package enum Revocation: String, Sendable {
        /// The server answered the revocation with success. The request had a proof of the session's key.
        case accepted
        /// The server then refused to refresh the session, because it has ended. Only tried with a confidential client.
        case confirmed
        /// The server then refused to refresh the session, without saying whether it has ended.
        case unclear
        case failed
        case localOnly = "local-only"
    }

    private let environment: SessionEnvironment

    package init(_ environment: SessionEnvironment) {
        self.environment = environment
    }

    /// Logs out of one account. Unless `isStrict`, the account is removed even if the server can't be reached.
    ///
    /// - Throws: ``CoreError/logoutRefused(_:at:said:)`` in any case, and the error of a client key that can't be read,
    ///   because the session of a confidential client could live for years. The account stays.
    package func logout(
        _ id: UUID, isStrict: Bool, lockTimeout: Duration
    ) async throws -> Revocation {
        let profile = try environment.accounts.profile(id, on: environment.network.policy)
        let lock = try await environment.accounts.lock(id, timeout: lockTimeout)
        var revocation: Revocation
        do {
            // A session that does not open can't be ended at its server, and must not keep its account.
            let session = try environment.accounts.session(id)
            let key = try key(of: session)
            revocation = try await revoke(
                profile, session, key, SessionCache(account: id, store: environment.network.caches)
            ) { try environment.accounts.replaceTokens(by: $0, of: id, under: lock) }
        } catch let error as NotLoggedOut {
            throw error.reason
        } catch let error as any KnownError {
            if isStrict { throw error }
            environment.network.note("revocation failed", error)
            revocation = .failed
        }
        try await environment.local.remove(profile, under: lock)
        return revocation
    }

    /// Ends the session that a new login has replaced. The new session is saved already, so a failure is only logged.
    func revokeReplaced(_ profile: Account, _ session: Session) async {
        do {
            let cache = SessionCache(account: nil, store: environment.network.caches)
            _ = try await revoke(profile, session, try key(of: session), cache) { _ in }
        } catch let error {
            environment.network.note("the replaced session was not revoked", error)
        }
    }

    /// A failure that keeps the account even if the logout need not be strict.
    private struct NotLoggedOut: Error {
        let reason: any Error
    }

    private func key(of session: Session) throws -> ClientKey? {
        guard let client = session.credential.oauth?.client else { return nil }
        do { return try environment.clients.key(of: client) } catch let error {
            throw NotLoggedOut(reason: error)
        }
    }

    /// - Parameter keep: stores the session's new tokens, if the server gave some instead of ending it.
    private func revoke(
        _ profile: Account, _ session: Session, _ key: ClientKey?, _ cache: SessionCache,
        keeping keep: (Session) throws -> Void
    ) async throws -> Revocation {
        switch session.credential {
        case .oauth(let credential):
            let metadata = try await IssuerVerifier(environment.network).metadata(of: credential.issuer)
            let server = AuthorizationServer(
                metadata: metadata, transport: environment.network.transport, nonces: cache, clock: cache,
                clientKey: key)
            let sessionServer = OAuthSessionServer(
                clock: environment.network.wallClock, profile: profile, credential: credential, server: server
            )
            guard key != nil else {
                try await sessionServer.end(session)
                return .accepted
            }
            return try await endForSure(session, of: profile, at: sessionServer, keeping: keep)
        case .password(let service):
            try await PasswordSessionServer(network: environment.network, service: service, profile: profile)
                .end(session)
            return .accepted
        }
    }

    /// Ends the session of a confidential client, and makes sure of it. The reference server answers a revocation with
    /// success even if it refused the client, so only a refresh shows what became of the session.
    private func endForSure(
        _ session: Session, of profile: Account, at server: OAuthSessionServer,
        keeping keep: (Session) throws -> Void
    ) async throws -> Revocation {
        try await end(session, of: profile, at: server)
        var session = session
        for _ in 1...2 {
            guard let token = session.refreshToken else { return .accepted }
            switch await server.rotate(session, token) {
            case .success(let answer):
                session = answer.stored
                environment.network.log.notice(
                    "the server did not end the session of \(profile.name); ending it once more")
                let kept = Result { try keep(session) }
                try await end(session, of: profile, at: server)
                try kept.get()
            case .failure(let failure):
                switch failure.verdict {
                case .invalidGrant: return .confirmed
                case .unknownToken, .unexplained, .refused: return .unclear
                case .clientRefused:
                    throw refused(session, of: profile, at: server, failure.serverWords)
                default: throw failure.error
                }
            }
        }
        throw refused(session, of: profile, at: server, nil)
    }

    private func end(_ session: Session, of profile: Account, at server: OAuthSessionServer)
        async throws
    {
        do { try await server.end(session) } catch let error as SessionFailure {
            guard case .oauth(let failure, _) = error, failure.isAboutClient else { throw error }
            throw refused(session, of: profile, at: server, failure.serverWords)
        }
    }

    private func refused(
        _ session: Session, of profile: Account, at server: OAuthSessionServer, _ said: String?
    ) -> NotLoggedOut {
        let login = AccountLogin(profile, session)
        return NotLoggedOut(
            reason: CoreError.logoutRefused(login, at: server.credential.issuer, said: said))
    }
}

extension LocalEnvironment {
    /// Removes an account from this machine. Its session at the server stays.
    package func removeAccount(_ id: UUID, lockTimeout: Duration) async throws {
        let profile = try accounts.profile(id)
        let lock = try await accounts.lock(id, timeout: lockTimeout)
        try await remove(profile, under: lock)
    }

    /// Removes an account and what the caches hold about it.
    func remove(_ profile: Account, under lock: borrowing AccountLock) async throws {
        try accounts.remove(profile, under: lock)
        SessionCache.forget(profile.id, in: caches)
        await identities?.remove(.did(profile.did))
        if let handle = profile.handle { await identities?.remove(.handle(handle)) }
    }
}
