internal import ATPCryptography
package import ATProtoSessions
package import FoundationEssentials

/// Saving a login, so that a DID, label and network have one account.
extension VaultAccounts {
    /// The changes that saving a login made.
    package struct Saved: Sendable {
        package let account: Account
        /// The session that the account has now. Another process may have saved this login or a later one.
        package let session: Session
        /// The sessions that the login replaced. The caller has to end them at their servers.
        package let replaced: [(account: Account, session: Session)]
    }

    /// What became of a login whose tokens must not be revoked. A login that failed in another way throws, and nothing of it is in
    /// the vault.
    package enum SaveResult: Sendable {
        case saved(Saved)
        /// The login is in `logins/` (``KeptLogins``). The next login of the account and ``finishKept(at:checking:under:)`` save it.
        case kept(because: VaultError)
    }

    /// Adds a new account durably, completely or not at all. If an account has the same DID, label and network already, or the same
    /// UUID, nothing is saved.
    ///
    /// - Parameters:
    ///   - imported: the generation of an imported account, which it keeps; nil for an account that is new.
    ///   - check: throws if the account must not be added. It runs under the lock of the accounts.
    /// - Returns: the account that is there already; nil if the new account was saved.
    package func add(
        _ account: Account, _ session: Session, imported: UInt64? = nil,
        checking check: () throws(VaultError) -> Void = {}
    ) async throws(VaultError) -> Account? {
        try await vault.place.add(account, session, imported: imported, checking: check)
    }

    /// Saves a login durably. An account with the same DID, label and network keeps its UUID and gets the new session.
    /// Otherwise the login makes a new account.
    ///
    /// If another process uses the account, the login is first kept in the vault (``KeptLogins``), so that a kill during
    /// the wait loses nothing.
    ///
    /// - Parameters:
    ///   - check: throws if a new account must not be added.
    ///   - lock: takes the lock of the account that the login replaces.
    package func save(
        _ account: Account, _ session: Session, at now: Date,
        checking check: () throws(VaultError) -> Void = {},
        under lock: (Account) async throws(VaultError) -> AccountLock
    ) async throws(VaultError) -> SaveResult {
        var login = LoginToSave(account: account, session: session, date: now)
        return try await save(&login, checking: check, under: lock)
    }

    /// Saves the logins that other processes kept and could not save, the latest first. The sessions that they replace are
    /// not ended at their servers.
    ///
    /// A login that may be in the store of a shared vault, and that another machine has ended since, is forgotten. Its session is not
    /// ended at its server either.
    ///
    /// - Returns: their accounts, and the first error. A login that can't be saved does not hold up the others.
    package func finishKept(
        at now: Date, checking check: (Account) throws(VaultError) -> Void = { _ in },
        under lock: (Account) async throws(VaultError) -> AccountLock
    ) async throws(VaultError) -> (accounts: [Account], failure: (login: Account?, error: VaultError)?) {
        var finished: [Account] = []
        var failure: (Account?, VaultError)?
        for kept in try vault.keptLogins() where try vault.isKept(kept.id) {
            do throws(VaultError) {
                var login = try LoginToSave(kept, date: now)
                let account = login.account
                do throws(VaultError) {
                    let result = try await save(
                        &login, checking: { () throws(VaultError) in try check(account) }, under: lock)
                    switch result {
                    case .saved(let saved): finished.append(saved.account)
                    case .kept(let error): failure = failure ?? (account, error)
                    }
                } catch { if !login.isEnded { throw error } }
            } catch {
                failure = failure ?? (nil, error)
            }
        }
        return (finished, failure)
    }
}
