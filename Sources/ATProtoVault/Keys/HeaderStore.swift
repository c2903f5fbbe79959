internal import ATPPlatform

/// `vault.json` and its second copy on disk. A damaged header without a copy would lose every account.
///
/// Nothing here needs a key. ``UnlockedHeader`` checks whether a header is authentic.
struct HeaderStore: Sendable {
    let layout: VaultLayout

    /// How long a change of the vault waits for another process that holds the header's lock.
    static let lockTimeout = Duration.seconds(10)

    /// Whether the vault exists.
    ///
    /// - Throws: ``VaultError/headerMissing(home:)`` if the directory has accounts but no header.
    func exists() throws(VaultError) -> Bool {
        if try VaultFiles.exists(layout.header) { return true }
        // The header is written before the directory of the accounts is made.
        if try VaultFiles.exists(layout.accounts) { throw .headerMissing(home: layout.home) }
        return false
    }

    func read() throws(VaultError) -> VaultHeader {
        try VaultHeader(try readBytes(), file: layout.header)
    }

    /// The bytes of the header of a vault that is private to its owner.
    func readBytes() throws(VaultError) -> [UInt8] {
        let home = layout.home
        guard try exists() else { throw .noVault(home: home) }
        try VaultFiles.verifyDirectory(home)
        try VaultFiles.verifyDirectory(layout.accounts)
        guard let bytes = try VaultFiles.read(layout.header) else { throw .noVault(home: home) }
        return bytes
    }

    /// Takes the header's lock. It covers everything that belongs to no single account: the header, the active account,
    /// and the sets of accounts and names.
    func lock(waiting timeout: Duration = lockTimeout) throws(VaultError) -> AdvisoryLock {
        do {
            return try AdvisoryLock.acquireBlocking(layout.headerLock, timeout: timeout)
        } catch {
            throw VaultError(error, at: layout.headerLock)
        }
    }

    /// Checks that the file system of the vault has locks that keep others out.
    func verifyLocks() throws(VaultError) {
        do { try AdvisoryLock.verify(layout.headerLock) } catch {
            throw VaultError(error, at: layout.headerLock)
        }
    }

    /// Takes the header's lock; nil if another process has the lock or if taking it fails.
    func tryLock() -> AdvisoryLock? {
        do { return try AdvisoryLock.tryAcquire(layout.headerLock) } catch { return nil }
    }

    /// Writes the first header of a vault. The caller holds the header's lock.
    func create(_ header: VaultHeader) throws(VaultError) {
        do { try AtomicFile.create(header.bytes, at: layout.header) } catch {
            throw error.isExisting ? .exists(home: layout.home) : VaultError(writing: error)
        }
        writeCopy(header.bytes)
    }

    /// Replaces the header. The caller holds the header's lock.
    ///
    /// The copy is removed before the new header is in place. Otherwise an earlier header could stay as the copy, and a
    /// removed key slot would still open that copy.
    func write(_ header: VaultHeader) throws(VaultError) {
        for file in [layout.header, layout.headerCopy] {
            try VaultFiles.removeLeftovers(in: layout.home, of: FileSystem.name(of: file))
        }
        var copies = true
        let old = try read()
        if case .foreign = problem(ofCopyBeside: old) { copies = false }
        // Before the copy goes: if there is no space for the new header, the old one keeps its copy.
        let space = try VaultFiles.reserve(layout.header, size: header.bytes.count)
        do throws(VaultError) {
            if copies { try VaultFiles.remove(layout.headerCopy) }
            do { try space.commit(header.bytes) } catch { throw VaultError(writing: error) }
        } catch {
            if copies { restoreCopy(old, header) }
            throw error
        }
        if copies { writeCopy(header.bytes) }
    }

    /// Writes the copy again after a failure. The new header may be in place, because the steps that can fail go on after
    /// the rename.
    private func restoreCopy(_ old: VaultHeader, _ new: VaultHeader) {
        do {
            guard let bytes = try VaultFiles.read(layout.header) else { return }
            if bytes == new.bytes || bytes == old.bytes { writeCopy(bytes) }
        } catch {}
    }
}

/// The second copy.
extension HeaderStore {
    /// The difference between the second copy and the header.
    enum CopyProblem {
        /// The copy is missing, or it is an earlier header of the same vault key.
        case outdated
        case damaged(VaultError)
        /// Other users may read or write the copy, or it belongs to another user.
        case unsafe(VaultError)
        /// The copy has another vault key, or a newer program wrote it. It is never overwritten.
        case foreign(VaultError)
    }

    /// Writes the second copy of a durable header. A failure is ignored, because the header itself is safe.
    /// ``VaultChecker`` reports a missing copy.
    private func writeCopy(_ bytes: [UInt8]) {
        do { try VaultFiles.write(bytes, to: layout.headerCopy) } catch {}
    }

    /// The bytes of the second copy, verified to be undamaged; nil if the copy does not exist.
    func readCopy() throws(VaultError) -> [UInt8]? {
        guard let bytes = try VaultFiles.read(layout.headerCopy) else { return nil }
        return try VaultHeader(bytes, file: layout.headerCopy).bytes
    }

    /// Compares the second copy with an undamaged header; nil if they are the same.
    ///
    /// A copy with another vault key must not be replaced. The header may be an old one that a user put back. Then only
    /// the copy opens the accounts.
    func problem(ofCopyBeside header: VaultHeader) -> CopyProblem? {
        do {
            guard let bytes = try readCopy() else { return .outdated }
            if bytes == header.bytes { return nil }
            let copy = try VaultHeader(bytes, file: layout.headerCopy)
            guard copy.id == header.id, copy.keyID == header.keyID else {
                return .foreign(.damaged(file: layout.headerCopy, reason: VaultError.otherKeyInCopy))
            }
            return .outdated
        } catch {
            switch error {
            case .damaged: return .damaged(error)
            case .newerFormat: return .foreign(error)
            default: return .unsafe(error)
            }
        }
    }
}
