internal import ATPCryptography
internal import ATProtoSessions
internal import BskyAuthRows
internal import FoundationEssentials

/// The row `logins/CODE` of a login: a DID with a label, or without one, on one network. It has the UUID of the login's account, so
/// that two machines add one account.
///
/// CODE is the HMAC-SHA-256 of the login under a key derived from the vault key, as 64 hexadecimal digits. The value is a
/// ``SealedFile`` with the 16 bytes of the UUID. So the operator of the store sees only that there is a login.
struct SharedLogin: Sendable {
    let account: Account
    let key: String
    let file: SealedFile

    /// What the keys of all logins begin with.
    static let keys = "logins/"

    init(_ account: Account, in vault: CredentialVault) {
        self.account = account
        let code = vault.header.keys.code(.sharedLogin, vault.id.bytes, message: account.login)
        key = Self.keys + Hexadecimal.text(code)
        file = SealedFile(
            kind: .sharedLogin, owner: vault.id, path: "the row \(key) of the store", context: code)
    }
}

/// The row of a login as it was read.
struct SharedLoginRow: Sendable {
    /// The account that has the login, or had it.
    let id: UUID
    let revision: Revision
}

/// The rows of logins: the section "Logins" of docs/design/shared-vault.md.
extension SharedAccounts {
    /// What a login found in its row.
    enum RowOutcome: Sendable {
        /// The row names the account of the login now. Its record may be written.
        case own
        /// This account has the login.
        case other(UUID)
        /// Another machine has changed something meanwhile. Read what was read before, and try again.
        case again
    }

    /// How often a change of a login begins again before it counts as busy.
    static let loginAttempts = 20

    func login(of account: Account) -> SharedLogin { SharedLogin(account, in: vault) }

    /// Reads the row of a login; nil if there is none.
    func row(of login: SharedLogin) async throws(VaultError) -> SharedLoginRow? {
        let row: StoredRow?
        do { row = try await store.rows.get(login.key) } catch { throw .store(error) }
        return try row.map { stored throws(VaultError) in try opened(stored, of: login) }
    }

    private func opened(_ row: StoredRow, of login: SharedLogin) throws(VaultError) -> SharedLoginRow {
        let content = try files.open(login.file, row.value).record.content.bytes
        guard content.count == 16, let id = UUID(bytes: content[...]) else {
            throw login.file.damaged("is no UUID")
        }
        return SharedLoginRow(id: id, revision: row.revision)
    }

    /// Reads the row of a login for a logout, which a damaged row does not stop.
    func readableRow(of login: SharedLogin?) async throws(VaultError) -> SharedLoginRow? {
        guard let login else { return nil }
        do { return try await row(of: login) } catch {
            guard case .damaged = error else { throw error }
            return nil
        }
    }

    /// Puts an account into the row of its login, unless another account has the login.
    ///
    /// The row is written also if it names this account already: then no machine that read it before can take it away. Before a
    /// row is taken from an account, the record of that account is written, so that a slow machine can't give the account this login.
    func takeRow(of account: Account) async throws(VaultError) -> RowOutcome {
        let login = login(of: account)
        // Nearly every new login has no row, and then one request is enough.
        if try await put(account.id, into: login, over: nil) { return .own }
        guard let row = try await row(of: login) else { return .again }
        if row.id != account.id {
            switch try await holder(row.id, of: login) {
            case .own: break
            case let place: return place
            }
        }
        return try await put(account.id, into: login, over: row.revision) ? .own : .again
    }

    /// - Returns: false if the row is another one by now.
    private func put(
        _ id: UUID, into login: SharedLogin, over expected: Revision?
    ) async throws(VaultError) -> Bool {
        let bytes = try files.seal(SecretBytes(id.bytes), generation: 0, as: login.file)
        if case .written = try await store.put(login.key, bytes, over: expected) { return true }
        return false
    }

    /// Looks at the account that the row of a login names, and keeps late writes from giving it this login if it does not have it.
    ///
    /// - Returns: ``RowOutcome/own`` if the row may be taken from it.
    private func holder(_ id: UUID, of login: SharedLogin) async throws(VaultError) -> RowOutcome {
        guard let read = try await store.read(id, files) else {
            if try vault.hasAccount(id) { throw try await absence(of: id) }
            // A machine is between its two writes, or was stopped there.
            try await store.waitForChange(of: id, after: nil, atMost: store.limits.appearance)
            let gone = SharedRecord(account: nil, generation: 1)
            return try await store.write(gone, over: nil, of: id, files) == nil ? .again : .own
        }
        if let account = try read.record.decodedAccount(of: id), account.isSameLogin(as: login.account) {
            return .other(id)
        }
        return try await store.write(read.record, over: read, of: id, files) == nil ? .again : .own
    }

    /// Deletes the row of a login that an account had, if it still is the row that was read before the account lost it. A row that
    /// stays names an account without this login, so the next login takes it.
    func deleteRow(_ row: SharedLoginRow?, of login: SharedLogin, if id: UUID) async {
        guard let row, row.id == id else { return }
        do { _ = try await store.rows.delete(login.key, if: .unchanged(row.revision)) } catch {}
    }

    /// Puts the rows that are missing: those of accounts that an older program has added, or of a vault that is shared just now. Also
    /// gives an account the row that names one without this login, which an older program logged out of or renamed. The oldest of
    /// several accounts with one login gets the row.
    func completeLogins(
        _ records: [(id: UUID, record: SharedRecord)]
    ) async throws(VaultError) {
        let rows = Dictionary(try await list(SharedLogin.keys).map { ($0.key, $0) }) { first, _ in first }
        var accounts: [UUID: Account] = [:]
        for (id, record) in records {
            // An account that can't be read has no login as far as this program knows.
            accounts[id] = try? record.decodedAccount(of: id)
        }
        let tombstones = Set(records.filter { $0.record.account == nil }.map(\.id))
        var holders: Set<String> = []
        for account in accounts.values.sorted(by: { ($0.addedAt, $0.id) < ($1.addedAt, $1.id) }) {
            let login = login(of: account)
            guard !holders.contains(login.key) else { continue }
            guard let row = rows[login.key] else {
                holders.insert(login.key)
                _ = try await put(account.id, into: login, over: nil)
                continue
            }
            // A damaged row stays for a person to see.
            guard let id = try? opened(row, of: login).id else { continue }
            // The record of an account that is not here yet comes after its row.
            let isOther = accounts[id].map { !$0.isSameLogin(as: account) } ?? tombstones.contains(id)
            guard isOther else { continue }
            holders.insert(login.key)
            _ = try await takeRow(of: account)
        }
    }

    /// Deletes all rows of logins, when no account is in the store any more.
    func removeLogins() async throws(VaultError) {
        for row in try await list(SharedLogin.keys) { try await remove(row.key) }
    }
}

/// What writes the record of a login.
extension SharedAccounts {
    /// Puts the record of a new login into the store. It replaces nothing, not even a tombstone: then another machine has taken the
    /// row.
    func create(_ id: UUID, _ records: AccountRecords) async throws(VaultError) -> SharedStore.WriteOutcome {
        try await store.put(SharedRecord(account: records, generation: 1), over: nil, of: id, files)
    }

    /// Repeats the write of a kept login, if the record still has the revision that it expected.
    ///
    /// - Parameter records: makes the new records from the account that is there; nil for a new account.
    /// - Returns: what the store has now, and whether this call has written it; nil after a logout.
    func repeated(
        _ write: LoginWrite, _ records: (PresentAccount?) throws(VaultError) -> AccountRecords
    ) async throws(VaultError) -> (now: PresentAccount, before: PresentAccount?, isWritten: Bool)? {
        let id = write.account
        let read = try await store.read(id, files)
        if read?.revision == write.revision {
            var record = read?.record ?? SharedRecord(account: nil, generation: 0)
            guard read == nil || record.account != nil else { return nil }
            let before = record.account?.present(id)
            let after = try records(before)
            record.account = after
            record.generation += 1
            (record.claim, record.attempt) = (nil, nil)
            let outcome = try await store.put(record, over: read, of: id, files)
            if case .written = outcome { return (after.present(id), before, true) }
        }
        guard let found = try await store.read(id, files) else { throw try await absence(of: id) }
        return found.record.account.map { ($0.present(id), nil, false) }
    }

    /// Puts an account with a UUID of its own into the store: one of a bundle, which may have been logged out of before.
    ///
    /// - Parameter generation: that of its session.
    /// - Returns: the account that has the login already, or the UUID; nil if the record was written.
    func add(
        _ account: Account, _ session: Session, generation: UInt64
    ) async throws(VaultError) -> UUID? {
        var mayBeWritten = false
        for _ in 0..<Self.loginAttempts {
            // The record is read before the row, and written on this revision. So nothing is to be undone if another login was
            // first.
            let read = try await store.read(account.id, files)
            if let present = try read?.record.session(of: account.id) {
                let isOwn = mayBeWritten && present.isOfSameLogin(as: session)
                return isOwn ? nil : account.id
            }
            // The tombstone may be that of a logout from this very session.
            if mayBeWritten { throw .overtaken }
            switch try await takeRow(of: account) {
            case .own: break
            case .other(let id): return id
            case .again: continue
            }
            let record = SharedRecord(
                account: AccountRecords(account, session), generation: max(generation, read.nextGeneration))
            switch try await store.put(record, over: read, of: account.id, files) {
            case .written: return nil
            case .refused: continue
            case .overwritten: mayBeWritten = true
            }
        }
        throw .busy(holder: nil)
    }

    /// Puts an account into the store, whether or not another one has its login. The login's row stays if there is one.
    ///
    /// - Throws: ``VaultError/overtaken`` if the store has an account with its UUID.
    func put(_ account: Account, _ session: Session) async throws(VaultError) {
        let read = try await store.read(account.id, files)
        let record = SharedRecord(
            account: AccountRecords(account, session), generation: read.nextGeneration)
        guard read?.record.account == nil,
            try await store.write(record, over: read, of: account.id, files) != nil
        else { throw .overtaken }
        _ = try await put(account.id, into: login(of: account), over: nil)
    }

    /// Gives an account other facts, and another login if its label changes. Nothing is to be undone if the login is taken: the
    /// record is the last write.
    ///
    /// - Parameter change: makes the new account of the present one.
    /// - Returns: the account that has the login already; nil if the change was made.
    func relabel(
        _ id: UUID, under lock: borrowing AccountLock,
        _ change: (Account) throws(VaultError) -> Account
    ) async throws(VaultError) -> UUID? {
        for _ in 0..<Self.loginAttempts {
            try await catchUp(id, under: lock)
            // The row is read before the record, so that an import after the change keeps it.
            let former = login(of: try vault.account(id))
            let row = try await row(of: former)
            guard let read = try await store.read(id, files) else { throw .storeWentBack(id) }
            guard let present = try read.record.decodedAccount(of: id),
                present.isSameLogin(as: former.account)
            else { continue }
            let renamed = try change(present)
            let isSame = renamed.isSameLogin(as: present)
            if !isSame {
                switch try await takeRow(of: renamed) {
                case .own: break
                case .other(let other): return other
                case .again: continue
                }
            }
            var record = read.record
            record.account?.profile = renamed.record
            record.generation += 1
            guard try await store.write(record, over: read, of: id, files) != nil else { continue }
            if !isSame { await deleteRow(row, of: former, if: id) }
            try vault.adopt(record, of: id, under: lock)
            return nil
        }
        throw .busy(holder: nil)
    }
}

extension SharedRow? {
    /// The generation of an account in place of this row. Machines that have not seen a tombstone still know its account.
    fileprivate var nextGeneration: UInt64 { (self?.record.generation ?? 0) + 1 }
}
