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
    ) async throws(CoreError) -> [(id: UUID, error: CoreError)] {
        let ids = try inVault { () throws(VaultError) in try vault.accountsAndRemains() }
        var failures: [(id: UUID, error: CoreError)] = []
        for (index, id) in ids.enumerated() {
            progress(index, ids.count)
            do throws(CoreError) {
                try await sealAnew(id, lockTimeout)
            } catch {
                // Logged out of meanwhile.
                if case .vault(.noSuchAccount) = error { continue }
                failures.append((id, error))
            }
        }
        guard failures.isEmpty else { return failures }
        return try inVault { () throws(VaultError) in try vault.endRekeying() }.map {
            ($0, .vault(.busy(holder: nil)))
        }
    }

    private func sealAnew(_ id: UUID, _ lockTimeout: Duration) async throws(CoreError) {
        let lock = try await lock(id, timeout: lockTimeout)
        let names: [String]
        do throws(CoreError) {
            names = try profile(id).names
        } catch {
            // What was sealed is whole, but not what this program seals: no name leads to it anyway.
            guard case .unreadableRecord = error else { throw error }
            names = []
        }
        do throws(VaultError) {
            try vault.sealAnew(id, names: names, under: lock)
        } catch {
            throw .vault(error)
        }
    }
}
