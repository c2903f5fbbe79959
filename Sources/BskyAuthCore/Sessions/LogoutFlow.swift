internal import ATPNetworking
internal import ATProtoIdentity
package import ATProtoSessions
internal import ATProtoVault
package import FoundationEssentials
internal import Logging
internal import OAuthDPoP

/// Ends a session at its server and removes the account from the vault.
package struct LogoutFlow: Sendable {
    /// What a logout did with the session at its server.
    package enum Revocation: Sendable, Equatable {
        case answered(SessionEnd.Answer)
        /// The server did not confirm the revocation.
        case failed
        /// The server was not asked.
        case localOnly
        /// The server was not asked, because there was nothing to ask it with: an earlier logout or export took the tokens, and could
        /// not remove the account.
        case withoutTokens

        package static let accepted = Self.answered(.accepted)
    }

    private let environment: SessionEnvironment

    package init(_ environment: SessionEnvironment) {
        self.environment = environment
    }

    /// Logs out of one account. Unless `isStrict`, the account is removed even if the server can't be reached.
    ///
    /// - Throws: ``SessionFailure/logoutRefused(_:at:said:)`` in any case, and the error of a client key that can't be read or
    ///   of a backend that gives no assertion, because the session of a confidential client could live for years. The account
    ///   stays.
    package func logout(
        _ id: UUID, isStrict: Bool, lockTimeout: Duration
    ) async throws -> Revocation {
        let account = try environment.accounts.account(id, on: environment.network.policy)
        let lock = try await environment.accounts.lock(id, timeout: lockTimeout)
        guard try await environment.accounts.beginRemoval(of: id, under: lock, waiting: lockTimeout) else {
            throw VaultError.noSuchAccount(id)
        }
        do {
            let removal = try environment.accounts.reserveRemoval(of: account, under: lock)
            let revocation = try await revoke(account, isStrict: isStrict, under: lock)
            environment.criticalSection.enter()
            defer { environment.criticalSection.leave() }
            try await environment.local.remove(account, removal, after: .logout(revocation), under: lock)
            return revocation
        } catch {
            await environment.accounts.giveUpRemoval(of: id, under: lock)
            throw error
        }
    }

    /// Ends the session at its server.
    private func revoke(
        _ account: Account, isStrict: Bool, under lock: borrowing AccountLock
    ) async throws -> Revocation {
        let id = account.id
        if environment.accounts.hasLostTokens(id) { return .withoutTokens }
        // A session that does not open can't be ended at its server, and must not keep its account. A key that can't be read
        // does.
        let opened = Result { try environment.accounts.session(id) }
        let cache = SessionCache(account: id, store: environment.network.caches)
        let assertions: (any ClientAssertionSource)? =
            if case .success(let session) = opened { try self.assertions(of: session, cache) } else { nil }
        do {
            return try await revoke(account, try opened.get(), assertions, cache) {
                try await environment.accounts.replaceTokens(by: $0, of: id, under: lock)
            }
        } catch let error as any KnownError {
            if case SessionFailure.logoutRefused = error { throw error }
            if case SessionFailure.oauth(let cause, _) = error, cause.endpoint == .clientAssertion {
                throw error
            }
            if isStrict { throw error }
            environment.network.note("revocation failed", error)
            return .failed
        }
    }

    /// Ends the session that a new login has replaced. The new session is saved already, so a failure is only logged.
    func revokeReplaced(_ account: Account, _ session: Session) async {
        guard session.hasTokens else { return }
        do {
            let cache = SessionCache(account: nil, store: environment.network.caches)
            _ = try await revoke(account, session, try assertions(of: session, cache), cache) { _ in }
        } catch let error {
            environment.network.note("the replaced session was not revoked", error)
        }
    }

    private func assertions(
        of session: Session, _ cache: SessionCache
    ) throws -> (any ClientAssertionSource)? {
        try session.credential.oauth.flatMap { try environment.assertions(of: $0, cache) }
    }

    /// - Parameter keep: stores the session's new tokens, if the server gave some instead of ending it.
    private func revoke(
        _ account: Account, _ session: Session, _ assertions: (any ClientAssertionSource)?,
        _ cache: SessionCache,
        keeping keep: (Session) async throws -> Void
    ) async throws -> Revocation {
        switch session.credential {
        case .oauth(let credential):
            return .answered(
                try await SessionEnd(environment.network, of: account).end(
                    session, credential, assertions, cache, keeping: keep))
        case .password(let service):
            try await PasswordSessionServer(network: environment.network, service: service, account: account)
                .end(session)
            return .accepted
        }
    }
}

extension LocalEnvironment {
    /// Removes an account from this machine. Its session at the server stays, and other machines of a shared vault keep the account.
    ///
    /// - Returns: whether the account still had its session here.
    package func removeAccount(_ id: UUID, lockTimeout: Duration) async throws -> LogoutFlow.Revocation {
        let account = try accounts.account(id)
        let lock = try await accounts.lock(id, timeout: lockTimeout)
        let revocation: LogoutFlow.Revocation = accounts.hasLostTokens(id) ? .withoutTokens : .localOnly
        try accounts.removeHere(account, under: lock)
        await forget(account)
        return revocation
    }

    /// Removes an account and what the caches hold about it, after a step outside the vault.
    func remove(
        _ account: Account, _ removal: consuming ReservedRemoval, after step: RemovalStep,
        under lock: borrowing AccountLock
    ) async throws {
        try await accounts.remove(account, removal, after: step, under: lock)
        await forget(account)
    }

    /// Removes what the caches hold about an account.
    private func forget(_ account: Account) async {
        SessionCache.forget(account.id, in: caches)
        await identities?.remove(.did(account.did))
        if let handle = account.handle { await identities?.remove(.handle(handle)) }
    }
}
