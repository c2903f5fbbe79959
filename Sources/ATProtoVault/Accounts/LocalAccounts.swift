internal import ATPCryptography
internal import ATProtoIdentity
internal import ATProtoSessions
internal import FoundationEssentials

/// Changes of the accounts in this machine's files: under which locks they check and write, and in which order.
struct LocalAccounts: Sendable {
    let vault: CredentialVault

    private var accounts: VaultAccounts { VaultAccounts(vault) }

    /// How often the index of names is repaired before a change.
    private static let repairs = 3

    /// Adds an account completely or not at all, unless the vault has an account of the same login or with the same UUID. The check
    /// and the write are under one lock, so the second of two logins at once finds the account of the first.
    ///
    /// - Parameters:
    ///   - imported: the generation of an imported account, which it keeps; nil for a login.
    ///   - check: throws if the account must not be added. It runs under the same lock.
    /// - Returns: the account that the vault has already; nil if the new account was added.
    func add(
        _ account: Account, _ session: Session, imported: UInt64?,
        checking check: () throws(VaultError) -> Void
    ) throws(VaultError) -> Account? {
        for _ in 0..<Self.repairs {
            // A repair reads all accounts and takes the lock itself, so it comes before the lock.
            try accounts.repairNames(account.names)
            let lock = try vault.lockAccounts()
            // Without the index, all accounts would have to be read under the lock. Another process has damaged it since.
            guard let found = try vault.find(name: account.did.description) else { continue }
            if try vault.hasAccount(account.id) { return try vault.account(account.id) }
            if let taken = try accounts.readable(found).first(where: { $0.isSameLogin(as: account) }) {
                return taken
            }
            try check()
            try vault.add(
                account.id, profile: account.record, session: session.record, imported: imported,
                names: account.names, under: lock)
            return nil
        }
        throw .busy(holder: nil)
    }

    /// Replaces an account and its session: first the names, then the account, then the session. Until the last write, the account has
    /// its complete old session, and the new tokens never go to the server that the account had before.
    ///
    /// - Returns: whether anything was to be written.
    func replace(
        _ id: UUID, under lock: borrowing AccountLock,
        _ change: (PresentAccount) throws(VaultError) -> AccountChange?
    ) throws(VaultError) -> Bool {
        let present = present(id)
        guard let changed = try change(present) else { return false }
        if let account = changed.account {
            let before = try present.account()
            try accounts.repairNames(account.names)
            let accountsLock = try vault.lockAccounts()
            try vault.replaceProfile(
                account.record, of: id, names: account.names, givingUp: before.names, under: lock,
                accountsLock)
            _ = consume accountsLock
        }
        guard let session = changed.session else { return true }
        do throws(VaultError) { try vault.replaceSession(session.record, of: id, under: lock) } catch {
            // The record may have been replaced before the error. The caller revokes a login that failed, so look.
            guard try vault.session(of: id).tokenFingerprint == session.tokenFingerprint else {
                throw error
            }
        }
        return true
    }

    private func present(_ id: UUID) -> PresentAccount {
        PresentAccount(
            id: id, profile: content(.profile, of: id), session: content(.session, of: id))
    }

    private func content(_ kind: RecordKind, of id: UUID) -> Result<SecretBytes, VaultError> {
        do { return .success(try vault.read(kind, of: id).content) } catch { return .failure(error) }
    }
}

/// The place of the accounts of a vault that is on this machine alone.
extension LocalAccounts: AccountPlace {
    func isThere(_ id: UUID) throws(VaultError) -> Bool { try vault.hasAccount(id) }
    func lookForOthers() -> [UUID] { [] }
    func requireStore() {}
    func catchUp(_ id: UUID, under lock: borrowing AccountLock) {}
    func isUnfinished(_ id: UUID) -> Bool { false }
    func beginRemoval(of id: UUID, under lock: borrowing AccountLock, waiting limit: Duration) {}
    func remove(_ id: UUID, under lock: borrowing AccountLock) {}

    func addAnyway(_ account: Account, _ session: Session) throws(VaultError) {
        try vault.add(
            account.id, profile: account.record, session: session.record, names: account.names)
    }

    func addNew(
        _ login: inout LoginToSave, checking check: () throws(VaultError) -> Void
    ) throws(VaultError) -> LoginPlace? {
        let holder = try add(login.account, login.session, imported: nil, checking: check)
        return holder.map { .holder($0) } ?? .added
    }

    func finish(
        _ write: LoginWrite, of login: inout LoginToSave
    ) throws(VaultError) -> VaultAccounts.Saved {
        // The sharing has ended, and all accounts of the store are here.
        guard try vault.hasAccount(write.account) else { throw login.end() }
        return login.saved(as: try vault.account(write.account), try vault.session(of: write.account))
    }

    func replace(
        _ id: UUID, under lock: borrowing AccountLock,
        writing begin: (LoginWrite?) throws(VaultError) -> Void,
        _ change: (_ present: PresentAccount, _ mayBeWritten: Bool) throws(VaultError) -> AccountChange?
    ) throws(VaultError) -> Bool {
        try replace(id, under: lock) { present throws(VaultError) in try change(present, false) }
    }

    func rename(
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
