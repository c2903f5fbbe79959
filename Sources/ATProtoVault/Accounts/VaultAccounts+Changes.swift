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
        try await vault.place.replace(id, under: lock, writing: begin, change)
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
        try await vault.place.rename(id, to: label, under: lock, checking: check)
    }

    func requireFree(_ account: Account) throws(VaultError) {
        guard let taken = try self.account(sameLoginAs: account), taken.id != account.id else { return }
        throw .loginTaken(taken)
    }
}
