internal import CredentialVault

extension AccountStore {
    /// Makes every account whose profile can be read found by its names again, after a damage of their index.
    package func rebuildNames() throws(CoreError) {
        for id in try inVault({ () throws(VaultError) in try vault.accounts() }) {
            let names: [String]
            do throws(CoreError) {
                names = try profile(id).names
            } catch {
                // Whatever keeps this one from being read: the others are not to wait for it.
                continue
            }
            try inVault { () throws(VaultError) in try vault.addNames(names, of: id) }
        }
    }
}
