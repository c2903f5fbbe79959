package import ATPCryptography
package import ATPPlatform
package import FoundationEssentials

/// Key slots and the vault key.
extension CredentialVault {
    /// Adds a key slot. A key file that does not exist is created. A key file of a shared vault opens it on all machines.
    ///
    /// - Parameters:
    ///   - name: nil to name the slot after its kind, with a number if that name is taken.
    ///   - cost: the scrypt cost of a passphrase. A key file has no cost.
    /// - Returns: the name of the slot.
    @discardableResult
    package func addKey(
        _ source: KeySource, named name: String?, cost: Scrypt.Parameters = .standard
    ) async throws(VaultError) -> String {
        let shared: SharedAccounts? = if case .keyFile = source { sharedAccounts } else { nil }
        return try await KeySlotEditor(header: header).add(source, named: name, cost: cost, to: shared)
    }

    /// Removes a key slot, but not the last one. The vault key stays the same, so someone who knows it already can
    /// still open the vault.
    package func removeKey(named name: String) async throws(VaultError) {
        try await KeySlotEditor(header: header).remove(name, from: sharedAccounts)
    }

    /// Adds the key slot of a desktop keyring, in place of an earlier one.
    ///
    /// - Parameter secret: 32 random bytes.
    package func remember(_ secret: SecretBytes) throws(VaultError) {
        try KeySlotEditor(header: header).remember(secret)
    }

    /// Replaces the passphrase of a key slot.
    package func changePassphrase(
        of name: String, to passphrase: SecretBytes, cost: Scrypt.Parameters = .standard
    ) throws(VaultError) {
        try KeySlotEditor(header: header).changePassphrase(of: name, to: passphrase, cost: cost)
    }

    /// Whether other machines share a vault, as far as its header says. It needs no key, so nothing may depend on it but words.
    package static func isShared(at home: String) throws(VaultError) -> Bool {
        try store(home).read().shared != nil
    }

    /// The id of a vault with a key slot for a desktop keyring; nil without such a slot.
    package static func rememberedID(at home: String) throws(VaultError) -> UUID? {
        let header = try store(home).read()
        return header.slots.contains(where: \.isRemembered) ? header.id : nil
    }

    /// Opens a vault with the secret that a desktop keyring has for it; nil if the secret is wrong.
    package static func openRemembered(
        at home: String, secret: SecretBytes, stores: StoreOpener? = nil
    ) throws(VaultError) -> CredentialVault? {
        let store = store(home)
        let header = try store.read()
        guard let slot = header.slots.first(where: \.isRemembered),
            let keys = try slot.unwrap(secret, vault: header.id, keyID: header.keyID)
        else { return nil }
        guard header.isAuthentic(keys) else { throw VaultHeader.inauthentic(store.layout.header) }
        return try CredentialVault(try UnlockedHeader(header, keys, in: store), stores)
    }

    /// The vault key, for another process of this program (``open(at:handedOver:)``).
    package var handedOverKey: SecretBytes { header.keys.handedOver }

    /// Opens a vault with the key that another process of this program handed over.
    ///
    /// - Throws: ``VaultError/keyChanged`` if it is not the key of this vault, or not any more.
    package static func open(
        at home: String, handedOver key: SecretBytes, stores: StoreOpener? = nil
    ) throws(VaultError) -> CredentialVault {
        let store = store(home)
        let header = try store.read()
        guard let keys = VaultKeys(handedOver: key), keys.id == header.keyID, header.isAuthentic(keys) else {
            throw .keyChanged
        }
        return try CredentialVault(try UnlockedHeader(header, keys, in: store), stores)
    }

    /// Whether a change of the vault key is unfinished.
    package var isRekeying: Bool { header.previousKeys != nil }

    /// Prepares a change of the vault key. Only the key slots whose sources are given will stay.
    ///
    /// - Parameter cost: the new scrypt cost of passphrases. Key files have no cost.
    /// - Throws: ``VaultError/wrongPassphrase`` or ``VaultError/wrongKeyFile(path:)`` if a source opens no slot, and
    ///   ``VaultError/sharingRefused(_:)`` if the vault is shared.
    package func planRekeying(
        keeping sources: [KeySource], cost: Scrypt.Parameters = .standard
    ) throws(VaultError) -> RekeyingPlan {
        if shared != nil { throw .sharingRefused(.newKey) }
        return try rekeying.plan(keeping: sources, cost: cost)
    }

    /// Begins a change of the vault key.
    ///
    /// - Returns: the vault under the new key. After this call, the old `CredentialVault` object can only read files
    ///   that were sealed before.
    /// - Throws: ``VaultError/keyChanged`` if the header has changed since the plan was made.
    package func beginRekeying(_ plan: RekeyingPlan) throws(VaultError) -> CredentialVault {
        try CredentialVault(try rekeying.begin(plan), nil)
    }

    /// Seals an account under the new vault key, unless that was done already.
    ///
    /// - Parameter names: the names that ``find(name:)`` finds it by.
    package func sealAnew(
        _ id: UUID, names: [String], under lock: borrowing AccountLock
    ) throws(VaultError) {
        try locks.require(lock, of: id)
        try rekeying.reseal(id, names: names)
    }

    /// Ends a change of the vault key: removes the previous key if no file is sealed under it.
    ///
    /// - Returns: the accounts that are still sealed under the previous key. If the list is not empty, the key stays.
    package func endRekeying() throws(VaultError) -> [UUID] { try rekeying.end() }

    private var rekeying: Rekeying {
        Rekeying(
            header: header, accounts: directories, records: records, names: names, active: activePointer,
            logins: logins, clients: clientFiles)
    }
}

/// Check and repair.
extension CredentialVault {
    /// Opens every file of the vault and changes none.
    package func check() throws(VaultError) -> VaultCheck {
        let checker = VaultChecker(
            store: header.store, accounts: directories, files: files, intents: intents, names: names,
            active: activePointer, logins: logins, clients: clientFiles, workshop: workshop)
        return try checker.check()
    }

    /// Repairs the files of an account from their second copies.
    package func restore(
        _ id: UUID, under lock: borrowing AccountLock
    ) throws(VaultError) -> [Restoration] {
        try locks.require(lock, of: id)
        return try AccountRestorer(layout: layout, files: files, mirror: mirror).restore(id)
    }

    /// Rebuilds a damaged or missing index of names from its readable files and the names given.
    ///
    /// - Parameter accounts: all accounts that have names.
    /// - Returns: the damaged files of the index. They were removed.
    package func rebuildNames(_ accounts: [(id: UUID, names: [String])]) throws(VaultError) -> [Restoration] {
        let lock = try header.lock()
        let done = try names.rebuild(with: accounts)
        _ = consume lock
        return done
    }

    /// Writes the second copy of the header again if it differs from the header; nil if they are equal.
    package func restoreHeaderCopy() throws(VaultError) -> Restoration? {
        let lock = try header.lock()
        let done = HeaderRestorer(store: header.store).restoreCopy(of: try header.readAgain())
        _ = consume lock
        return done
    }

    /// Removes the files that killed processes left in the workshop. The result names files that can't be removed.
    package func discardLeftovers() throws(VaultError) -> [Restoration] {
        let lock = try header.lock()
        let done = workshop.discardLeftovers()
        _ = consume lock
        return done
    }
}

/// Logins that wait for their account.
extension CredentialVault {
    /// Keeps a finished login durably until its account can be changed. Keeping it again changes nothing.
    package func keep(_ login: KeptLogin, at date: Date) throws(VaultError) {
        let lock = try header.lock()
        try logins.write(login, at: date)
        _ = consume lock
    }

    /// Changes the file of a kept login.
    ///
    /// - Returns: false if another process has finished or dropped it.
    func keepAgain(_ login: KeptLogin, at date: Date) throws(VaultError) -> Bool {
        let lock = try header.lock()
        let isKept = try isKept(login.id)
        if isKept { try logins.write(login, at: date) }
        _ = consume lock
        return isKept
    }

    /// The logins that are kept, the latest first.
    package func keptLogins() throws(VaultError) -> [KeptLogin] { try logins.all() }

    /// Whether a login is still kept. Under the account's lock, a login that is gone was finished by another process.
    package func isKept(_ login: UUID) throws(VaultError) -> Bool {
        try VaultFiles.exists(layout.login(login).path)
    }

    /// - Returns: whether the login was kept until now.
    package func removeKept(_ login: UUID) throws(VaultError) -> Bool {
        let lock = try header.lock()
        let wasKept = try isKept(login)
        if wasKept { try VaultFiles.remove(layout.login(login).path) }
        _ = consume lock
        return wasKept
    }

    /// Removes the damaged files of kept logins.
    package func discardDamagedLogins() throws(VaultError) -> [Restoration] {
        let lock = try header.lock()
        let done = try logins.discardDamaged()
        _ = consume lock
        return done
    }
}

/// Machines.
extension CredentialVault {
    /// Whether the vault was used before, but never on this machine.
    ///
    /// Refresh tokens can be used once. If two copies of a vault are both used, the server ends the sessions of both.
    package func comes(toAnother machine: MachineID) -> Bool {
        let mark = MachineMark(machine, in: id)
        return !header.machines.isEmpty && !header.machines.contains(mark)
    }

    /// Remembers that the vault is used on a machine. The header keeps the latest ``VaultHeader/mostMachines`` marks.
    ///
    /// - Throws: ``VaultError/busy(holder:)`` if another process changes the header. The caller can go on
    ///   without the mark, so this does not wait.
    package func remember(_ machine: MachineID) throws(VaultError) {
        let mark = MachineMark(machine, in: id)
        guard !header.machines.contains(mark) else { return }
        try header.change(waiting: .zero) { content throws(VaultError) in
            guard !content.machines.contains(mark) else { return }
            content.machines = content.machines.suffix(VaultHeader.mostMachines - 1) + [mark]
        }
    }
}

/// Without a key.
extension CredentialVault {
    /// Whether a directory contains a vault.
    ///
    /// - Throws: ``VaultError/headerMissing(home:)`` if the directory has accounts but no header.
    package static func exists(at home: String) throws(VaultError) -> Bool { try store(home).exists() }

    /// The kinds of the vault's key slots.
    package static func keyKinds(at home: String) throws(VaultError) -> Set<KeyKind> {
        Set(try store(home).read().slots.map(\.method.kind))
    }

    /// The facts about a vault that are readable without its key.
    package static func summary(at home: String) throws(VaultError) -> VaultSummary {
        let store = store(home)
        let header = try store.read()
        return VaultSummary(
            id: header.id, home: home, format: header.format, slots: header.slots.map(\.summary),
            isRekeying: header.previousKey != nil,
            accounts: try AccountDirectories(layout: store.layout).accounts().count,
            sharing: header.shared.map { VaultSummary.Sharing(store: $0.store, machine: $0.machine) })
    }

    /// Removes an account that can't be opened any more.
    ///
    /// - Throws: ``VaultError/busy(holder:)`` if another process has the account's lock.
    package static func removeUnreadable(_ id: UUID, at home: String) throws(VaultError) {
        try AccountEditor.removeUnreadable(id, in: store(home))
    }

    /// The files that killed processes left in the workshop, sorted.
    ///
    /// - Returns: an empty list while another process may be adding or removing an account.
    package static func leftovers(at home: String) throws(VaultError) -> [String] {
        try Workshop(store: store(home)).leftovers()
    }

    /// Replaces a damaged or missing header with its second copy. Opening the vault afterwards shows whether the copy
    /// is authentic.
    ///
    /// - Returns: nil if the header is undamaged, or if the copy is unusable too.
    package static func restoreHeader(at home: String) throws(VaultError) -> Restoration? {
        try HeaderRestorer(store: store(home)).restoreHeader()
    }

    /// A mark that ``forgetKey(at:)`` changes. A process that keeps the key in its memory compares it, to notice that the
    /// vault was locked. Nil if the kernel keeps no keys.
    package func unlockMark() -> [UInt8]? { try? UnlockCache.mark(of: header.id) }

    /// Whether a mark is still the present one. If that can't be told, it is not.
    package func has(_ mark: [UInt8]) -> Bool { unlockMark() == mark }

    /// Removes the vault's key from the unlock cache.
    ///
    /// - Returns: whether the cache held the key.
    /// - Throws: ``VaultError/keyringUnavailable(_:)`` if the kernel's keyring can't be searched.
    package static func forgetKey(at home: String) throws(VaultError) -> Bool {
        try UnlockCache.remove(store(home).read().id)
    }

    /// When the unlock cache gave up the vault's key; nil if its time is not over, was ended before by ``forgetKey(at:)``, or
    /// was over more than a day ago.
    package static func unlockEnd(at home: String) throws(VaultError) -> Date? {
        UnlockCache.end(of: try store(home).read().id)
    }

    /// Removes the keys of all vaults of this user from the unlock cache. This also works if the vault can't be found.
    ///
    /// - Returns: the number of removed keys.
    /// - Throws: ``VaultError/keyringUnavailable(_:)`` if the kernel's keyring can't be searched.
    package static func forgetAllKeys() throws(VaultError) -> Int { try UnlockCache.removeAll() }

    private static func store(_ home: String) -> HeaderStore {
        HeaderStore(layout: VaultLayout(home: home))
    }
}
