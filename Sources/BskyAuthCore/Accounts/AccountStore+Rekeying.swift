package import ATProtoSessions
internal import ATProtoVault
package import FoundationEssentials

extension AccountStore {
    /// Seals every account under the current vault key, one after the other, each under its lock. The old key is
    /// removed when no account is sealed under it.
    ///
    /// - Parameter progress: receives the number of finished accounts and the number of all accounts.
    /// - Returns: the accounts that could not be sealed, with the errors. The old key stays for them, and another call
    ///   continues with them.
    package func sealAnew(
        lockTimeout: Duration, progress: (_ done: Int, _ of: Int) -> Void
    ) async throws -> [(id: UUID, error: any KnownError)] {
        let ids = try vault.accountsAndRemains()
        var failures: [(id: UUID, error: any KnownError)] = []
        for (index, id) in ids.enumerated() {
            progress(index, ids.count)
            do {
                try await sealAnew(id, lockTimeout)
            } catch VaultError.noSuchAccount {
                // Another process has logged out of the account.
                continue
            } catch let error as any KnownError {
                failures.append((id, error))
            }
        }
        guard failures.isEmpty else { return failures }
        return try vault.endRekeying().map {
            ($0, VaultError.busy(holder: nil))
        }
    }

    private func sealAnew(_ id: UUID, _ lockTimeout: Duration) async throws {
        let lock = try await lock(id, timeout: lockTimeout)
        let names: [String]
        do {
            names = try profile(id).names
        } catch VaultError.unreadableRecord {
            // Another version of the program wrote this undamaged record. No name leads to such an account.
            names = []
        }
        try vault.sealAnew(id, names: names, under: lock)
    }
}
