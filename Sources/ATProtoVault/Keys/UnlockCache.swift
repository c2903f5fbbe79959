internal import ATPCryptography
internal import ATPPlatform
internal import ATProtoSessions
internal import FoundationEssentials

/// Vault keys in the kernel's keyring: for a limited time, processes of this user open a vault without a passphrase.
///
/// Every method throws ``VaultError/keyringUnavailable(_:)`` if the kernel keeps no keys.
enum UnlockCache {
    private static let prefix = "bskyauth:vault:"
    private static let endPrefix = "bskyauth:unlock-end:"

    private static let markPrefix = "bskyauth:unlock-mark:"
    /// The mark that changes when the keys of all vaults are removed.
    private static let markOfAll = markPrefix + "all"

    private static func name(_ vault: UUID) -> String { prefix + vault.text }
    private static func endName(_ vault: UUID) -> String { endPrefix + vault.text }
    private static func typedName(_ vault: UUID) -> String { "bskyauth:typed:" + vault.text }
    private static func markName(_ vault: UUID) -> String { markPrefix + vault.text }

    /// A random number that `vault lock` changes. A process that keeps the key sees by it that the vault was locked. It is
    /// no secret.
    ///
    /// There is nothing to read before the first lock, so a process that begins writes nothing and waits for no other process.
    static func mark(of vault: UUID) throws(SystemError) -> [UInt8] {
        var mark: [UInt8] = []
        for name in [markName(vault), markOfAll] {
            var content = [UInt8](repeating: 0, count: markLength)
            let length = try KernelKeyring.read(name, into: &content) ?? 0
            mark += [UInt8(length)] + content[..<length]
        }
        return mark
    }

    private static func changeMark(_ name: String) throws(VaultError) {
        let mark: [UInt8]
        do { mark = try RandomBytes.generate(markLength) } catch { throw .cryptography(error) }
        do { try KernelKeyring.store(mark, named: name, for: lifeOfMark) } catch {
            throw .keyringUnavailable(error)
        }
    }

    private static let markLength = 16
    /// A year, in seconds.
    private static let lifeOfMark: UInt32 = 31_536_000

    /// A week, in seconds. A user may have only 200 keys, and vaults go.
    private static let lifeOfCount: UInt32 = 604_800

    /// How often a passphrase was typed, up to twice. The kernel forgets it after a week, and when the last process of the user ends.
    static func countTypedPassphrase(of vault: UUID) -> Bool {
        var count: [UInt8] = [0]
        do {
            _ = try KernelKeyring.read(typedName(vault), into: &count)
            guard count[0] < 2 else { return false }
            count[0] += 1
            try KernelKeyring.store(count, named: typedName(vault), for: lifeOfCount)
        } catch { return false }
        return count[0] == 2
    }

    /// How long the end of an unlock is remembered after it, in seconds.
    private static let memoryOfEnd: UInt32 = 86400

    static func store(_ keys: VaultKeys, of vault: UUID, until: Date, seconds: UInt32) throws(VaultError) {
        var content = CachedKey(keys: keys, until: until).bytes
        defer { SecretBytes.clear(&content) }
        do {
            try KernelKeyring.store(content, named: name(vault), for: seconds)
        } catch {
            throw .keyringUnavailable(error)
        }
        // Who knows of the cache need not be told of it.
        try? KernelKeyring.store([2], named: typedName(vault), for: lifeOfCount)
        // Not a secret. It tells a vault whose time is over from one that was never unlocked, and can be missing.
        try? KernelKeyring.store(
            CachedKey.milliseconds(of: until), named: endName(vault), for: seconds + memoryOfEnd)
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

    /// The end of the last unlock; nil if it was ended before, or longer than a day ago.
    static func end(of vault: UUID) -> Date? {
        var content = [UInt8](repeating: 0, count: 9)
        guard let length = try? KernelKeyring.read(endName(vault), into: &content), length == 8 else {
            return nil
        }
        let end = CachedKey.date(ofMilliseconds: content[..<length])
        return end <= Date() ? end : nil
    }

    /// - Returns: whether the keyring held a key.
    static func remove(_ vault: UUID) throws(VaultError) -> Bool {
        let wasThere: Bool
        do {
            // The key comes first. The note about its end is no secret.
            wasThere = try KernelKeyring.remove(name(vault))
            _ = try KernelKeyring.remove(endName(vault))
        } catch {
            throw .keyringUnavailable(error)
        }
        try changeMark(markName(vault))
        return wasThere
    }

    /// Removes the keys of all vaults of this user.
    ///
    /// - Returns: the number of removed keys.
    static func removeAll() throws(VaultError) -> Int {
        let count: Int
        do {
            count = try KernelKeyring.removeAll(beginning: prefix)
            _ = try KernelKeyring.removeAll(beginning: endPrefix)
        } catch {
            throw .keyringUnavailable(error)
        }
        try changeMark(markOfAll)
        return count
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
        until = Self.date(ofMilliseconds: content[16..<24])
        keys = VaultKeys(id: id, root: SecretBytes(content[24...]))
    }

    /// Milliseconds since 1970 in 8 bytes, big-endian.
    static func milliseconds(of date: Date) -> [UInt8] {
        let milliseconds = UInt64(max(0, date.timeIntervalSince1970 * 1000))
        return (0..<8).map { UInt8(truncatingIfNeeded: milliseconds >> UInt64(56 - 8 * $0)) }
    }

    static func date(ofMilliseconds bytes: ArraySlice<UInt8>) -> Date {
        Date(timeIntervalSince1970: Double(bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }) / 1000)
    }

    /// The bytes for the keyring. The caller clears them after use.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        // With this capacity the array never moves, so no copy of the key stays in freed memory.
        bytes.reserveCapacity(Self.length)
        bytes += keys.id.bytes
        bytes += Self.milliseconds(of: until)
        var root = keys.root.bytes
        bytes += root
        SecretBytes.clear(&root)
        return bytes
    }
}
