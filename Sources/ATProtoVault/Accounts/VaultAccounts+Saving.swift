internal import ATPCryptography
internal import ATProtoSessions
internal import FoundationEssentials

/// How a login is saved: the account of the same login, or a new one, in the order of docs/design/shared-vault.md.
extension VaultAccounts {
    /// How often saving a login begins again because another process or machine changed something.
    private static let attempts = SharedAccounts.loginAttempts

    func save(
        _ login: inout LoginToSave, checking check: () throws(VaultError) -> Void,
        under lock: (Account) async throws(VaultError) -> AccountLock
    ) async throws(VaultError) -> SaveResult {
        do throws(VaultError) {
            if let write = login.write { return .saved(try await finish(write, of: &login)) }
            for _ in 0..<Self.attempts {
                if let saved = try await attempt(&login, checking: check, under: lock) {
                    return .saved(saved)
                }
            }
            throw .busy(holder: nil)
        } catch {
            if login.isEnded {
                if let kept = login.kept { discard(kept) }
                throw error
            }
            if login.kept == nil, login.write == nil { throw error }
            if login.kept == nil {
                // The store of a shared vault may have the login, so it must not be revoked, even if it can't be kept here.
                do { try keep(&login) } catch {}
            }
            // Another process may have saved this login. So no error of a kept login lets the caller revoke its tokens.
            return .kept(because: error)
        }
    }

    /// - Returns: nil if something has changed meanwhile, so that the login has to look again.
    private func attempt(
        _ login: inout LoginToSave, checking check: () throws(VaultError) -> Void,
        under lock: (Account) async throws(VaultError) -> AccountLock
    ) async throws(VaultError) -> Saved? {
        // Read what may fail before the login is written. After that, it must not count as failed.
        let others = try await keptLogins(like: login)
        let (id, kept) = (login.account.id, login.kept)
        let place = try await addNew(&login) { () throws(VaultError) in
            if let kept, try !vault.isKept(kept) { throw .overtaken }
            try check()
        }
        switch place {
        case nil: return nil
        case .saved(let saved):
            if let kept { discard(kept) }
            return saved
        case .added:
            if let kept { discard(kept) }
            return Saved(
                account: login.account, session: login.session,
                replaced: login.orphans + drop(others, for: login, besides: []))
        case .holder(let holder) where holder.id == id && !holder.isSameLogin(as: login.account):
            // This login was saved before a kill, and its account got another label.
            if let kept { discard(kept) }
            return Saved(account: holder, session: try vault.session(of: id), replaced: [])
        case .holder(let holder): return try await replace(holder, by: &login, under: lock)
        }
    }

    /// Finishes the write of a login that was kept because the store did not answer: under the same condition, because the store may
    /// have had its session, and another machine may have ended it since.
    private func finish(
        _ write: LoginWrite, of login: inout LoginToSave
    ) async throws(VaultError) -> Saved {
        guard let shared = vault.sharedAccounts else {
            // The sharing has ended. All accounts of the store are here.
            guard try vault.hasAccount(write.account) else { throw ended(&login) }
            let account = try vault.account(write.account)
            let saved = login.saved(as: account, try vault.session(of: write.account))
            if let kept = login.kept { discard(kept) }
            return saved
        }
        let new = login
        let found = try await shared.repeated(write) { present throws(VaultError) in
            let account = try present?.account()
            return AccountRecords(account.map(new.account(replacing:)) ?? new.account, new.session)
        }
        guard let found else { throw ended(&login) }
        guard try await shared.fetch(write.account) else { throw ended(&login) }
        if let kept = login.kept { discard(kept) }
        let present = try found.now.account()
        guard found.isWritten else { return login.saved(as: present, try found.now.session()) }
        // A session that can't be read can't be ended at its server.
        let before = (try? found.before?.session()).map { [(present, $0)] } ?? []
        return Saved(account: present, session: login.session, replaced: login.orphans + before)
    }

    /// Another machine has logged out of the account of a login that was made.
    private func ended(_ login: inout LoginToSave) -> VaultError {
        login.isEnded = true
        return .overtaken
    }

    // MARK: A new account

    private enum Place {
        /// The login made a new account.
        case added
        /// This account has the login, or its UUID, already.
        case holder(Account)
        /// The login was made, and another one may have replaced it since.
        case saved(Saved)
    }

    /// - Returns: nil if another machine has changed something meanwhile.
    private func addNew(
        _ login: inout LoginToSave, checking check: () throws(VaultError) -> Void
    ) async throws(VaultError) -> Place? {
        let id = login.account.id
        guard let shared = vault.sharedAccounts else {
            let holder = try local.add(login.account, login.session, imported: nil, checking: check)
            return holder.map { .holder($0) } ?? .added
        }
        if let holder = try account(sameLoginAs: login.account) { return .holder(holder) }
        switch try await shared.takeRow(of: login.account) {
        case .own: break
        case .again: return nil
        case .other(let other):
            // The next look here finds it, if no other machine has logged out of it.
            _ = try await shared.fetch(other)
            return nil
        }
        try begin(LoginWrite(account: id, revision: nil), of: &login)
        switch try await shared.create(id, AccountRecords(login.account, login.session)) {
        case .written: break
        case .refused:
            login.write = nil
            login.takeNewID()
            return nil
        case .overwritten: return .saved(try await superseded(&login, at: id, in: shared))
        }
        switch try await addHere(login.account, login.session, imported: nil, checking: check, in: shared) {
        case .added: return .added
        case .superseded: return .saved(try await superseded(&login, at: id, in: shared))
        case .other(let holder):
            login.write = nil
            // Other machines find the account by the row, too.
            _ = try await shared.takeRow(of: holder)
            return .holder(holder)
        case .failed(let error):
            login.write = nil
            throw error
        }
    }

    /// What the account of a login has now, after another login has replaced its session, or may have.
    private func superseded(
        _ login: inout LoginToSave, at id: UUID, in shared: SharedAccounts
    ) async throws(VaultError) -> Saved {
        guard let found = try await shared.records(of: id)?.present(id), try await shared.fetch(id) else {
            throw ended(&login)
        }
        return login.saved(as: try found.account(), try found.session())
    }

    /// What became of the copy of an account that the store has.
    enum Copying {
        case added
        /// An older program has added an account of this login here. The store does not have the new one any more.
        case other(Account)
        /// Another login has replaced the session of the new account in the store meanwhile.
        case superseded
        /// The account could not be added here. The store does not have it any more.
        case failed(VaultError)
    }

    /// Adds an account here that the store has, or takes it out of the store again.
    func addHere(
        _ account: Account, _ session: Session, imported: UInt64?,
        checking check: () throws(VaultError) -> Void, in shared: SharedAccounts
    ) async throws(VaultError) -> Copying {
        let holder: Account?
        do throws(VaultError) {
            holder = try local.add(account, session, imported: imported, checking: check)
        } catch {
            return try await shared.takeBack(account.id, session) ? .failed(error) : .superseded
        }
        // Another process may have copied the new account from the store.
        guard let holder, holder.id != account.id else { return .added }
        return try await shared.takeBack(account.id, session) ? .other(holder) : .superseded
    }

    // MARK: The account that is there

    /// Replaces the session of an account with the session of a new login.
    ///
    /// - Returns: nil if the account got another label while this call waited for its lock, or is gone.
    private func replace(
        _ holder: Account, by login: inout LoginToSave,
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
            if login.kept == nil { try keep(&login) }
            return try await replace(holder.id, by: &login, under: try await lock(holder))
        } catch {
            guard case .noSuchAccount = error else { throw error }
            // The store may have had this login before the logout.
            if login.write != nil { throw ended(&login) }
            return nil
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
        _ id: UUID, by login: inout LoginToSave, under lock: borrowing AccountLock
    ) async throws(VaultError) -> Saved? {
        // Read what may fail before the login is written. After that, it must not count as failed.
        let others = try await keptLogins(like: login)
        var new = login
        var result: Saved?
        let isReplaced: Bool
        do throws(VaultError) {
            isReplaced = try await replace(
                id, under: lock,
                writing: { write throws(VaultError) in try begin(write, of: &new) },
                { present, mayBeWritten throws(VaultError) in
                    result = nil
                    let account = try present.account()
                    // A session that can't be read can't be ended at its server, but it can be replaced.
                    let session = try? present.session()
                    if let session, mayBeWritten {
                        // The account had this login, and another one may have replaced it since.
                        result = new.saved(as: account, session)
                        return nil
                    }
                    guard account.isSameLogin(as: new.account) else { return nil }
                    if let kept = new.kept, try !vault.isKept(kept) {
                        // Another process saved this login, or a later one. The account may have newer tokens by now.
                        result = Saved(account: account, session: try present.session(), replaced: [])
                        return nil
                    }
                    if let session, session.isOfSameLogin(as: new.session) {
                        // This login was saved before a kill, and may have newer tokens by now.
                        result = Saved(account: account, session: session, replaced: [])
                        return nil
                    }
                    let renewed = new.account(replacing: account)
                    result = Saved(
                        account: renewed, session: new.session,
                        replaced: session.map { [(account, $0)] } ?? [])
                    return AccountChange(account: renewed, session: new.session)
                })
        } catch {
            login = new
            throw error
        }
        login = new
        guard let result else { return nil }
        guard isReplaced else {
            if let kept = login.kept { discard(kept) }
            return result
        }
        // An earlier answer that stays does no harm.
        do { try vault.removeAnswer(of: id, under: lock) } catch {}
        let dropped = drop(others, for: login, besides: result.replaced)
        return Saved(
            account: result.account, session: result.session,
            replaced: login.orphans + result.replaced + dropped)
    }
}
