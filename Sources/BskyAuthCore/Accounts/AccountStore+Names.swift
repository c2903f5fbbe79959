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

    /// The same where the index can't tell who has one of the names, before one more is noted there: a list that was
    /// begun anew with that one would lead to it alone.
    func mendNames(_ names: [String]) throws(CoreError) {
        for name in names {
            let known = try inVault { () throws(VaultError) in try vault.find(name: name) }
            if known == nil { return try rebuildNames() }
        }
    }
}
