internal import Platform

/// `vault.json` and its second copy on disk. A damaged header without a copy would lose every account.
///
/// Nothing here needs a key: whether a header is authentic is for ``UnlockedHeader`` to check.
struct HeaderStore: Sendable {
    let layout: VaultLayout

    /// How long a change of the vault waits for another process that holds the header's lock.
    static let lockTimeout = Duration.seconds(10)

    /// Whether there is a vault.
    ///
    /// - Throws: ``VaultError/headerMissing(home:)`` if there are accounts without a header.
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

    /// Takes the header's lock. It covers everything that belongs to no single account: the header, the active
    /// account, and which accounts and names there are.
    func lock(waiting timeout: Duration = lockTimeout) throws(VaultError) -> AdvisoryLock {
        do {
            return try AdvisoryLock.acquireBlocking(layout.headerLock, timeout: timeout)
        } catch {
            throw VaultError(error, at: layout.headerLock)
        }
    }

    /// Takes the header's lock if no other process has it; nil also if it can't be taken.
    func tryLock() -> AdvisoryLock? {
        do { return try AdvisoryLock.tryAcquire(layout.headerLock) } catch { return nil }
    }

    /// Writes the first header of a vault. Only under the header's lock.
    func create(_ header: VaultHeader) throws(VaultError) {
        do { try AtomicFile.create(header.bytes, at: layout.header) } catch {
            throw error.isExisting ? .exists(home: layout.home) : .io(error)
        }
        writeCopy(header.bytes)
    }

    /// Replaces the header. Only under the header's lock.
    ///
    /// The copy goes before the new header is in place, so that no earlier header stays beside it: a key slot
    /// that was removed would still open that one.
    func write(_ header: VaultHeader) throws(VaultError) {
        for file in [layout.header, layout.headerCopy] {
            try VaultFiles.removeLeftovers(in: layout.home, of: FileSystem.name(of: file))
        }
        var copies = true
        if case .foreign = problem(ofCopyBeside: try read()) { copies = false }
        // Before the copy goes: if there is no space for the new header, the old one keeps its copy.
        let space = try VaultFiles.reserve(layout.header, size: header.bytes.count)
        if copies { try VaultFiles.remove(layout.headerCopy) }
        do { try space.commit(header.bytes) } catch { throw .io(error) }
        if copies { writeCopy(header.bytes) }
    }
}

/// The second copy.
extension HeaderStore {
    /// What is wrong with the second copy.
    enum CopyProblem {
        /// It is missing, or an earlier header of the same vault key.
        case outdated
        case damaged(VaultError)
        /// Others may read or write it, or it belongs to another user.
        case unsafe(VaultError)
        /// It has another vault key, or a newer program wrote it. It is never overwritten.
        case foreign(VaultError)
    }

    /// Writes the second copy of a durable header. A failure is no error, because the header is what counts;
    /// ``VaultChecker`` reports a missing copy.
    private func writeCopy(_ bytes: [UInt8]) {
        do { try VaultFiles.write(bytes, to: layout.headerCopy) } catch {}
    }

    /// The undamaged bytes of the second copy; nil if there is none.
    func readCopy() throws(VaultError) -> [UInt8]? {
        guard let bytes = try VaultFiles.read(layout.headerCopy) else { return nil }
        return try VaultHeader(bytes, file: layout.headerCopy).bytes
    }

    /// Compares the second copy with an undamaged header; nil if they are the same.
    ///
    /// A copy with another vault key must not be replaced. The header may be an old one that somebody put back,
    /// and then only the copy opens the accounts.
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
