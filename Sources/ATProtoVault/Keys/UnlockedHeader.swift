internal import ATPCryptography
internal import ATPPlatform
internal import FoundationEssentials

/// The header of an open vault, and the vault keys from its slots.
struct UnlockedHeader: Sendable {
    let store: HeaderStore
    /// The header at the time when the vault was opened.
    private let header: VaultHeader
    /// The key that every file is sealed under from now on.
    let keys: VaultKeys
    /// The previous key while a change of the vault key is unfinished. It opens files but never seals them.
    let previousKeys: VaultKeys?

    var id: UUID { header.id }
    var machines: [MachineMark] { header.machines }
    var shared: SharedPlace? { header.shared }
    /// The slots of the vault key when the vault was opened.
    var slots: [KeySlot] { header.slots }

    /// - Parameter header: a header that is authentic under `keys`.
    init(_ header: VaultHeader, _ keys: VaultKeys, in store: HeaderStore) throws(VaultError) {
        self.store = store
        self.header = header
        self.keys = keys
        previousKeys = try header.previousKey?.unwrap(keys, of: header.id)
    }

    /// Reads the header and unlocks it with a passphrase or a key file.
    init(_ store: HeaderStore, key: KeySource) throws(VaultError) {
        let header = try store.read()
        guard header.slots.contains(where: { $0.method.fits(key) }) else { throw .noSuchSlot }
        guard let (_, keys) = try header.unwrap(with: key, try key.secret()) else { throw key.wrongKeyError }
        guard header.isAuthentic(keys) else { throw VaultHeader.inauthentic(store.layout.header) }
        try self.init(header, keys, in: store)
    }

    /// Takes the header's lock and verifies that the vault key is still current. So a file that is written under the
    /// lock can be read later.
    func lock(waiting timeout: Duration = HeaderStore.lockTimeout) throws(VaultError) -> AdvisoryLock {
        let lock = try store.lock(waiting: timeout)
        try requireCurrentKey()
        return lock
    }

    /// Verifies that no other process has changed the vault key, or whether the vault is shared, since this process opened
    /// the vault.
    ///
    /// The caller holds a lock. A change of the vault key waits for that lock.
    func requireCurrentKey() throws(VaultError) {
        let bytes = try store.readBytes()
        guard bytes != header.bytes else { return }
        let current = try VaultHeader(bytes, file: store.layout.header)
        guard current.id == id else { throw VaultHeader.inauthentic(store.layout.header) }
        guard current.keyID == keys.id else { throw .keyChanged }
        guard current.shared == header.shared else { throw .sharingChanged }
    }

    /// Reads the header from disk again and verifies that it is authentic.
    func readAgain() throws(VaultError) -> VaultHeader {
        let header = try store.read()
        guard header.isAuthentic(keys) else { throw VaultHeader.inauthentic(store.layout.header) }
        return header
    }

    /// Reads the header from disk and changes it, under its lock. The change is one atomic write. If nothing changes,
    /// nothing is written.
    func change<Value>(
        waiting timeout: Duration = HeaderStore.lockTimeout,
        _ change: (inout VaultHeader.Content) throws(VaultError) -> Value
    ) throws(VaultError) -> Value {
        let lock = try lock(waiting: timeout)
        let header = try readAgain()
        var content = header.content
        let value = try change(&content)
        let changed = VaultHeader(content, keys)
        if changed.bytes != header.bytes { try store.write(changed) }
        _ = consume lock
        return value
    }
}

extension VaultHeader {
    /// Finds the key slot that a secret opens.
    ///
    /// - Returns: the slot's index and the vault key; nil if the secret opens no slot.
    func unwrap(
        with source: KeySource, _ secret: SecretBytes
    ) throws(VaultError) -> (slot: Int, keys: VaultKeys)? {
        for (index, slot) in slots.enumerated() where slot.method.fits(source) {
            if let keys = try slot.unwrap(secret, vault: id, keyID: keyID) { return (index, keys) }
        }
        return nil
    }
}
