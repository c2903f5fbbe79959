internal import ATProto
internal import CredentialVault
package import FoundationEssentials
internal import Networking
internal import OAuth

/// Ends a session at its server and removes the account from the vault.
package struct LogoutFlow: Sendable {
    /// The result of the revocation at the server. A 200 does not prove that the session has ended (protocol:R75), so
    /// no case claims that.
    package enum Revocation: String, Sendable {
        /// The server answered the revocation with success. The request had a proof of the session's key.
        case accepted
        case failed
        case localOnly = "local-only"
    }

    private let environment: SessionEnvironment

    package init(_ environment: SessionEnvironment) {
        self.environment = environment
    }

    /// Logs out of one account. Unless `isStrict`, the account is removed even if the server can't be reached.
    package func logout(
        _ id: UUID, isStrict: Bool, lockTimeout: Duration
    ) async throws -> Revocation {
        let profile = try environment.accounts.profile(id, on: environment.network.policy)
        let lock = try await environment.accounts.lock(id, timeout: lockTimeout)
        var revocation = Revocation.accepted
        do {
            // A session that does not open can't be ended at its server, and must not keep its account.
            let session = try environment.accounts.session(id)
            try await revoke(
                profile, session, SessionCache(account: id, store: environment.network.caches))
        } catch let error as any KnownError {
            if isStrict { throw error }
            environment.network.note("revocation failed", error)
            revocation = .failed
        }
        try await environment.local.remove(profile, under: lock)
        return revocation
    }

    /// Ends the session that a new login has replaced. The new session is saved already, so a failure is only logged.
    func revokeReplaced(_ profile: AccountProfile, _ session: Session) async {
        do {
            try await revoke(profile, session, SessionCache(account: nil, store: environment.network.caches))
        } catch let error {
            environment.network.note("the replaced session was not revoked", error)
        }
    }

    private func revoke(
        _ profile: AccountProfile, _ session: Session, _ cache: SessionCache
    ) async throws {
        switch session.credential {
        case .oauth(let credential):
            let key = try environment.clients.key(of: credential.client)
            let metadata = try await IssuerVerifier(environment.network).metadata(of: credential.issuer)
            let server = AuthorizationServer(
                metadata: metadata, transport: environment.network.transport, nonces: cache, clock: cache,
                clientKey: key)
            try await OAuthSessionServer(
                clock: environment.network.wallClock, profile: profile, credential: credential, server: server
            ).end(session)
        case .password(let service):
            try await PasswordSessionServer(network: environment.network, service: service, profile: profile)
                .end(session)
        }
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
    func remove(_ profile: AccountProfile, under lock: borrowing AccountLock) async throws {
        try accounts.remove(profile, under: lock)
        SessionCache.forget(profile.id, in: caches)
        await identities?.remove(.did(profile.did))
        if let handle = profile.handle { await identities?.remove(.handle(handle)) }
    }
}
