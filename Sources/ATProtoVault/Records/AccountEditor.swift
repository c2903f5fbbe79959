internal import ATPCryptography
internal import ATPPlatform
internal import FoundationEssentials

/// Adds, changes and removes accounts. The callers hold the locks that each method needs.
struct AccountEditor {
    let records: RecordFiles
    let names: NameIndex
    let mirror: MirrorMark
    let active: ActivePointer
    let workshop: Workshop

    private var layout: VaultLayout { records.layout }

    /// Adds an account completely or not at all, even if it is interrupted. The caller holds the header's lock.
    ///
    /// The account is built in the workshop, and one rename puts it in place. Its names are written before the rename.
    /// An interruption can leave names that lead to no account. Such names are ignored.
    func add(
        _ id: UUID, profile: SecretBytes, session: SecretBytes, generation: UInt64, isMirrored: Bool,
        names: [String]
    ) throws(VaultError) {
        try VaultFiles.createDirectory(layout.accounts)
        try workshop.prepare()
        let directory = layout.unfinished(id)
        try VaultFiles.createDirectory(directory)
        try records.create(.profile, profile, generation: generation, of: id, in: directory)
        try records.create(.session, session, generation: generation, of: id, in: directory)
        if isMirrored { try mirror.write(generation, of: id, in: directory) }
        try self.names.add(id, to: names)
        try VaultFiles.rename(directory, to: layout.account(id))
    }

    /// Replaces the profile of an account and its names. The caller holds the account's lock and the header's.
    func replaceProfile(
        _ content: SecretBytes, of id: UUID, names: [String], givingUp former: [String]
    ) throws(VaultError) {
        try VaultFiles.verifyDirectory(layout.names)
        // Names come first. A name that the profile does not have is ignored, but a profile whose name is not in
        // the index is not found.
        try self.names.add(id, to: names)
        try records.replace(.profile, content, of: id)
        let kept = Set(names.map { $0.lowercased() })
        try self.names.remove(id, from: former.filter { !kept.contains($0.lowercased()) })
    }

    /// Forgets an account whose directory is gone. The caller holds the account's lock and the header's.
    ///
    /// - Returns: why files are left in the workshop; nil if none are.
    func forget(_ id: UUID, names: [String]) -> VaultError? {
        // A name or a pointer that stays leads to no account, and is ignored.
        do { try active.forget(id) } catch {}
        do { try self.names.remove(id, from: names) } catch {}
        do {
            try workshop.removeLeftovers()
            return nil
        } catch {
            return error
        }
    }

    /// Removes an account without the vault's key. Only the key can change the account's names and the active pointer.
    /// They stay, lead to no account, and are ignored.
    static func removeUnreadable(_ id: UUID, in store: HeaderStore) throws(VaultError) {
        let layout = store.layout
        try AccountDirectories(layout: layout).require(id)
        try VaultFiles.createDirectory(layout.locks)
        let path = layout.lock(of: id)
        let taken: AdvisoryLock?
        do { taken = try AdvisoryLock.tryAcquire(path) } catch { throw VaultError(error, at: path) }
        guard let lock = taken else { throw .busy(holder: AdvisoryLock.holder(of: path)) }
        let header = try store.lock()
        let workshop = Workshop(store: store)
        do { try workshop.takeAway(id) } catch { try workshop.removeInPlace(id) }
        // `vault verify` names what is left.
        do { try workshop.removeLeftovers() } catch {}
        _ = consume header
        _ = consume lock
    }
}
