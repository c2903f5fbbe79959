internal import ATPCryptography
internal import ATPPlatform
public import ATProtoIdentity
public import ATProtoSessions
public import FoundationEssentials

/// What opens a vault.
public struct VaultKey: Sendable {
    let source: KeySource
    /// Whether it is a passphrase without a character, which opens nothing.
    fileprivate var isEmpty = false

    /// A file of 32 random bytes, which only its owner may read, or a credential that systemd gives to this user alone.
    /// ``FileVault/create(at:key:)`` makes a file that does not exist.
    public static func keyFile(_ path: String) -> VaultKey { VaultKey(source: .keyFile(path: path)) }

    /// A passphrase. Deriving the key takes about half a second of a core, and 128 MB.
    public static func passphrase(_ text: String) -> VaultKey {
        VaultKey(source: .passphrase(SecretBytes(Array(text.utf8))), isEmpty: text.isEmpty)
    }
}

/// Accounts and sessions in an encrypted folder, the vault of the command line `bskyauth`.
///
/// Several processes may use a vault at the same time: an account's lock keeps others out while its token is spent. Every result
/// is on disk before it is used, so a crash or a loss of power loses no session that was saved.
///
/// The calls wait for the disk and for locks on threads of their own, and not on those of Swift's tasks. What they have read stays
/// in memory, and is used again while its files are the same.
public struct FileVault: SessionStore {
    let vault: CredentialVault
    private let sessions: VaultSessionStore
    let rules: VaultAccounts

    /// How long a login or a logout waits for a refresh of the same account: longer than a refresh can take.
    static let longestTurn = Turn.longest

    package init(_ vault: CredentialVault) {
        self.vault = vault
        sessions = VaultSessionStore(vault, for: Host(vault: vault))
        rules = VaultAccounts(vault)
    }

    /// Opens a vault.
    ///
    /// - Parameters:
    ///   - folder: the path of the vault.
    ///   - key: what opens it.
    ///   - stores: opens the store if the vault is shared with other machines. Nil: a shared vault is not opened.
    /// - Throws: `StoreError.Code.missing` if there is none, and `.notOpened` if the key does not open it or others may read it.
    public static func open(
        at folder: String, key: VaultKey, stores: Stores? = nil
    ) async throws(StoreError) -> FileVault {
        try await made(key) { () throws(VaultError) in
            try CredentialVault.open(
                at: PrivateDirectory.linked(folder), key: key.source, stores: stores?.opener)
        }
    }

    /// Creates a vault in a folder that has none.
    ///
    /// - Parameters:
    ///   - folder: the path of the vault. It is created with its parents.
    ///   - key: what will open it.
    /// - Throws: `StoreError.Code.notOpened` if there is one already, or the folder can't be made.
    public static func create(at folder: String, key: VaultKey) async throws(StoreError) -> FileVault {
        try await made(key) { () throws(VaultError) in
            try CredentialVault.create(at: PrivateDirectory.linked(folder), key: key.source)
        }
    }

    private static func made(
        _ key: VaultKey, _ vault: () throws(VaultError) -> CredentialVault
    ) async throws(StoreError) -> FileVault {
        if key.isEmpty { throw StoreError(.notOpened, EmptyPassphrase()) }
        return try await withTaskExecutorPreference(BlockingWork.shared) { () async throws(StoreError) in
            do throws(VaultError) { return FileVault(try vault()) } catch {
                let isMissing = if case .noVault = error { true } else { false }
                throw StoreError(isMissing ? .missing : .notOpened, VaultProblem(error: error))
            }
        }
    }

    // MARK: Accounts

    /// All accounts, in any order. One that is damaged is left out, so that it does not hide the others; `bskyauth vault verify`
    /// names it. A shared vault takes over the accounts of other machines first.
    public func accounts() async throws(StoreError) -> [Account] {
        try await Self.blocking { () async throws(VaultError) in
            // An account that another machine has logged out of stays here if its files can't be removed.
            let removed = try await rules.lookForOthers()
            return try rules.readable(try vault.accounts().filter { !removed.contains($0) })
        }
    }

    /// The accounts with a DID. The time does not depend on the number of other accounts, and an account that is damaged is left
    /// out. Of a shared vault, these are the ones that this machine has: ``accounts()`` looks for those of others too.
    public func accounts(of did: DID) async throws(StoreError) -> [Account] {
        try await Self.blocking { () throws(VaultError) in
            // Without its index, a vault finds them only among all accounts.
            let ids =
                if let found = try vault.find(name: did.description) { found } else { try vault.accounts() }
            return try rules.readable(ids).filter { $0.did == did }
        }
    }

    /// An account.
    public func account(_ id: UUID) async throws(StoreError) -> Account {
        if let known = rules.knownAccount(id) { return known }
        return try await Self.blocking { () async throws(VaultError) in
            try await reading(id) { () throws(VaultError) in try rules.remember(id) }
        }
    }

    /// Saves a login. A new account appears completely or not at all.
    public func save(_ account: Account, _ session: Session) async throws(StoreError) {
        try await Self.blocking { () async throws(VaultError) in
            guard try await vault.place.isThere(account.id) else {
                return try await vault.place.addAnyway(account, session)
            }
            let lock = try await vault.lock(account.id, timeout: Self.longestTurn)
            _ = try await rules.replace(account.id, under: lock) { present, _ throws(VaultError) in
                // Nothing is replaced of an account that can't be read.
                let label = try present.account().label
                return AccountChange(account: account.with(label: label), session: session)
            }
        }
    }

    /// Saves a login so that a DID, label and network have one account, also if several processes or
    /// machines log in at once.
    ///
    /// A login whose account another process uses is kept in the vault while this one waits. `bskyauth vault restore` and the next
    /// login of the account finish a login that is kept.
    public func saveLogin(
        _ account: Account, _ session: Session, replacing: Bool
    ) async throws(StoreError) -> SavedLogin? {
        let result = try await Self.blocking { () async throws(VaultError) -> VaultAccounts.SaveResult? in
            guard replacing else {
                if try await rules.add(account, session) != nil { return nil }
                return .saved(VaultAccounts.Saved(account: account, session: session, replaced: []))
            }
            return try await rules.save(account, session, at: Date()) { holder async throws(VaultError) in
                try await vault.lock(holder.id, timeout: Self.longestTurn)
            }
        }
        switch result {
        case .saved(let saved): return SavedLogin(account: saved.account, replaced: saved.replaced)
        case .kept(let error): throw StoreError(.kept, error)
        case nil: return nil
        }
    }

    /// Replaces the facts about an account that its server tells.
    public func update(_ account: Account) async throws(StoreError) {
        try await Self.blocking { () async throws(VaultError) in
            guard try await vault.place.isThere(account.id) else { throw .noSuchAccount(account.id) }
            let lock = try await vault.lock(account.id, timeout: Self.longestTurn)
            try await rules.update(account, under: lock)
        }
    }

    // MARK: Sessions

    /// The session of an account.
    public func session(_ id: UUID) async throws(StoreError) -> Session {
        if let known = rules.knownSession(id) { return known }
        return try await Self.blocking { () async throws(VaultError) in
            try await reading(id) { () throws(VaultError) in try rules.rememberSession(id) }
        }
    }

    /// Lets one caller spend the refresh token of a session. See `RotationStore`.
    public func rotate(
        _ id: UUID, holding: String, waiting limit: Duration,
        _ spend: @Sendable (consuming RotationPermit) async -> RotationResult
    ) async throws(StoreError) -> Session {
        try await withTaskExecutorPreference(BlockingWork.shared) { () async throws(StoreError) in
            try await sessions.rotate(id, holding: holding, waiting: limit, spend)
        }
    }

    /// Runs work that waits for the disk and for locks.
    static func blocking<Value: Sendable>(
        _ work: () async throws(VaultError) -> Value
    ) async throws(StoreError) -> Value {
        try await withTaskExecutorPreference(BlockingWork.shared) { () async throws(StoreError) in
            do { return try await work() } catch { throw StoreError(vault: error) }
        }
    }

    /// Adds nothing to the rotations of a vault.
    private struct Host: RotationHost {
        let vault: CredentialVault

        func lock(_ id: UUID, waiting limit: Duration) async throws -> AccountLock {
            try await vault.lock(id, timeout: limit)
        }

        func session(_ id: UUID) throws -> Session { try vault.session(of: id) }

        func prepare(_ id: UUID, under lock: borrowing AccountLock) async throws {}
        func settle(_ id: UUID, isNew: Bool, under lock: borrowing AccountLock) async throws {}
        func unreadAnswerLost(_ error: VaultError) {}
        func keptHereOnly(_ error: VaultError) {}
        func finish() {}
    }
}

private struct EmptyPassphrase: Error, CustomStringConvertible {
    var description: String { "the passphrase is empty" }
}

/// Why a vault could not be opened, in plain English.
private struct VaultProblem: Error, CustomStringConvertible {
    let error: VaultError

    var description: String {
        switch error {
        case .noVault(let home): "there is no vault in \(home)"
        case .exists(let home): "there is a vault in \(home) already"
        case .noDirectory(let home): "a part of the path \(home) is no folder"
        case .headerMissing(let home): "the vault in \(home) has lost its vault.json"
        case .wrongPassphrase: "the passphrase is wrong"
        case .wrongKeyFile(let path): "the key file \(path) does not open this vault"
        case .keyFileMissing(let path): "there is no key file \(path)"
        case .keyFileUnusable(let path): "\(path) is no key file"
        case .noSuchSlot: "a key of another kind opens this vault: a passphrase, or a key file"
        case .damaged(let file, let reason): "\(file) \(reason)"
        case .unreadableRecord(let id, let error): "a record of \(id.text) has an unreadable \(error.member)"
        case .newerFormat(let file, _): "a later version of this library wrote \(file)"
        case .unsafePermissions(let path, _): "others could read or change \(path)"
        case .foreignOwner(let path): "\(path) belongs to another user"
        case .symlink(let path): "\(path) is a symbolic link"
        case .keyFileOpen(let path, _): "others can read or replace the key file \(path)"
        case .shared(let home):
            "the vault in \(home) is shared with other machines, and no way to its store was given"
        case .storeURL(let url, let reason): "the store \(url) can't be used: \(reason)"
        case .io(let error), .unwritable(let error), .keyFileUnwritable(let error): "\(error)"
        default: "\(error)"
        }
    }
}
