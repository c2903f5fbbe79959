internal import ATProtoIdentity
package import ATProtoSessions
package import FoundationEssentials

/// The rules of the accounts in a vault: which account a login belongs to, and in which order a change is written.
package struct VaultAccounts: Sendable {
    package let vault: CredentialVault

    package init(_ vault: CredentialVault) {
        self.vault = vault
    }

    var local: LocalAccounts { LocalAccounts(accounts: self) }

    /// The accounts that may have a name. If the index is unusable, these are all readable accounts. A damaged account
    /// does not prevent finding another account.
    package func holders(of name: String) throws(VaultError) -> [Account] {
        guard let found = try vault.find(name: name) else { return try all().readable }
        return try readable(found)
    }

    /// The account of the same login as another one: with its DID, label and network.
    package func account(sameLoginAs account: Account) throws(VaultError) -> Account? {
        try holders(of: account.did.description).first { $0.isSameLogin(as: account) }
    }

    func readable(_ ids: [UUID]) throws(VaultError) -> [Account] {
        var accounts: [Account] = []
        for id in ids {
            do { accounts.append(try vault.account(id)) } catch {
                guard error.isDamage || error == .noSuchAccount(id) else { throw error }
            }
        }
        return accounts
    }

    /// The readable accounts, oldest first, and the errors of the others.
    package func all() throws(VaultError) -> (
        readable: [Account], unreadable: [(id: UUID, error: VaultError)]
    ) {
        var readable: [Account] = []
        var unreadable: [(id: UUID, error: VaultError)] = []
        for id in try vault.accounts() {
            do { readable.append(try vault.account(id)) } catch {
                guard vault.isHere(id) else { continue }
                guard error.isOfOneFile else { throw error }
                unreadable.append((id, error))
            }
        }
        return (readable.sorted { ($0.addedAt, $0.id) < ($1.addedAt, $1.id) }, unreadable)
    }

    // MARK: The index of names

    /// Rebuilds a damaged index of names from all readable accounts.
    ///
    /// - Returns: the damaged files of the index.
    @discardableResult
    package func rebuildNames() throws(VaultError) -> [Restoration] {
        try vault.rebuildNames(try all().readable.map { (id: $0.id, names: $0.names) })
    }

    /// Rebuilds the index if the file of one of the names is damaged. Call this before adding an account to these
    /// names: a new file would list only that account.
    package func repairNames(_ names: [String]) throws(VaultError) {
        for name in names where try vault.find(name: name) == nil {
            try rebuildNames()
            return
        }
    }
}

extension CredentialVault {
    /// The account of a UUID, as it is on disk.
    package func account(_ id: UUID) throws(VaultError) -> Account {
        let record = try read(.profile, of: id)
        do { return try Account(record: record.content) } catch { throw .unreadableRecord(id, error) }
    }

    /// The session of an account, as it is on disk.
    package func session(of id: UUID) throws(VaultError) -> Session {
        let record = try read(.session, of: id)
        do { return try Session(record: record.content) } catch { throw .unreadableRecord(id, error) }
    }

    /// False only if the account is known to be missing.
    package func isHere(_ id: UUID) -> Bool {
        do { return try hasAccount(id) } catch { return true }
    }
}
