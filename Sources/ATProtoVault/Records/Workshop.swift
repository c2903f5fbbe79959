internal import ATPPlatform
internal import FoundationEssentials

/// `workshop/`: the directory where an account or an index of names is built, until one rename puts it in place.
/// An account that is removed is renamed into it.
///
/// A process that is killed leaves its directory in the workshop. Readers never look there, and the next change of the
/// accounts removes the directory. Every change of the workshop needs the header's lock.
struct Workshop: Sendable {
    let store: HeaderStore

    private var layout: VaultLayout { store.layout }

    /// Creates an empty workshop.
    func prepare() throws(VaultError) {
        try VaultFiles.createDirectory(layout.workshop)
        try removeLeftovers()
    }

    /// Removes the files that killed processes left. The time does not depend on the number of accounts.
    func removeLeftovers() throws(VaultError) {
        try VaultFiles.verifyDirectory(layout.workshop)
        for name in try VaultFiles.names(in: layout.workshop) {
            try VaultFiles.removeTree(layout.workshop + "/" + name)
        }
    }

    /// Moves an account out of the vault. The account counts as removed when the rename is done.
    func takeAway(_ id: UUID) throws(VaultError) {
        try VaultFiles.createDirectory(layout.workshop)
        if try VaultFiles.exists(layout.removed(id)) { try VaultFiles.removeTree(layout.removed(id)) }
        try VaultFiles.rename(layout.account(id), to: layout.removed(id))
    }

    /// Removes an account whose directory can't be renamed, one file after the other. The records go last, so that the account
    /// can be found after an interruption.
    func removeInPlace(_ id: UUID) throws(VaultError) {
        let directory = layout.account(id)
        guard try VaultFiles.exists(directory) else { return }
        let records = [
            layout.copy(.profile, of: id), layout.copy(.session, of: id), layout.record(.session, of: id),
            layout.record(.profile, of: id),
        ].map(\.path)
        for path in try VaultFiles.names(in: directory).map({ directory + "/" + $0 })
        where !records.contains(path) {
            try VaultFiles.removeTree(path)
        }
        for path in records { try VaultFiles.remove(path) }
        try VaultFiles.removeTree(directory)
        try VaultFiles.sync(layout.accounts)
    }

    /// The directories in the workshop, sorted.
    func contents() throws(VaultError) -> [String] {
        try VaultFiles.verifyDirectory(layout.workshop)
        return try VaultFiles.names(in: layout.workshop).sorted().map { layout.workshop + "/" + $0 }
    }

    /// The files that killed processes left in the workshop, and the temporary ones in the index of names.
    ///
    /// - Returns: an empty list while another process may be adding or removing an account, because the files can
    ///   belong to that process.
    func leftovers() throws(VaultError) -> [String] {
        // Look before locking: mostly there is nothing, and a read-only vault can't be locked.
        guard try !everything().isEmpty else { return [] }
        try VaultFiles.verifyDirectory(layout.locks)
        guard let lock = store.tryLock() else { return [] }
        let found = try everything()
        _ = consume lock
        return found
    }

    private func everything() throws(VaultError) -> [String] { try contents() + temporaryNames() }

    /// The temporary files in the index of names; none in an unsafe directory, which the check of the index reports.
    private func temporaryNames() throws(VaultError) -> [String] {
        do { try VaultFiles.verifyDirectory(layout.names) } catch { return [] }
        return try VaultFiles.leftovers(in: layout.names)
    }

    /// Removes the files that killed processes left. The result names files that can't be removed. The caller holds the
    /// header's lock.
    func discardLeftovers() -> [Restoration] {
        do {
            let found = try everything()
            try removeLeftovers()
            try VaultFiles.remove(try temporaryNames(), in: layout.names)
            return found.map { Restoration(account: nil, file: $0, outcome: .leftoverRemoved) }
        } catch {
            return [Restoration(account: nil, file: layout.workshop, outcome: .left(error))]
        }
    }
}
