package import ATPCryptography
package import FoundationEssentials

/// Key slots and the vault key.
extension CredentialVault {
    /// Adds a key slot. A key file that does not exist is created. A key file of a shared vault opens it on all machines.
    ///
    /// - Parameters:
    ///   - name: nil to name the slot after its kind, with a number if that name is taken.
    ///   - cost: the scrypt cost of a passphrase. A key file has no cost.
    /// - Returns: the name of the slot.
    @discardableResult
    package func addKey(
        _ source: KeySource, named name: String?, cost: Scrypt.Parameters = .standard
    ) async throws(VaultError) -> String {
        let shared: SharedAccounts? = if case .keyFile = source { sharedAccounts } else { nil }
        return try await KeySlotEditor(header: header).add(source, named: name, cost: cost, to: shared)
    }

    /// Removes a key slot, but not the last one. The vault key stays the same, so someone who knows it already can
    /// still open the vault.
    package func removeKey(named name: String) async throws(VaultError) {
        try await KeySlotEditor(header: header).remove(name, from: sharedAccounts)
    }

    /// Adds the key slot of a desktop keyring, in place of an earlier one.
    ///
    /// - Parameter secret: 32 random bytes.
    package func remember(_ secret: SecretBytes) throws(VaultError) {
        try KeySlotEditor(header: header).remember(secret)
    }

    /// Replaces the passphrase of a key slot.
    package func changePassphrase(
        of name: String, to passphrase: SecretBytes, cost: Scrypt.Parameters = .standard
    ) throws(VaultError) {
        try KeySlotEditor(header: header).changePassphrase(of: name, to: passphrase, cost: cost)
    }

    /// Whether other machines share a vault, as far as its header says. It needs no key, so nothing may depend on it but words.
    package static func isShared(at home: String) throws(VaultError) -> Bool {
        try store(home).read().shared != nil
    }

    /// The id of a vault with a key slot for a desktop keyring; nil without such a slot.
    package static func rememberedID(at home: String) throws(VaultError) -> UUID? {
        let header = try store(home).read()
        return header.slots.contains(where: \.isRemembered) ? header.id : nil
    }

    /// Opens a vault with the secret that a desktop keyring has for it; nil if the secret is wrong.
    package static func openRemembered(
        at home: String, secret: SecretBytes, stores: StoreOpener? = nil
    ) throws(VaultError) -> CredentialVault? {
        let store = store(home)
        let header = try store.read()
        guard let slot = header.slots.first(where: \.isRemembered),
            let keys = try slot.unwrap(secret, vault: header.id, keyID: header.keyID)
        else { return nil }
        guard header.isAuthentic(keys) else { throw VaultHeader.inauthentic(store.layout.header) }
        return try CredentialVault(try UnlockedHeader(header, keys, in: store), stores)
    }

    /// The vault key, for another process of this program (``open(at:handedOver:)``).
    package var handedOverKey: SecretBytes { header.keys.handedOver }

    /// Opens a vault with the key that another process of this program handed over.
    ///
    /// - Throws: ``VaultError/keyChanged`` if it is not the key of this vault, or not any more.
    package static func open(
        at home: String, handedOver key: SecretBytes, stores: StoreOpener? = nil
    ) throws(VaultError) -> CredentialVault {
        let store = store(home)
        let header = try store.read()
        guard let keys = VaultKeys(handedOver: key), keys.id == header.keyID, header.isAuthentic(keys) else {
            throw .keyChanged
        }
        return try CredentialVault(try UnlockedHeader(header, keys, in: store), stores)
    }

    /// Whether a change of the vault key is unfinished.
    package var isRekeying: Bool { header.previousKeys != nil }

    /// Prepares a change of the vault key. Only the key slots whose sources are given will stay.
    ///
    /// - Parameter cost: the new scrypt cost of passphrases. Key files have no cost.
    /// - Throws: ``VaultError/wrongPassphrase`` or ``VaultError/wrongKeyFile(path:)`` if a source opens no slot, and
    ///   ``VaultError/sharingRefused(_:)`` if the vault is shared.
    package func planRekeying(
        keeping sources: [KeySource], cost: Scrypt.Parameters = .standard
    ) throws(VaultError) -> RekeyingPlan {
        if shared != nil { throw .sharingRefused(.newKey) }
        return try rekeying.plan(keeping: sources, cost: cost)
    }

    /// Begins a change of the vault key.
    ///
    /// - Returns: the vault under the new key. After this call, the old `CredentialVault` object can only read files
    ///   that were sealed before.
    /// - Throws: ``VaultError/keyChanged`` if the header has changed since the plan was made.
    package func beginRekeying(_ plan: RekeyingPlan) throws(VaultError) -> CredentialVault {
        try CredentialVault(try rekeying.begin(plan), nil)
    }

    /// Seals an account under the new vault key, unless that was done already.
    ///
    /// - Parameter names: the names that ``find(name:)`` finds it by.
    package func sealAnew(
        _ id: UUID, names: [String], under lock: borrowing AccountLock
    ) throws(VaultError) {
        try locks.require(lock, of: id)
        try rekeying.reseal(id, names: names)
    }

    /// Ends a change of the vault key: removes the previous key if no file is sealed under it.
    ///
    /// - Returns: the accounts that are still sealed under the previous key. If the list is not empty, the key stays.
    package func endRekeying() throws(VaultError) -> [UUID] { try rekeying.end() }

    private var rekeying: Rekeying {
        Rekeying(
            header: header, accounts: directories, records: records, names: names, active: activePointer,
            logins: logins, clients: clientFiles)
    }

    /// The kinds of the vault's key slots.
    package static func keyKinds(at home: String) throws(VaultError) -> Set<KeyKind> {
        Set(try store(home).read().slots.map(\.method.kind))
    }
}
