internal import CredentialVault
package import FoundationEssentials

extension AccountStore {
    /// Seals every account anew under the present key of the vault, one after the other, each under its lock.
    /// The old key goes when none is left under it.
    ///
    /// - Parameter progress: told how many of how many are done.
    /// - Returns: the accounts that could not be sealed anew, and why; the old key stays for them, and another
    ///   call goes on with them.
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
                // Another process has logged out of it.
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
        } catch CoreError.unreadableRecord {
            // The record is whole, but another version of the program wrote it: no name leads to it anyway.
            names = []
        }
        try vault.sealAnew(id, names: names, under: lock)
    }
}
