internal import Cryptography
internal import FoundationEssentials
internal import Platform

/// Vault keys in the kernel's keyring: for a limited time, processes of this user open a vault without a passphrase.
///
/// Every method throws ``VaultError/keyringUnavailable(_:)`` if the kernel keeps no keys.
enum UnlockCache {
    private static let prefix = "bskyauth:vault:"

    private static func name(_ vault: UUID) -> String { prefix + vault.text }

    static func store(_ keys: VaultKeys, of vault: UUID, until: Date, seconds: UInt32) throws(VaultError) {
        var content = CachedKey(keys: keys, until: until).bytes
        defer { SecretBytes.clear(&content) }
        do {
            try KernelKeyring.store(content, named: name(vault), for: seconds)
        } catch {
            throw .keyringUnavailable(error)
        }
    }

    /// The cached key of a header and the time when it expires; nil if no key is cached.
    ///
    /// The key is stored under the vault's id and must authenticate the header, so no other vault gets it.
    static func keys(of header: VaultHeader) throws(VaultError) -> (keys: VaultKeys, until: Date)? {
        // One more byte than a key, so that a longer value is not mistaken for a key.
        var content = [UInt8](repeating: 0, count: CachedKey.length + 1)
        defer { SecretBytes.clear(&content) }
        let length: Int?
        do { length = try KernelKeyring.read(name(header.id), into: &content) } catch {
            throw .keyringUnavailable(error)
        }
        guard let length, let key = CachedKey(content[..<length]), key.until > Date(),
            key.keys.id == header.keyID, header.isAuthentic(key.keys)
        else { return nil }
        return (key.keys, key.until)
    }

    /// - Returns: whether the keyring held a key.
    static func remove(_ vault: UUID) throws(VaultError) -> Bool {
        do { return try KernelKeyring.remove(name(vault)) } catch { throw .keyringUnavailable(error) }
    }

    /// Removes the keys of all vaults of this user.
    ///
    /// - Returns: the number of removed keys.
    static func removeAll() throws(VaultError) -> Int {
        do { return try KernelKeyring.removeAll(beginning: prefix) } catch {
            throw .keyringUnavailable(error)
        }
    }
}

/// A vault key in the form that the keyring stores: the key's id (16 bytes), the expiry in milliseconds since 1970 (8 bytes,
/// big-endian) and the key (32 bytes).
private struct CachedKey {
    let keys: VaultKeys
    let until: Date

    static let length = 16 + 8 + VaultKeys.length

    init(keys: VaultKeys, until: Date) {
        self.keys = keys
        self.until = until
    }

    /// Reads a cached key; nil if the bytes are not one.
    init?(_ content: ArraySlice<UInt8>) {
        guard content.count == Self.length, let id = UUID(bytes: content[..<16]) else { return nil }
        let milliseconds = content[16..<24].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        until = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        keys = VaultKeys(id: id, root: SecretBytes(content[24...]))
    }

    /// The bytes for the keyring. The caller clears them after use.
    var bytes: [UInt8] {
        let milliseconds = UInt64(max(0, until.timeIntervalSince1970 * 1000))
        var bytes: [UInt8] = []
        // With this capacity the array never moves, so no copy of the key stays in freed memory.
        bytes.reserveCapacity(Self.length)
        bytes += keys.id.bytes
        bytes += (0..<8).map { UInt8(truncatingIfNeeded: milliseconds >> UInt64(56 - 8 * $0)) }
        var root = keys.root.bytes
        bytes += root
        SecretBytes.clear(&root)
        return bytes
    }
}
