package import ATPCryptography
package import ATPPlatform
internal import ATProtoSessions
package import FoundationEssentials
internal import OAuthDPoP

/// An open vault: sealed files of accounts, in the layout that ``VaultLayout`` describes.
///
/// A read returns what was written for that account, or an error that names the file. A write is durable when the
/// call returns. After a crash at any instant, each file is the old one or the new one. Reads take no lock.
///
/// This class takes the locks and passes the work on to its parts, each of which knows some of the files.
package final class CredentialVault: Sendable {
    /// The directory of the vault.
    package let home: String
    /// The vault's UUID. It was chosen when the vault was created.
    package var id: UUID { header.id }

    let header: UnlockedHeader
    let directories: AccountDirectories
    let locks: AccountLocks
    let files: SealedFileStore
    let records: RecordFiles
    let intents: IntentFiles
    let claimWatch: ClaimWatch
    let mirror: MirrorMark
    let names: NameIndex
    let activePointer: ActivePointer
    let logins: KeptLogins
    let clientFiles: ClientFiles
    let workshop: Workshop
    /// The store of a shared vault; nil for a vault of this machine alone.
    let shared: SharedStore?

    var layout: VaultLayout { header.store.layout }

    /// - Parameter stores: opens the store if the vault is shared.
    init(_ header: UnlockedHeader, _ stores: StoreOpener?) throws(VaultError) {
        let layout = header.store.layout
        home = layout.home
        self.header = header
        directories = AccountDirectories(layout: layout)
        locks = AccountLocks(header: header, accounts: directories)
        files = SealedFileStore(header: header)
        records = RecordFiles(layout: layout, files: files)
        intents = IntentFiles(layout: layout, files: files)
        claimWatch = ClaimWatch(layout: layout, files: files)
        mirror = MirrorMark(records: records)
        logins = KeptLogins(layout: layout, files: files)
        clientFiles = ClientFiles(layout: layout, files: files)
        workshop = Workshop(store: header.store)
        names = NameIndex(files: files, accounts: directories, workshop: workshop)
        activePointer = ActivePointer(files: files, accounts: directories)
        if let place = header.shared {
            guard let stores else { throw .shared(home: layout.home) }
            shared = try stores.store(place, of: header)
        } else {
            shared = nil
        }
    }

    /// Creates a vault. A key file that does not exist is created too.
    ///
    /// - Parameter machine: the machine that the vault is created on, if that is known.
    /// - Throws: ``VaultError/exists(home:)`` if the directory contains a vault already.
    package static func create(
        at home: String, key: KeySource, cost: Scrypt.Parameters = .standard, machine: MachineID? = nil
    ) throws(VaultError) -> CredentialVault {
        let store = HeaderStore(layout: VaultLayout(home: home))
        guard try !store.exists() else { throw .exists(home: home) }
        let (header, keys) = try create(in: store) { () throws(VaultError) in
            try VaultHeader.create(key, cost, machine)
        }
        return try CredentialVault(try UnlockedHeader(header, keys, in: store), nil)
    }

    /// Creates the directory of a vault and writes its first header.
    static func create(
        in store: HeaderStore, _ header: () throws(VaultError) -> (VaultHeader, VaultKeys)
    ) throws(VaultError) -> (VaultHeader, VaultKeys) {
        let home = store.layout.home
        do { try VaultFiles.createDirectory(home) } catch {
            // The vault does not exist yet, so "damaged" describes the directory only.
            guard case .damaged = error else { throw error }
            throw .noDirectory(home: home)
        }
        try VaultFiles.createDirectory(store.layout.locks)
        try store.verifyLocks()
        let lock = try store.lock()
        guard try !store.exists() else { throw .exists(home: home) }
        let made = try header()
        try store.create(made.0)
        _ = consume lock
        return made
    }

    /// - Parameter stores: opens the store if the vault is shared.
    package static func open(
        at home: String, key: KeySource, stores: StoreOpener? = nil
    ) throws(VaultError) -> CredentialVault {
        try CredentialVault(
            try UnlockedHeader(HeaderStore(layout: VaultLayout(home: home)), key: key), stores)
    }
}

/// Accounts.
extension CredentialVault {
    /// The accounts, sorted.
    package func accounts() throws(VaultError) -> [UUID] { try directories.accounts() }

    /// The accounts, and the directories of accounts that lost their records, sorted. ``hasAccount(_:)`` tells them
    /// apart.
    package func accountsAndRemains() throws(VaultError) -> [UUID] { try directories.all() }

    /// Whether the account exists. The time does not depend on the number of accounts.
    package func hasAccount(_ id: UUID) throws(VaultError) -> Bool { try directories.hasRecord(id) }

    /// The directory of an account's files.
    package func directory(of id: UUID) -> String { layout.account(id) }

    package func read(_ kind: RecordKind, of id: UUID) throws(VaultError) -> StoredRecord {
        try records.read(kind, of: id)
    }

    /// The records of an account, for use outside the vault. Under the lock, both records are of the same moment.
    package func portable(
        _ id: UUID, under lock: borrowing AccountLock
    ) throws(VaultError) -> PortableAccount {
        try locks.require(lock, of: id)
        let profile = try read(.profile, of: id)
        let session = try read(.session, of: id)
        return PortableAccount(
            id: id, profile: profile.content, session: session.content, generation: session.generation)
    }

    /// Adds an account completely or not at all, even if it is interrupted.
    ///
    /// - Parameters:
    ///   - imported: the generation of an imported account, which it keeps; nil for a new account. The account's
    ///     mirror then counts as having the imported session (``mirrorState(of:)``).
    ///   - names: the names that ``find(name:)`` finds the account by.
    package func add(
        _ id: UUID, profile: SecretBytes, session: SecretBytes, imported: UInt64? = nil, names: [String]
    ) throws(VaultError) {
        let lock = try lockAccounts()
        try add(id, profile: profile, session: session, imported: imported, names: names, under: lock)
    }

    /// Adds an account under a lock that the caller took earlier, for example to look for an existing account.
    package func add(
        _ id: UUID, profile: SecretBytes, session: SecretBytes, imported: UInt64?, names: [String],
        under lock: borrowing AccountsLock
    ) throws(VaultError) {
        guard lock.home == home else { throw .busy(holder: nil) }
        try editor.add(
            id, profile: profile, session: session, generation: imported ?? 1, isMirrored: imported != nil,
            names: names)
    }

    /// Replaces the profile of an account and its names.
    ///
    /// - Parameters:
    ///   - names: the names that ``find(name:)`` finds the account by.
    ///   - former: the account's present names. Names that are not in `names` stop leading to the account.
    package func replaceProfile(
        _ content: SecretBytes, of id: UUID, names: [String], givingUp former: [String],
        under lock: borrowing AccountLock, _ accounts: borrowing AccountsLock
    ) throws(VaultError) {
        try locks.require(lock, of: id)
        guard accounts.home == home else { throw .busy(holder: nil) }
        try editor.replaceProfile(content, of: id, names: names, givingUp: former)
    }

    /// Replaces the session of an account without a rotation, as a new login does.
    package func replaceSession(
        _ content: SecretBytes, of id: UUID, under lock: borrowing AccountLock
    ) throws(VaultError) {
        try locks.require(lock, of: id)
        try records.replace(.session, content, of: id)
    }

    /// Removes the answer that could not be read, if there is one. The account has tokens that work.
    package func removeAnswer(of id: UUID, under lock: borrowing AccountLock) throws(VaultError) {
        try locks.require(lock, of: id)
        let file = layout.answer(of: id)
        if try VaultFiles.exists(file.path) { try VaultFiles.remove(file.path) }
    }

    /// The names in a profile; none if it can't be read, and then nothing finds the account by a name.
    func names(in profile: SecretBytes) -> [String] {
        do { return try Account(record: profile).names } catch { return [] }
    }

    var editor: AccountEditor {
        AccountEditor(
            records: records, names: names, mirror: mirror, active: activePointer, workshop: workshop)
    }
}

/// Names, the active account and mirrors.
extension CredentialVault {
    /// The accounts that were given a name, in upper or lower case. The name may be another account's by now:
    /// their profiles tell. The time does not depend on the number of accounts.
    ///
    /// - Returns: nil if the name's file is damaged or the whole index is missing. Then only the profiles tell.
    package func find(name: String) throws(VaultError) -> [UUID]? { try names.find(name) }

    /// The active account. One that was removed counts as logged out of.
    package func active() throws(VaultError) -> ActiveAccount { try activePointer.read() }

    /// Makes an account active. With nil, no account is active, and the vault remembers that the user chose this.
    package func setActive(_ id: UUID?) throws(VaultError) {
        if let id { try directories.require(id) }
        let lock = try header.lock()
        try activePointer.set(id)
        _ = consume lock
    }

    /// Whether an account has a mirror, and whether the mirror has the present session.
    package func mirrorState(of id: UUID) throws(VaultError) -> MirrorState { try mirror.state(of: id) }

    /// Notes that the mirror of an account has the session of a generation.
    package func noteMirror(
        of generation: UInt64, of id: UUID, under lock: borrowing AccountLock
    ) throws(VaultError) {
        try locks.require(lock, of: id)
        try mirror.note(generation, of: id)
    }
}

/// Data outside the vault.
extension CredentialVault: CacheSeal {
    /// An authentication code that only this vault can compute, for a cache that others may be able to write. It
    /// changes with the vault key.
    package func code(ofCached message: [UInt8]) -> [UInt8] {
        header.keys.code(.cache, id.bytes, message: message)
    }

    /// Whether this vault computed the code of a message.
    package func isAuthentic(_ code: [UInt8], ofCached message: [UInt8]) -> Bool {
        ConstantTime.equals(code, self.code(ofCached: message))
    }
}
