internal import ATProtoIdentity
package import ATProtoSessions
internal import ATProtoVault
internal import FoundationEssentials
internal import Logging

extension SessionEnvironment {
    /// The context of flows that use the sessions of the vault.
    package var context: SessionContext {
        SessionContext(
            accounts: CommandAccounts(environment: self), network: network, work: criticalSection,
            keeper: keeper)
    }
}

/// The accounts of the vault. While an account's token is spent, signals wait and the mirror follows.
private struct CommandAccounts: SessionAccounts {
    let environment: SessionEnvironment

    func session(_ id: UUID) throws -> Session { try environment.accounts.session(id) }

    func account(_ id: UUID) throws -> Account {
        try environment.accounts.account(id, on: environment.network.policy)
    }

    func openIntent(of id: UUID, _ session: Session) throws -> RotationIntent? {
        try environment.accounts.openIntent(of: id, session)
    }

    func store(of account: Account) -> any RotationStore {
        VaultSessionStore(
            environment.accounts.vault, for: AccountRotationHost(environment: environment, account: account))
    }

    func server(
        of session: Session, _ account: Account, _ cache: SessionCache
    ) async throws -> (any SessionServer, Identity?) {
        let network = environment.network
        switch session.credential {
        case .oauth(let credential):
            let assertions = try environment.assertions(of: credential, cache)
            let (server, identity) = try await IssuerVerifier(network)
                .server(
                    of: account, credential, assertions, cache: cache, sealedBy: environment.accounts.vault)
            let sessionServer = OAuthSessionServer(
                clock: network.wallClock, account: account, credential: credential, server: server)
            return (sessionServer, identity)
        case .password(let service):
            return (PasswordSessionServer(network: network, service: service, account: account), nil)
        }
    }

    func follow(
        _ identity: Identity, of account: Account, waiting limit: Duration
    ) async throws {
        do {
            try await environment.follow(identity, of: account, lockTimeout: limit)
        } catch let error as VaultError {
            guard case .busy = error else { throw error }
            throw StoreError(.busy, error)
        }
    }

    /// In a shared vault, a login on another machine may have replaced the session.
    func successor(of session: Session, of id: UUID, waiting limit: Duration) async throws -> Session {
        let accounts = environment.accounts
        guard accounts.vault.isShared else { return session }
        let lock = try await accounts.lock(id, timeout: limit)
        do { try await accounts.catchUp(id, under: lock) } catch {
            guard case .store = error else { throw error }
            environment.network.note("another machine may have logged in since", error)
        }
        return try accounts.session(id)
    }

    /// If a mirror has an earlier session, updates the mirror first. Only that update waits for the lock.
    func settled(_ session: Session, of id: UUID, waiting limit: Duration) async throws -> Session {
        let accounts = environment.accounts
        guard environment.mirror != nil, try accounts.vault.mirrorState(of: id) == .behind else {
            return session
        }
        let account = try accounts.account(id)
        let lock = try await accounts.lock(id, timeout: limit)
        // Read the session again: the earlier holder of the lock may have refreshed it, or found that it ended.
        let stored = try accounts.session(id)
        try stored.checkUsable(account, isForced: false)
        try await environment.catchUpMirror(for: account, under: lock)
        return stored
    }

    func known(_ error: StoreError) -> any Error {
        switch (error.code, error.cause) {
        case (.notBegun, let error as VaultError): CoreError.rotationNotBegun(error)
        case (.notKept, let error as VaultError): CoreError.answerNotKept(error)
        case (.busy, let cause) where !(cause is VaultError): VaultError.busy(holder: nil)
        default: error.cause ?? error
        }
    }
}

/// What a rotation of one account brings with it besides the vault.
private struct AccountRotationHost: RotationHost {
    let environment: SessionEnvironment
    let account: Account

    func lock(_ id: UUID, waiting limit: Duration) async throws -> AccountLock {
        try await environment.accounts.lockForRotation(id, waiting: limit)
    }

    func session(_ id: UUID) throws -> Session { try environment.accounts.session(id) }

    func prepare(_ id: UUID, under lock: borrowing AccountLock) async throws {
        environment.criticalSection.enter()
        do {
            try await environment.mirror?.store(account, .before, from: environment.accounts, under: lock)
            // No token is spent yet. A signal may have been waiting for other rotations of this process.
            guard !environment.criticalSection.isInterrupted else { throw SessionFailure.cancelled }
        } catch {
            environment.criticalSection.leave()
            throw error
        }
    }

    func settle(_ id: UUID, isNew: Bool, under lock: borrowing AccountLock) async throws {
        if isNew {
            try await environment.updateMirror(of: account, under: lock)
        } else {
            try await environment.catchUpMirror(for: account, under: lock)
        }
    }

    func unreadAnswerLost(_ error: VaultError) {
        environment.network.note("the answer could not be kept", error)
    }

    func keptHereOnly(_ error: VaultError) {
        environment.network.note("the new session is on this machine only", error)
    }

    func finish() { environment.criticalSection.leave() }
}

extension SessionEnvironment {
    /// Stores the durable session in the mirror, if a mirror is set.
    ///
    /// When a signal is waiting, the process ends as soon as its critical sections are over. Then a failure is reported
    /// at once, because it could not be reported later.
    func updateMirror(of account: Account, under lock: borrowing AccountLock) async throws {
        guard let mirror else { return }
        do {
            try await mirror.store(account, .after, from: accounts, under: lock)
        } catch let error as any KnownError {
            if criticalSection.isInterrupted { criticalSection.report(error) }
            throw error
        }
    }

    /// Stores the present session in a mirror that has an earlier one: after an update that failed, after a process that
    /// was killed before its update, and after a command that used no mirror.
    func catchUpMirror(for account: Account, under lock: borrowing AccountLock) async throws {
        guard mirror != nil, try accounts.vault.mirrorState(of: account.id) == .behind else { return }
        // The vault notes that the mirror is behind, and the next command updates it.
        guard !criticalSection.isInterrupted else { throw SessionFailure.cancelled }
        criticalSection.enter()
        defer { criticalSection.leave() }
        try await updateMirror(of: account, under: lock)
        network.log.notice(
            "handed over: the store had an earlier session", metadata: ["account": "\(account.name)"])
    }
}
