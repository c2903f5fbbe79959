internal import ATProtoSessions
internal import FoundationEssentials

/// The place of the accounts of a shared vault: a change is made in the store first.
extension SharedAccounts: AccountPlace {
    private var rules: VaultAccounts { VaultAccounts(vault) }
    private var local: LocalAccounts { LocalAccounts(vault: vault) }

    func isThere(_ id: UUID) async throws(VaultError) -> Bool {
        if try vault.hasAccount(id) { return true }
        return try await fetch(id)
    }

    func lookForOthers() async throws(VaultError) -> [UUID] { try await synchronize().removed }

    // MARK: A login

    func addNew(
        _ login: inout LoginToSave, checking check: () throws(VaultError) -> Void
    ) async throws(VaultError) -> LoginPlace? {
        let id = login.account.id
        if let holder = try rules.account(sameLoginAs: login.account) { return .holder(holder) }
        switch try await takeRow(of: login.account) {
        case .own: break
        case .again: return nil
        case .other(let other):
            guard try await fetch(other) else { return nil }
            // The copy here may have an earlier label.
            return .holder(try vault.account(other))
        }
        try login.begin(LoginWrite(account: id, revision: nil), in: vault)
        let outcome: SharedStore.WriteOutcome
        do throws(VaultError) {
            outcome = try await create(id, AccountRecords(login.account, login.session))
        } catch {
            if !error.mayBeWritten { try login.begin(nil, in: vault) }
            throw error
        }
        switch outcome {
        case .written: break
        case .refused:
            try login.begin(nil, in: vault)
            login.takeNewID()
            return nil
        case .overwritten: return .saved(try await present(&login, at: id))
        }
        switch try await addHere(login.account, login.session, imported: nil, checking: check) {
        case .added: return .added
        case .superseded: return .saved(try await present(&login, at: id))
        case .other(let holder):
            try login.begin(nil, in: vault)
            // Other machines find the account by the row, too.
            _ = try await takeRow(of: holder)
            return .holder(holder)
        case .failed(let error):
            try login.begin(nil, in: vault)
            throw error
        }
    }

    /// What the account of a login has now, after another login has replaced its session, or may have.
    private func present(
        _ login: inout LoginToSave, at id: UUID
    ) async throws(VaultError) -> VaultAccounts.Saved {
        guard let found = try await store.read(id, files)?.record.account?.present(id), try await fetch(id)
        else { throw login.end() }
        return login.saved(as: try found.account(), try found.session())
    }

    func finish(
        _ write: LoginWrite, of login: inout LoginToSave
    ) async throws(VaultError) -> VaultAccounts.Saved {
        let new = login
        let found = try await repeated(write) { present throws(VaultError) in
            let account = try present?.account()
            return AccountRecords(account.map(new.account(replacing:)) ?? new.account, new.session)
        }
        guard let found, try await fetch(write.account) else { throw login.end() }
        let present = try found.now.account()
        guard found.isWritten else { return login.saved(as: present, try found.now.session()) }
        // A session that can't be read can't be ended at its server.
        let before = (try? found.before?.session()).map { [(present, $0)] } ?? []
        return VaultAccounts.Saved(
            account: present, session: login.session, replaced: login.orphans + before)
    }

    // MARK: Other accounts

    func add(
        _ account: Account, _ session: Session, imported: UInt64?,
        checking check: () throws(VaultError) -> Void
    ) async throws(VaultError) -> Account? {
        if let taken = try rules.account(sameLoginAs: account) { return taken }
        if let taken = try await add(account, session, generation: imported ?? 1) {
            guard try await fetch(taken) else { throw .noSuchAccount(taken) }
            return try vault.account(taken)
        }
        switch try await addHere(account, session, imported: imported, checking: check) {
        case .added: return nil
        case .other(let other): return other
        case .superseded:
            guard try await fetch(account.id) else { throw .noSuchAccount(account.id) }
            return try vault.account(account.id)
        case .failed(let error): throw error
        }
    }

    func addAnyway(_ account: Account, _ session: Session) async throws(VaultError) {
        try await put(account, session)
        do throws(VaultError) { try local.addAnyway(account, session) } catch {
            // Another task may have copied the new account from the store.
            if try vault.hasAccount(account.id) { return }
            _ = try await takeBack(account.id, session)
            throw error
        }
    }

    /// What became of the copy of an account that the store has.
    private enum Copying {
        case added
        /// An older program has added an account of this login here. The store does not have the new one any more.
        case other(Account)
        /// Another login has replaced the session of the new account in the store meanwhile.
        case superseded
        /// The account could not be added here. The store does not have it any more.
        case failed(VaultError)
    }

    /// Adds an account here that the store has, or takes it out of the store again.
    private func addHere(
        _ account: Account, _ session: Session, imported: UInt64?,
        checking check: () throws(VaultError) -> Void
    ) async throws(VaultError) -> Copying {
        let holder: Account?
        do throws(VaultError) {
            holder = try local.add(account, session, imported: imported, checking: check)
        } catch {
            return try await takeBack(account.id, session) ? .failed(error) : .superseded
        }
        // Another process may have copied the new account from the store.
        guard let holder, holder.id != account.id else { return .added }
        return try await takeBack(account.id, session) ? .other(holder) : .superseded
    }

    func rename(
        _ id: UUID, to label: String?, under lock: borrowing AccountLock,
        checking check: (Account) throws(VaultError) -> Void
    ) async throws(VaultError) -> Account {
        var renamed: Account?
        let taken = try await relabel(id, under: lock) { present throws(VaultError) in
            let account = present.with(label: label)
            try rules.repairNames(account.names)
            try rules.requireFree(account)
            if label != present.label { try check(account) }
            renamed = account
            return account
        }
        if let taken {
            guard try await fetch(taken) else { throw .busy(holder: nil) }
            throw .loginTaken(try vault.account(taken))
        }
        guard let renamed else { throw .noSuchAccount(id) }
        return renamed
    }
}
