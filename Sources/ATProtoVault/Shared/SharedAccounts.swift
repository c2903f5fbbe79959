internal import ATPCryptography
internal import ATPJSON
internal import ATProtoSessions
internal import BskyAuthRows
package import FoundationEssentials

extension CredentialVault {
    /// The accounts of a shared vault; nil for a vault of this machine alone.
    package var sharedAccounts: SharedAccounts? { shared.map { SharedAccounts(vault: self, store: $0) } }
}

/// The accounts of a shared vault (docs/design/shared-vault.md). A change is made in the store first, then in the files of this
/// machine, which are copies.
package struct SharedAccounts: Sendable {
    let vault: CredentialVault
    let store: SharedStore

    var files: SealedFileStore { vault.files }
    /// How many rows are listed at once.
    private static let page = 100
}

// MARK: - All accounts

extension SharedAccounts {
    /// What differed between the store and this machine.
    package struct Changes: Sendable, Hashable {
        /// Accounts that other machines have added.
        package var added: [UUID] = []
        /// Accounts that other machines have logged out of.
        package var removed: [UUID] = []
        /// Accounts of which the store has an earlier state than this machine.
        package var behind: [UUID] = []
        /// Accounts that another process of this machine uses, so that nothing was done for them.
        package var busy: [UUID] = []
        /// The repair that machines still have to finish; nil if there is none.
        package var repair: VaultError.Repair?
        /// Whether another machine has forgotten this one, so that repairs don't wait for it.
        package var isForgotten = false
    }

    /// Adds the accounts of other machines here, removes those that they logged out of, and brings answers of this machine to the
    /// store.
    package func synchronize() async throws(VaultError) -> Changes {
        try await takeKeys()
        try await takeClients()
        var changes = Changes()
        // An account that is added from now on is in the store before it is here.
        var absent = Set(try vault.accounts())
        let rows = try await rows()
        for row in rows {
            absent.remove(row.id)
            try await synchronize(row.id, row.record, &changes)
        }
        try await completeLogins(rows)
        changes.behind += absent.sorted()
        // A store that went back may have lost the row of this machine, too.
        if changes.behind.isEmpty {
            changes.isForgotten = try await isForgotten()
        } else {
            try await stopRefreshes()
        }
        return changes
    }

    private func synchronize(
        _ id: UUID, _ record: SharedRecord, _ changes: inout Changes
    ) async throws(VaultError) {
        guard try vault.hasAccount(id) else {
            if try addCopy(of: record, as: id) { changes.added.append(id) }
            if !record.awaited.isEmpty { changes.repair = store.repair(of: record) }
            return
        }
        let isSame = try vault.records.read(.session, of: id).generation == record.generation
        if isSame, record.account != nil, record.awaited.isEmpty, try !vault.hasIntent(id) { return }
        guard let lock = try vault.tryLock(id) else { return changes.busy.append(id) }
        do { try await catchUp(id, under: lock) } catch {
            switch error {
            case .storeWentBack: changes.behind.append(id)
            case .noSuchAccount: changes.removed.append(id)
            case .repairing(let repair): changes.repair = repair
            default: throw error
            }
        }
    }

    /// Checks that the store can be reached and has the vault, before a person does something that ends in a write.
    package func requireStore() async throws(VaultError) { _ = try await storeHeader() }

    /// Checks that the store keeps what it confirms: see `RowStore.checkDurability()`.
    package func checkStore() async throws(VaultError) {
        do { try await store.rows.checkDurability() } catch { throw .store(error) }
    }

    /// Adds the copy of an account that another machine has added.
    ///
    /// - Returns: whether the account is new here.
    func addCopy(of record: SharedRecord, as id: UUID) throws(VaultError) -> Bool {
        guard let account = record.account else { return false }
        let lock = try vault.lockAccounts()
        guard try !vault.hasAccount(id) else { return false }
        try vault.editor.add(
            id, profile: account.profile, session: account.session, generation: record.generation,
            isMirrored: false, names: vault.names(in: account.profile))
        _ = consume lock
        return true
    }

    /// The records of all accounts.
    func rows() async throws(VaultError) -> [(id: UUID, record: SharedRecord)] {
        var records: [(UUID, SharedRecord)] = []
        for row in try await list(SharedRecord.keys) {
            guard let id = UUID(text: String(row.key.dropFirst(SharedRecord.keys.count))) else { continue }
            records.append((id, try SharedRecord(row.value, of: id, in: files)))
        }
        return records
    }

    func list(_ prefix: String) async throws(VaultError) -> [StoredRow] {
        var rows: [StoredRow] = []
        while true {
            let page: [StoredRow]
            do { page = try await store.rows.list(prefix, after: rows.last?.key, limit: Self.page) } catch {
                throw .store(error)
            }
            rows += page
            if page.count < Self.page { return rows }
        }
    }
}

// MARK: - One account

extension SharedAccounts {
    /// Brings this machine's copy up to date: see ``SharedAccount/catchUp(under:holding:waiting:)``.
    ///
    /// - Throws: ``VaultError/noSuchAccount(_:)`` if another machine has logged out of it.
    package func catchUp(_ id: UUID, under lock: borrowing AccountLock) async throws(VaultError) {
        try await SharedAccount(id, in: vault, store).catchUp(under: lock, holding: "", waiting: .zero)
    }

    /// Whether this machine has begun a refresh of an account and not finished it, or has its answer and the store does not.
    package func isUnfinished(_ id: UUID) throws(VaultError) -> Bool {
        try vault.intents.read(of: id)?.claim != nil
    }

    /// Adds the copy of an account that another machine has added.
    ///
    /// - Returns: whether the account is here. After a logout elsewhere, its files may still be.
    package func fetch(_ id: UUID) async throws(VaultError) -> Bool {
        guard let read = try await store.read(id, files) else { return false }
        if try read.record.session(of: id)?.clientKeyID != nil { try await takeClients() }
        if try addCopy(of: read.record, as: id) { return true }
        return try vault.hasAccount(id)
    }

    /// Puts an account into the store that is only here.
    ///
    /// - Throws: ``VaultError/overtaken`` if the store has another state of it.
    func publish(_ id: UUID, under lock: borrowing AccountLock) async throws(VaultError) {
        try vault.locks.require(lock, of: id)
        let session = try vault.read(.session, of: id)
        let record = SharedRecord(
            account: AccountRecords(
                profile: try vault.read(.profile, of: id).content, session: session.content),
            generation: session.generation, attempt: try vault.intents.read(of: id)?.sent?.claimed(nil))
        if try await store.write(record, over: nil, of: id, files) != nil { return }
        let found = try await store.read(id, files)?.record
        guard found?.generation == record.generation, found?.account?.session == session.content else {
            throw .overtaken
        }
    }

    /// Takes a new account out of the store again, because it could not be added here, unless another login has replaced its
    /// session. Machines that have copied it drop it.
    ///
    /// - Returns: whether the store does not have this session any more.
    func takeBack(_ id: UUID, _ session: Session) async throws(VaultError) -> Bool {
        while let read = try await store.read(id, files), let found = try read.record.session(of: id) {
            guard found.isOfSameLogin(as: session) else { return false }
            if try await bury(id, read) { return true }
        }
        return true
    }

    /// Leaves a tombstone in place of a record.
    private func bury(_ id: UUID, _ read: SharedRow) async throws(VaultError) -> Bool {
        let gone = SharedRecord(account: nil, generation: read.record.generation + 1)
        return try await store.write(gone, over: read, of: id, files) != nil
    }

    /// Replaces the records of an account without a rotation, in the store and here. A new session ends every claim on the earlier
    /// one.
    ///
    /// - Parameters:
    ///   - begin: is called before each write with its condition, and with nil after one that was certainly not made.
    ///   - change: makes the new records from those of each attempt; nil if nothing is to be written. It is told whether an earlier
    ///     attempt may have been made, and another machine changed the record since.
    /// - Returns: whether the records were replaced.
    /// - Throws: ``VaultError/noSuchAccount(_:)`` if another machine has logged out of it.
    package func replace(
        _ id: UUID, under lock: borrowing AccountLock,
        writing begin: (LoginWrite?) throws(VaultError) -> Void,
        _ change: (_ present: PresentAccount, _ mayBeWritten: Bool) throws(VaultError) -> AccountChange?
    ) async throws(VaultError) -> Bool {
        var mayBeWritten = false
        while true {
            try await catchUp(id, under: lock)
            guard let read = try await store.read(id, files) else { throw .storeWentBack(id) }
            guard let present = read.record.account else { continue }
            guard let changed = try change(present.present(id), mayBeWritten) else { return false }
            var record = read.record
            record.account = changed.apply(to: present)
            record.generation += 1
            if changed.session != nil { (record.claim, record.attempt) = (nil, nil) }
            try begin(LoginWrite(account: id, revision: read.revision))
            let outcome: SharedStore.WriteOutcome
            do throws(VaultError) { outcome = try await store.put(record, over: read, of: id, files) } catch {
                if !error.mayBeWritten { try begin(nil) }
                throw error
            }
            switch outcome {
            case .written:
                try vault.adopt(record, of: id, under: lock)
                return true
            case .refused: try begin(nil)
            case .overwritten: mayBeWritten = true
            }
        }
    }

    /// Claims an account that is logged out of next, so that no other machine spends its token meanwhile.
    ///
    /// - Parameter limit: how long to wait for other machines.
    /// - Throws: ``VaultError/claimed(_:)`` after that time.
    package func beginRemoval(
        of id: UUID, under lock: borrowing AccountLock, waiting limit: Duration
    ) async throws(VaultError) {
        let account = SharedAccount(id, in: vault, store)
        try await account.catchUp(under: lock, holding: nil, waiting: limit)
        try await account.claimForRemoval()
    }

    /// Removes an account from the store, under the claim of ``beginRemoval(of:under:waiting:)``. Other machines remove their copies
    /// when they look.
    ///
    /// - Throws: ``VaultError/overtaken`` if another machine has logged in to the account since.
    package func remove(_ id: UUID, under lock: borrowing AccountLock) async throws(VaultError) {
        try vault.locks.require(lock, of: id)
        let own = try vault.intents.read(of: id)?.claim?.id
        // A profile that can't be read has no row that is known.
        var login = (try? vault.account(id)).map(login(of:))
        while true {
            // The row is read before the tombstone is left, so that an import after that keeps its row.
            let row = try await readableRow(of: login)
            guard let read = try await store.read(id, files), read.record.account != nil else { return }
            // A new login on another machine has ended the claim of this one.
            guard let claim = read.record.claim, claim.id == own else { throw .overtaken }
            if let present = try? read.record.decodedAccount(of: id),
                login?.account.isSameLogin(as: present) == false
            {
                login = self.login(of: present)
                continue
            }
            guard try await bury(id, read) else { continue }
            if let login { await deleteRow(row, of: login, if: id) }
            return
        }
    }
}
