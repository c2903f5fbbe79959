package import ATPPlatform
package import FoundationEssentials

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

    /// Checks that the vault is on a file system whose locks keep other processes out.
    ///
    /// - Throws: ``VaultError/io(_:)`` with ``ATPPlatform/SystemError/saysNoLocks`` if it is not.
    package static func verifyLocks(at home: String) throws(VaultError) { try store(home).verifyLocks() }

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

    static func store(_ home: String) -> HeaderStore {
        HeaderStore(layout: VaultLayout(home: home))
    }
}
