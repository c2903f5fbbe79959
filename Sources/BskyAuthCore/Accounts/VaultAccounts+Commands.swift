internal import ATPCryptography
package import ATPNetworking
internal import ATProtoIdentity
package import ATProtoSessions
package import ATProtoVault
package import FoundationEssentials
package import Logging
internal import OAuthDPoP

/// What the commands add to the accounts of a vault: they look for the accounts of other machines first, keep labels apart from the
/// names of other accounts, and say what they wait for.
extension VaultAccounts {
    package init(_ vault: CredentialVault, log: Logger) {
        self.init(vault) { notice in
            switch notice {
            case .waiting(let name, let limit):
                log.notice(
                    "another process uses the session of \(name); waiting up to \(limit.components.seconds) s for it"
                )
            case .leftover(let account, let error):
                log.notice(
                    "\(account.name) is removed, but some of its files are left in the vault until: bskyauth vault restore",
                    metadata: ["error": .stringConvertible(LoggedError(error: error))])
            }
        }
    }

    // MARK: Adding

    /// Adds a new account as ``add(_:_:imported:checking:)`` does. A new label must not be another account's name; an imported
    /// account keeps its label, and later commands say if it matches two accounts.
    package func addNew(
        _ account: Account, _ session: Session, imported: UInt64? = nil,
        checking check: () throws(VaultError) -> Void = {}
    ) async throws -> Account? {
        try await lookForOthers()
        return try await add(account, session, imported: imported) { () throws(VaultError) in
            try check()
            if imported == nil { try requireOwnLabel(account) }
        }
    }

    /// Saves a login durably (``VaultAccounts/save(_:_:at:checking:under:)``).
    ///
    /// - Parameter lock: takes the lock of the account that the login replaces.
    /// - Throws: ``CoreError/loginKept(_:because:)`` if the login is kept and could not be saved.
    func saveLogin(
        _ account: Account, _ session: Session, at now: Date,
        under lock: (Account) async throws(VaultError) -> AccountLock
    ) async throws -> VaultAccounts.Saved {
        // Another machine may have added the account.
        try await lookForOthers()
        let result = try await save(
            account, session, at: now,
            checking: { () throws(VaultError) in try requireOwnLabel(account) }, under: lock)
        switch result {
        case .saved(let saved): return saved
        case .kept(let error): throw CoreError.loginKept(account, because: error)
        }
    }

    /// Saves the logins that other processes kept and could not save, the latest first. The sessions that they replace are
    /// not ended at their servers.
    ///
    /// - Returns: their accounts, and the first error. A login that can't be saved does not hold up the others.
    package func finishKeptLogins(
        at now: Date, under lock: (Account) async throws(VaultError) -> AccountLock
    ) async throws -> (accounts: [Account], failure: (any KnownError)?) {
        try await lookForOthers()
        let finished = try await finishKept(at: now, checking: requireOwnLabel, under: lock)
        var failure: (any KnownError)?
        if let (login, error) = finished.failure {
            failure = login.map { CoreError.loginKept($0, because: error) } ?? error
        }
        for account in finished.accounts {
            do { _ = try activate(afterLogin: account.id, isWanted: false) } catch let error as any KnownError
            {
                failure = failure ?? error
            }
        }
        return (finished.accounts, failure)
    }

    /// Refuses such a label before a login. A login that replaces a session keeps the label of its account.
    func requireOwnLabel(beforeLogin account: Account) throws {
        guard account.label != nil, try self.account(sameLoginAs: account) == nil else { return }
        try requireOwnLabel(account)
    }

    // MARK: Changing and removing

    /// Gives an account another label.
    package func rename(
        _ account: Account, to label: String?, lockTimeout: Duration
    ) async throws -> Account {
        let lock = try await lock(account.id, timeout: lockTimeout)
        return try await rename(account.id, to: label, under: lock, checking: requireOwnLabel)
    }

    /// Removes an account after a step outside the vault that can't be undone.
    ///
    /// - Throws: ``CoreError/notRemoved(_:after:isEnded:because:)``, or ``VaultError/overtaken`` if another machine has logged
    ///   in to the account since.
    func remove(
        _ account: Account, _ removal: consuming ReservedRemoval, after step: RemovalStep,
        under lock: borrowing AccountLock
    ) async throws {
        do { try await removeElsewhere(account.id, under: lock) } catch let error {
            if case .overtaken = error { throw error }
            // It must not count as a session that works until the store answers again. If the server did not confirm the end, the next
            // logout asks it once more.
            if step.hasEndedSession { removal.endSession(under: lock) }
            throw CoreError.notRemoved(account, after: step, isEnded: false, because: error)
        }
        try removeHere(account, removal, after: step, under: lock)
    }

    /// Removes an account's files.
    func removeHere(
        _ account: Account, _ removal: consuming ReservedRemoval, after step: RemovalStep,
        under lock: borrowing AccountLock
    ) throws {
        do { try finish(removal, of: account, under: lock) } catch let error {
            throw CoreError.notRemoved(account, after: step, isEnded: error.isEnded, because: error.cause)
        }
    }

    /// Removes an account from this machine only. A shared vault brings it back when this machine looks into the store.
    ///
    /// - Throws: ``SharingRefusal/unfinished(_:)`` if this machine has a session that the store does not have.
    func removeHere(_ account: Account, under lock: borrowing AccountLock) throws {
        try requireFinished(account.id)
        try removeHere(
            account, reserveRemoval(of: account, under: lock), after: .none, under: lock)
    }

    /// Whether an earlier logout or export took the tokens of a session, and could not remove its account. A session that can't be read
    /// may have tokens.
    func hasLostTokens(_ id: UUID) -> Bool {
        do { return try !session(id).hasTokens } catch { return false }
    }

    /// Takes the lock of an account for a rotation. With no time to wait, any failure is one of a rotation that did not
    /// begin, so that the caller may use the token it has.
    func lockForRotation(_ id: UUID, waiting limit: Duration) async throws -> AccountLock {
        guard limit == .zero else { return try await lock(id, timeout: limit) }
        guard let lock = try tryLock(id) else { throw VaultError.busy(holder: nil) }
        return lock
    }

    /// The account's lock; nil if another process holds it.
    func tryLock(_ id: UUID) throws -> AccountLock? {
        do {
            return try vault.tryLock(id)
        } catch let error {
            throw CoreError.rotationNotBegun(error)
        }
    }

    /// An account's stored records, for a bundle. The session of a confidential client carries the client with its key.
    func portable(_ id: UUID, under lock: borrowing AccountLock) throws -> PortableAccount {
        let portable = try vault.portable(id, under: lock)
        guard let used = try session(id).credential.oauth?.client,
            let (client, key) = try ClientStore(vault).owner(of: used)
        else { return portable }
        return PortableAccount(
            id: id, profile: portable.profile,
            session: try CarriedClient.record(portable.session, carrying: client.carried(with: key)),
            generation: portable.generation)
    }

    // MARK: Networks and clients

    /// The account with a UUID, if it belongs to this network.
    func account(_ id: UUID, on policy: NetworkPolicy) throws -> Account {
        let account = try account(id)
        try account.checkNetwork(policy)
        return account
    }

    /// The other accounts whose sessions are bound to the same client key. None for a public client, or if a backend has
    /// the key.
    func others(withKeyOf session: Session, than id: UUID) async throws -> [Account] {
        guard let client = session.credential.oauth?.client, client.isConfidential, client.backend == nil
        else { return [] }
        return try await map { entry -> Account? in
            guard case .account(let account, let other) = entry, account.id != id,
                other.credential.oauth?.client == client
            else { return nil }
            return account
        }.compactMap(\.self)
    }
}

extension Account {
    /// Refuses an account of another network: the real network or a dev network.
    package func checkNetwork(_ policy: NetworkPolicy) throws {
        guard devNetwork == policy.devNetwork else {
            throw CoreError.wrongNetwork(self, devNetwork: policy.devNetwork)
        }
    }
}
