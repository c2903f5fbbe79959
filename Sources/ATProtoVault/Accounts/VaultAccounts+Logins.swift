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
    ///   - imported: the generation of an imported account, which it keeps; nil for a login.
    ///   - check: throws if the account must not be added. It runs under the lock of the accounts.
    ///   - stored: hears whether the store of a shared vault has the new account.
    /// - Returns: the account that is there already; nil if the new account was saved.
    package func add(
        _ account: Account, _ session: Session, imported: UInt64? = nil,
        checking check: () throws(VaultError) -> Void = {}, stored: (Bool) -> Void = { _ in }
    ) async throws(VaultError) -> Account? {
        guard let shared = vault.sharedAccounts else {
            return try local.add(account, session, imported: imported, checking: check)
        }
        if let taken = try self.account(sameLoginAs: account) { return taken }
        do throws(VaultError) {
            // Other machines add what the store has, so it must be there first. A kill after this adds the account everywhere.
            try await shared.add(
                account.id, profile: account.record, session: session.record, generation: imported ?? 1)
        } catch {
            guard error == .overtaken, try await shared.fetch(account.id) else { throw error }
            return try vault.account(account.id)
        }
        stored(true)
        let added: Result<Account?, VaultError>
        do throws(VaultError) {
            added = .success(try local.add(account, session, imported: imported, checking: check))
        } catch { added = .failure(error) }
        // Another process may have copied the new account from the store.
        if case .success(let taken) = added, taken == nil || taken?.id == account.id { return nil }
        try await shared.takeBack(account.id)
        stored(false)
        return try added.get()
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
        var login = Login(account: account, session: session)
        return try await save(&login, at: now, checking: check, under: lock)
    }

    /// Saves the logins that other processes kept and could not save, the latest first. The sessions that they replace are
    /// not ended at their servers.
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
                var login = try Login(kept)
                let account = login.account
                let result = try await save(
                    &login, at: now, checking: { () throws(VaultError) in try check(account) }, under: lock)
                switch result {
                case .saved(let saved): finished.append(saved.account)
                case .kept(let error): failure = failure ?? (account, error)
                }
            } catch {
                failure = failure ?? (nil, error)
            }
        }
        return (finished, failure)
    }
}

extension VaultAccounts {
    private func save(
        _ login: inout Login, at now: Date, checking check: () throws(VaultError) -> Void,
        under lock: (Account) async throws(VaultError) -> AccountLock
    ) async throws(VaultError) -> SaveResult {
        do throws(VaultError) {
            while true {
                // Read what may fail before the login is written. After that, it must not count as failed.
                let others = try await keptLogins(like: login)
                let isKept = login.isKept
                let id = login.account.id
                let holder = try await add(
                    login.account, login.session,
                    checking: { () throws(VaultError) in
                        if isKept, try !vault.isKept(id) { throw .overtaken }
                        try check()
                    }, stored: { login.isInStore = $0 })
                guard let holder else {
                    if login.isKept { discard(id) }
                    return .saved(login.saved(replacing: drop(others, for: login, besides: [])))
                }
                if holder.id == id, !holder.isSameLogin(as: login.account) {
                    // This login was saved before a kill, and its account got another label.
                    discard(id)
                    return .saved(Saved(account: holder, session: try vault.session(of: id), replaced: []))
                }
                if let saved = try await replace(holder, by: &login, at: now, under: lock) {
                    return .saved(saved)
                }
            }
        } catch {
            if !login.isKept, login.isInStore || error.isUnknownWrite {
                // The store of a shared vault may have the login, so it must not be revoked, even if it can't be kept here.
                do { try keep(&login, at: now) } catch {}
            } else if !login.isKept {
                throw error
            }
            // Another process may have saved this login. So no error of a kept login lets the caller revoke its tokens.
            return .kept(because: error)
        }
    }

    private func keep(_ login: inout Login, at now: Date) throws(VaultError) {
        try vault.keep(
            KeptLogin(
                id: login.account.id, profile: login.account.record, session: login.session.record),
            at: now)
        login.isKept = true
    }

    /// Removes a kept login that is saved. One that stays is recognized as saved later.
    ///
    /// - Returns: whether this call removed it, and no other process.
    @discardableResult
    private func discard(_ login: UUID) -> Bool {
        do { return try vault.removeKept(login) } catch { return false }
    }

    /// The kept logins of the same account, this one included. In a shared vault the store may have one of them, and then this
    /// machine gets its account, so that the new login replaces it.
    private func keptLogins(like login: Login) async throws(VaultError) -> [Login] {
        var found: [Login] = []
        for kept in try vault.keptLogins() {
            // `vault restore` names a kept login that can't be read.
            guard let other = try? Login(kept), other.account.isSameLogin(as: login.account) else { continue }
            _ = try await vault.sharedAccounts?.fetch(other.account.id)
            found.append(other)
        }
        return found
    }

    /// Removes the kept logins that this one replaces. A process that waits with one of them finds that it is gone.
    ///
    /// - Parameter replaced: the sessions that are known to be replaced.
    /// - Returns: the accounts and sessions of the others.
    private func drop(
        _ others: [Login], for login: Login, besides replaced: [(account: Account, session: Session)]
    ) -> [(account: Account, session: Session)] {
        var dropped: [(Account, Session)] = []
        for other in others {
            let isKnown = ([login.session] + replaced.map(\.session)).contains {
                $0.isOfSameLogin(as: other.session)
            }
            if discard(other.account.id), !isKnown { dropped.append((other.account, other.session)) }
        }
        return dropped
    }

    /// Replaces the session of an account with the session of a new login.
    ///
    /// - Returns: nil if the account got another label while this call waited for its lock, or is gone.
    private func replace(
        _ holder: Account, by login: inout Login, at now: Date,
        under lock: (Account) async throws(VaultError) -> AccountLock
    ) async throws(VaultError) -> Saved? {
        do throws(VaultError) {
            if let free = try vault.tryLock(holder.id) {
                if let orphan = try await orphan(holder, under: free) {
                    login.orphans.append((holder, orphan))
                    return nil
                }
                return try await replace(holder.id, by: &login, under: free)
            }
            if !login.isKept { try keep(&login, at: now) }
            return try await replace(holder.id, by: &login, under: try await lock(holder))
        } catch {
            if case .noSuchAccount = error { return nil }
            throw error
        }
    }

    /// The session of an account that another machine logged out of while this one refreshed it, and which is removed here now;
    /// nil for any other account.
    private func orphan(
        _ holder: Account, under lock: borrowing AccountLock
    ) async throws(VaultError) -> Session? {
        guard let shared = vault.sharedAccounts else { return nil }
        do throws(VaultError) {
            try await shared.catchUp(holder.id, under: lock)
            return nil
        } catch {
            guard case .noSuchAccount = error else { throw error }
            let session = try vault.session(of: holder.id)
            try vault.remove(holder.id, names: holder.names, under: lock)
            return session
        }
    }

    private func replace(
        _ id: UUID, by login: inout Login, under lock: borrowing AccountLock
    ) async throws(VaultError) -> Saved? {
        try await vault.sharedAccounts?.catchUp(id, under: lock)
        let earlier = try vault.account(id)
        guard earlier.isSameLogin(as: login.account) else { return nil }
        if login.isKept, try !vault.isKept(login.account.id) {
            // Another process saved this login, or a later one. The account may have newer tokens by now.
            return Saved(account: earlier, session: try vault.session(of: id), replaced: [])
        }
        var replaced: [(account: Account, session: Session)] = []
        do { replaced.append((earlier, try vault.session(of: id))) } catch {
            // A session that can't be read can't be ended at its server, but it can be replaced.
        }
        if let present = replaced.first?.session, present.isOfSameLogin(as: login.session) {
            // This login was saved before a kill, and may have newer tokens by now.
            discard(login.account.id)
            return Saved(account: earlier, session: present, replaced: [])
        }
        let renewed = login.account.with(id: earlier.id, addedAt: earlier.addedAt)
        // Read what may fail before the login is written. After that, it must not count as failed.
        let others = try await keptLogins(like: login)
        try await replace(earlier, by: renewed, login.session, under: lock) { login.isInStore = true }
        // An earlier answer that stays does no harm.
        do { try vault.removeAnswer(of: id, under: lock) } catch {}
        return Saved(
            account: renewed, session: login.session,
            replaced: replaced + drop(others, for: login, besides: replaced))
    }

    /// Replaces an account, and its session if one is given, on all machines that have it.
    ///
    /// - Parameter stored: is called when the store of a shared vault has the change.
    package func replace(
        _ before: Account, by account: Account, _ session: Session?, under lock: borrowing AccountLock,
        stored: () -> Void = {}
    ) async throws(VaultError) {
        if let shared = vault.sharedAccounts {
            try await shared.replace(
                account.id, profile: account.record, session: session?.record, under: lock, stored: stored)
        } else {
            try local.replace(before, by: account, session, under: lock)
        }
    }
}

/// A login while it is saved.
private struct Login {
    let account: Account
    let session: Session
    /// Whether it is in `logins/`, by this process or by another one.
    var isKept = false
    /// Whether the store of a shared vault has it.
    var isInStore = false
    /// The sessions of accounts that another machine logged out of while this one refreshed them.
    var orphans: [(account: Account, session: Session)] = []

    init(account: Account, session: Session) {
        self.account = account
        self.session = session
    }

    /// The login as a new account.
    func saved(replacing others: [(account: Account, session: Session)]) -> VaultAccounts.Saved {
        VaultAccounts.Saved(account: account, session: session, replaced: orphans + others)
    }

    init(_ kept: KeptLogin) throws(VaultError) {
        do {
            account = try Account(record: kept.profile)
            session = try Session(record: kept.session)
        } catch {
            throw .unreadableRecord(kept.id, error)
        }
        isKept = true
    }
}
