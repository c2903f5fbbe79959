package import ATProtoSessions
package import ATProtoVault
package import FoundationEssentials

/// Saving a login.
extension AccountStore {
    /// Saves a login durably (``VaultAccounts/save(_:_:at:checking:under:)``).
    ///
    /// - Parameter lock: takes the lock of the account that the login replaces.
    /// - Throws: ``CoreError/loginKept(_:because:)`` if the login is kept and could not be saved.
    func save(
        _ profile: Account, _ session: Session, at now: Date,
        under lock: (Account) async throws(VaultError) -> AccountLock
    ) async throws -> VaultAccounts.Saved {
        // Another machine may have added the account.
        _ = try await vault.sharedAccounts?.synchronize()
        let result = try await rules.save(
            profile, session, at: now,
            checking: { () throws(VaultError) in try requireOwnLabel(profile) }, under: lock)
        switch result {
        case .saved(let saved): return saved
        case .kept(let error): throw CoreError.loginKept(profile, because: error)
        }
    }

    /// Saves the logins that other processes kept and could not save, the latest first. The sessions that they replace are
    /// not ended at their servers.
    ///
    /// - Returns: their accounts, and the first error. A login that can't be saved does not hold up the others.
    package func finishKeptLogins(
        at now: Date, under lock: (Account) async throws(VaultError) -> AccountLock
    ) async throws -> (accounts: [Account], failure: (any KnownError)?) {
        _ = try await vault.sharedAccounts?.synchronize()
        let finished = try await rules.finishKept(at: now, checking: requireOwnLabel, under: lock)
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
}
