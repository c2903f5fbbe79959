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
            if let write = login.write {
                let others = try await keptLogins(like: login)
                let saved = try await vault.place.finish(write, of: &login)
                let dropped = drop(others, for: login, besides: saved.replaced)
                return .saved(
                    Saved(
                        account: saved.account, session: saved.session,
                        replaced: saved.replaced + dropped))
            }
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
                do { try login.keep(in: vault) } catch {}
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
        // Another process may have dropped this login for a later one, and then its session is revoked.
        if let kept, try !vault.isKept(kept) { throw .overtaken }
        let place = try await vault.place.addNew(&login) { () throws(VaultError) in
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
            return Saved(
                account: holder, session: try vault.session(of: id), replaced: login.orphans)
        case .holder(let holder): return try await replace(holder, by: &login, under: lock)
        }
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
            if login.kept == nil { try login.keep(in: vault) }
            return try await replace(holder.id, by: &login, under: try await lock(holder))
        } catch {
            guard case .noSuchAccount = error else { throw error }
            // The store may have had this login before the logout.
            if login.write != nil { throw login.end() }
            return nil
        }
    }

    /// The session of an account that another machine logged out of while this one refreshed it, and which is removed here now;
    /// nil for any other account.
    private func orphan(
        _ holder: Account, under lock: borrowing AccountLock
    ) async throws(VaultError) -> Session? {
        do throws(VaultError) {
            try await vault.place.catchUp(holder.id, under: lock)
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
        var former: Session?
        let isReplaced: Bool
        do throws(VaultError) {
            isReplaced = try await replace(
                id, under: lock,
                writing: { write throws(VaultError) in try new.begin(write, in: vault) },
                { present, mayBeWritten throws(VaultError) in
                    result = nil
                    let account = try present.account()
                    // A session that can't be read can't be ended at its server, but it can be replaced.
                    let session = try? present.session()
                    let isFormer = former.map { session?.isOfSameLogin(as: $0) == true } ?? false
                    if let session, mayBeWritten, !isFormer {
                        // The account had this login, and another one may have replaced it since, which did not see the former one.
                        if let former { new.orphans.append((account, former)) }
                        result = new.saved(as: account, session)
                        return nil
                    }
                    guard account.isSameLogin(as: new.account) else { return nil }
                    if let kept = new.kept, try !vault.isKept(kept) {
                        // Another process saved this login, or a later one. The account may have newer tokens by now.
                        result = Saved(
                            account: account, session: try present.session(), replaced: new.orphans)
                        return nil
                    }
                    if let session, session.isOfSameLogin(as: new.session) {
                        // This login was saved before a kill, and may have newer tokens by now.
                        result = Saved(account: account, session: session, replaced: new.orphans)
                        return nil
                    }
                    former = session
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
