package import FoundationEssentials
internal import Platform

/// The lock of one account, which everything that writes to it takes. Let go when this value is, or when the
/// process ends.
package struct AccountLock: ~Copyable, Sendable {
    /// Whose lock it is.
    package let account: UUID
    let home: String
    private let lock: AdvisoryLock

    init(_ account: UUID, home: String, _ lock: consuming AdvisoryLock) {
        self.account = account
        self.home = home
        self.lock = lock
    }

    func isCurrent() throws(LockError) -> Bool { try lock.isCurrent() }
}

/// The lock of which accounts there are: while it is held nobody else adds or removes one.
package struct AccountsLock: ~Copyable, Sendable {
    let home: String
    private let lock: AdvisoryLock

    init(home: String, _ lock: consuming AdvisoryLock) {
        self.home = home
        self.lock = lock
    }
}

extension CredentialVault {
    /// Takes the lock of which accounts there are, for the time of a few reads and writes.
    package func lockAccounts() throws(VaultError) -> AccountsLock {
        AccountsLock(home: home, try header.lock())
    }

    /// Takes the lock of an account, waiting for whoever has it.
    ///
    /// - Throws: ``VaultError/busy(holder:)`` after `timeout`.
    package func lock(_ id: UUID, timeout: Duration) async throws(VaultError) -> AccountLock {
        try requireAccount(id)
        try VaultFiles.createDirectory(layout.locks)
        let path = layout.lock(of: id)
        let lock: AdvisoryLock
        do { lock = try await AdvisoryLock.acquire(path, timeout: timeout) } catch {
            throw VaultError(error, at: path)
        }
        // Whoever had it may have removed the account, or sealed it under another key.
        try requireAccount(id)
        try header.requireCurrentKey()
        return AccountLock(id, home: home, lock)
    }

    /// Takes the lock of an account if nobody has it.
    package func tryLock(_ id: UUID) throws(VaultError) -> AccountLock? {
        try requireAccount(id)
        try VaultFiles.createDirectory(layout.locks)
        let path = layout.lock(of: id)
        let taken: AdvisoryLock?
        do { taken = try AdvisoryLock.tryAcquire(path) } catch { throw VaultError(error, at: path) }
        guard let lock = taken else { return nil }
        try requireAccount(id)
        try header.requireCurrentKey()
        return AccountLock(id, home: home, lock)
    }

    /// Makes sure that a lock is this account's of this vault and excludes other processes, and that the account is
    /// still there.
    func require(_ lock: borrowing AccountLock, of id: UUID) throws(VaultError) {
        guard lock.account == id, lock.home == home, try isCurrent(lock) else { throw .busy(holder: nil) }
        try requireAccount(id)
    }

    /// Whether a lock still excludes other processes. It does not where its file was removed or replaced.
    package func isCurrent(_ lock: borrowing AccountLock) throws(VaultError) -> Bool {
        do { return try lock.isCurrent() } catch {
            throw VaultError(error, at: layout.lock(of: lock.account))
        }
    }

    func requireAccount(_ id: UUID) throws(VaultError) {
        try directories.require(id)
    }
}
