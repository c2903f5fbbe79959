internal import ATPCryptography
package import ATProtoSessions
package import ATProtoVault
package import FoundationEssentials

/// Saving a login.
extension AccountStore {
    /// The changes that saving a login made.
    struct Saved {
        let profile: Account
        /// The session that the account has now. Another process may have saved this login or a later one.
        let session: Session
        /// The sessions that the login replaced. The caller has to end them at their servers.
        let replaced: [(profile: Account, session: Session)]
    }

    /// Saves a login durably. An account with the same DID, label and network keeps its UUID and gets the new session.
    /// Otherwise the login makes a new account.
    ///
    /// If another process uses the account, the login is first kept in the vault (``KeptLogins``), so that a kill during
    /// the wait loses nothing.
    ///
    /// - Parameters:
    ///   - isKept: whether the login was kept by another process.
    ///   - lock: takes the lock of the account that the login replaces.
    /// - Throws: ``CoreError/loginKept(_:because:)`` if the login is kept and could not be saved.
    func save(
        _ profile: Account, _ session: Session, isKept: Bool = false, at now: Date,
        under lock: (Account) async throws -> AccountLock
    ) async throws -> Saved {
        var isKept = isKept
        var orphans: [(Account, Session)] = []
        do {
            while true {
                guard let holder = try await add(profile, session, ifKept: isKept ? profile.id : nil) else {
                    if isKept { discard(profile.id) }
                    return Saved(profile: profile, session: session, replaced: orphans)
                }
                let saved = try await replace(
                    holder, profile, session, &isKept, &orphans, at: now, under: lock)
                if let saved { return saved }
            }
        } catch let error as any KnownError {
            if !isKept, (error as? VaultError)?.isUnknownWrite == true {
                // The store of a shared vault may have the login, so it must not be revoked.
                try keep(profile, session, at: now)
                isKept = true
            }
            guard isKept else { throw error }
            // Another process may have saved this login. So no error of a kept login lets the caller revoke its tokens.
            throw CoreError.loginKept(profile, because: error)
        }
    }

    /// Saves the logins that other processes kept and could not save, the latest first. The sessions that they replace are
    /// not ended at their servers.
    ///
    /// - Returns: their accounts, and the first error. A login that can't be saved does not hold up the others.
    package func finishKeptLogins(
        at now: Date, under lock: (Account) async throws -> AccountLock
    ) async throws -> (accounts: [Account], failure: (any KnownError)?) {
        var finished: [Account] = []
        var failure: (any KnownError)?
        for kept in try vault.keptLogins() where try vault.isKept(kept.id) {
            do {
                let (profile, session) = try login(kept)
                let saved = try await save(profile, session, isKept: true, at: now, under: lock)
                _ = try activate(afterLogin: saved.profile.id, isWanted: false)
                finished.append(saved.profile)
            } catch let error as any KnownError {
                failure = failure ?? error
            }
        }
        return (finished, failure)
    }

    private func keep(_ profile: Account, _ session: Session, at now: Date) throws {
        try vault.keep(KeptLogin(id: profile.id, profile: profile.record, session: session.record), at: now)
    }

    /// Removes a kept login that is saved. One that stays is recognized as saved later.
    private func discard(_ login: UUID) {
        try? vault.removeKept(login)
    }

    private func login(_ kept: KeptLogin) throws -> (Account, Session) {
        do {
            return (try Account(record: kept.profile), try Session(record: kept.session))
        } catch let error {
            throw CoreError.unreadableRecord(kept.id, error)
        }
    }

    /// Replaces the session of an account with the session of a new login.
    ///
    /// - Parameter orphans: gets the session of an account that another machine logged out of while this one refreshed it.
    /// - Returns: nil if the account got another label while this call waited for its lock, or is gone.
    private func replace(
        _ holder: Account, _ profile: Account, _ session: Session, _ isKept: inout Bool,
        _ orphans: inout [(Account, Session)], at now: Date, under lock: (Account) async throws -> AccountLock
    ) async throws -> Saved? {
        do {
            if let free = try vault.tryLock(holder.id) {
                if let orphan = try await orphan(holder, under: free) {
                    orphans.append((holder, orphan))
                    return nil
                }
                return try await replace(holder.id, profile, session, isKept: isKept, under: free)
            }
            if !isKept {
                try keep(profile, session, at: now)
                isKept = true
            }
            return try await replace(holder.id, profile, session, isKept: true, under: await lock(holder))
        } catch VaultError.noSuchAccount {
            return nil
        }
    }

    /// The session of an account that another machine logged out of while this one refreshed it, and which is removed here now;
    /// nil for any other account.
    private func orphan(_ holder: Account, under lock: borrowing AccountLock) async throws -> Session? {
        guard let shared = vault.sharedAccounts else { return nil }
        do {
            try await shared.catchUp(holder.id, under: lock)
            return nil
        } catch VaultError.noSuchAccount {
            let session = try self.session(holder.id)
            try vault.remove(holder.id, names: holder.names, under: lock)
            return session
        }
    }

    func replace(
        _ id: UUID, _ profile: Account, _ session: Session, isKept: Bool,
        under lock: borrowing AccountLock
    ) async throws -> Saved? {
        try await vault.sharedAccounts?.catchUp(id, under: lock)
        let earlier = try self.profile(id)
        guard earlier.isSameLogin(as: profile) else { return nil }
        if isKept, try !vault.isKept(profile.id) {
            // Another process saved this login, or a later one. The account may have newer tokens by now.
            return Saved(profile: earlier, session: try self.session(id), replaced: [])
        }
        var replaced: [(Account, Session)] = []
        // An unreadable session can't be ended at its server, but it can be replaced.
        do { replaced.append((earlier, try self.session(id))) } catch is any KnownError {}
        if let present = replaced.first?.1, present.isOfSameLogin(as: session) {
            // This login was saved before a kill, and may have newer tokens by now.
            discard(profile.id)
            return Saved(profile: earlier, session: present, replaced: [])
        }
        let renewed = profile.with(id: earlier.id, addedAt: earlier.addedAt)
        // Read what may fail before the session is written. After that, the login must not count as failed.
        let others = try vault.keptLogins()
        // Write the session last. Until then, the account has its complete old session.
        if let shared = vault.sharedAccounts {
            try await shared.replace(id, profile: renewed.record, session: session.record, under: lock)
        } else {
            try await update(renewed, before: earlier, under: lock)
            try vault.replaceSession(session.record, of: id, under: lock)
        }
        // An earlier answer that stays does no harm.
        try? vault.removeAnswer(of: id, under: lock)
        for kept in others {
            guard let (other, abandoned) = try? login(kept), other.isSameLogin(as: profile) else { continue }
            discard(kept.id)
            if other.id != profile.id { replaced.append((other, abandoned)) }
        }
        return Saved(profile: renewed, session: session, replaced: replaced)
    }
}
