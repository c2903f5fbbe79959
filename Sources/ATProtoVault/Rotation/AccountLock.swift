internal import ATPPlatform
package import FoundationEssentials

/// The lock of one account. Every change of the account needs it. It is released when this value goes away, or when
/// the process ends.
package struct AccountLock: ~Copyable, Sendable {
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

/// The header's lock, for adding and removing accounts and names. While this process holds it, no other process adds or
/// removes any.
package struct AccountsLock: ~Copyable, Sendable {
    let home: String
    private let lock: AdvisoryLock

    init(home: String, _ lock: consuming AdvisoryLock) {
        self.home = home
        self.lock = lock
    }
}

/// Takes and verifies the locks of accounts.
struct AccountLocks: Sendable {
    let header: UnlockedHeader
    let accounts: AccountDirectories

    private var layout: VaultLayout { accounts.layout }

    /// Takes the lock of an account, and waits for another process that has it.
    func lock(_ id: UUID, timeout: Duration) async throws(VaultError) -> AccountLock {
        let path = try prepare(id)
        let lock: AdvisoryLock
        do { lock = try await AdvisoryLock.acquire(path, timeout: timeout) } catch {
            throw VaultError(error, at: path)
        }
        try verify(id)
        return AccountLock(id, home: layout.home, lock)
    }

    /// Takes the lock of an account; nil if another process has it.
    func tryLock(_ id: UUID) throws(VaultError) -> AccountLock? {
        let path = try prepare(id)
        let taken: AdvisoryLock?
        do { taken = try AdvisoryLock.tryAcquire(path) } catch { throw VaultError(error, at: path) }
        guard let lock = taken else { return nil }
        try verify(id)
        return AccountLock(id, home: layout.home, lock)
    }

    private func prepare(_ id: UUID) throws(VaultError) -> String {
        try accounts.require(id)
        try VaultFiles.createDirectory(layout.locks)
        return layout.lock(of: id)
    }

    /// Verifies that the account still exists under the same vault key. The earlier holder of the lock may have removed
    /// the account or changed the key.
    private func verify(_ id: UUID) throws(VaultError) {
        try accounts.require(id)
        try header.requireCurrentKey()
    }

    /// Verifies that a lock is the lock of this account in this vault and excludes other processes. Also verifies that the
    /// account still exists.
    func require(_ lock: borrowing AccountLock, of id: UUID) throws(VaultError) {
        guard lock.account == id, lock.home == layout.home, try isCurrent(lock) else {
            throw .busy(holder: nil)
        }
        try accounts.require(id)
    }

    /// Whether a lock still excludes other processes. It does not if its file was removed or replaced.
    func isCurrent(_ lock: borrowing AccountLock) throws(VaultError) -> Bool {
        do { return try lock.isCurrent() } catch {
            throw VaultError(error, at: layout.lock(of: lock.account))
        }
    }
}
