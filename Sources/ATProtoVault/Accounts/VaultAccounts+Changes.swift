package import ATProtoSessions
package import FoundationEssentials

/// Changes of accounts, on all machines that have them.
extension VaultAccounts {
    /// Changes an account, its session or both.
    ///
    /// - Parameters:
    ///   - begin: in a shared vault, is called before each write with its condition, and with nil after one that was certainly not made.
    ///   - change: makes the change from the account as it is; nil if nothing is to be written. In a shared vault it may be called several
    ///     times. It is told whether an earlier write of this call may have been made, and another machine changed the account since.
    /// - Returns: whether the account was changed.
    package func replace(
        _ id: UUID, under lock: borrowing AccountLock,
        writing begin: (LoginWrite?) throws(VaultError) -> Void = { _ in },
        _ change: (_ present: PresentAccount, _ mayBeWritten: Bool) throws(VaultError) -> AccountChange?
    ) async throws(VaultError) -> Bool {
        if let shared = vault.sharedAccounts {
            return try await shared.replace(id, under: lock, writing: begin, change)
        }
        return try local.replace(id, under: lock) { present throws(VaultError) in try change(present, false) }
    }

    /// Stores tokens of a session that no rotation asked for.
    package func replaceTokens(
        by session: Session, of id: UUID, under lock: borrowing AccountLock
    ) async throws(VaultError) {
        _ = try await replace(id, under: lock) { _, _ in AccountChange(session: session) }
    }

    /// Replaces the facts about an account that its server tells. A label that another command gave it meanwhile stays.
    package func update(_ account: Account, under lock: borrowing AccountLock) async throws(VaultError) {
        _ = try await replace(account.id, under: lock) { present, _ throws(VaultError) in
            let present = try present.account()
            let changed = account.with(label: present.label)
            return changed == present ? nil : AccountChange(account: changed)
        }
    }

    /// Gives an account another label, unless another account has that login.
    ///
    /// - Parameter check: throws if the account must not have the label. In a vault of this machine alone, it runs under the lock
    ///   of the accounts.
    /// - Throws: ``VaultError/loginTaken(_:)``
    package func rename(
        _ id: UUID, to label: String?, under lock: borrowing AccountLock,
        checking check: (Account) throws(VaultError) -> Void = { _ in }
    ) async throws(VaultError) -> Account {
        guard let shared = vault.sharedAccounts else {
            return try local.rename(id, to: label, under: lock, checking: check)
        }
        var renamed: Account?
        let taken = try await shared.relabel(id, under: lock) { present throws(VaultError) in
            let account = present.with(label: label)
            try repairNames(account.names)
            try requireFree(account)
            if label != present.label { try check(account) }
            renamed = account
            return account
        }
        if let taken {
            guard try await shared.fetch(taken) else { throw .busy(holder: nil) }
            throw .loginTaken(try vault.account(taken))
        }
        guard let renamed else { throw .noSuchAccount(id) }
        return renamed
    }

    /// Adds an account to a shared vault, also if another one has its login already.
    func addAnyway(
        _ account: Account, _ session: Session, in shared: SharedAccounts
    ) async throws(VaultError) {
        try await shared.put(account, session)
        do throws(VaultError) {
            try vault.add(
                account.id, profile: account.record, session: session.record, names: account.names)
        } catch {
            // Another task may have copied the new account from the store.
            if try vault.hasAccount(account.id) { return }
            _ = try await shared.takeBack(account.id, session)
            throw error
        }
    }

    func requireFree(_ account: Account) throws(VaultError) {
        guard let taken = try self.account(sameLoginAs: account), taken.id != account.id else { return }
        throw .loginTaken(taken)
    }
}

extension LocalAccounts {
    fileprivate func rename(
        _ id: UUID, to label: String?, under lock: borrowing AccountLock,
        checking check: (Account) throws(VaultError) -> Void
    ) throws(VaultError) -> Account {
        let present = try vault.account(id)
        let renamed = present.with(label: label)
        try accounts.repairNames(renamed.names)
        // Check and write under one lock, so that no login takes the label in between.
        let accountsLock = try vault.lockAccounts()
        try accounts.requireFree(renamed)
        if label != present.label { try check(renamed) }
        try vault.replaceProfile(
            renamed.record, of: id, names: renamed.names, givingUp: present.names, under: lock, accountsLock)
        return renamed
    }
}
