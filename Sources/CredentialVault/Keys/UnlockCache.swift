internal import Cryptography
package import FoundationEssentials
internal import Platform

/// The unlock cache: the vault key, kept by the kernel for a time, so that nobody is asked again.
extension CredentialVault {
    /// A vault that was opened without a key.
    package struct Unlocked: Sendable {
        package let vault: CredentialVault
        /// When it will take a key again.
        package let until: Date
    }

    /// Lets processes of this user open the vault without a key for a time, and for no longer than that.
    ///
    /// - Parameter seconds: how long, and at least one.
    /// - Returns: when it ends.
    /// - Throws: ``VaultError/keyringUnavailable(_:)`` where the kernel keeps no keys.
    package func unlock(forSeconds seconds: UInt32, now: Date) throws(VaultError) -> Date {
        let until = now.addingTimeInterval(Double(seconds))
        var content = UnlockedKey(keys: keys, until: until).bytes
        defer { SecretBytes.clear(&content) }
        do {
            try KernelKeyring.store(content, named: UnlockedKey.name(id), for: seconds)
        } catch {
            throw .keyringUnavailable(error)
        }
        return until
    }

    /// Opens a vault that is unlocked; nil where it is not.
    ///
    /// The key is kept under the vault's id and has to be the one its header was written with: no other vault
    /// gets it.
    ///
    /// - Throws: ``VaultError/keyringUnavailable(_:)`` where the kernel keeps no keys.
    package static func openUnlocked(at home: String) throws(VaultError) -> Unlocked? {
        let layout = VaultLayout(home: home)
        let header = try header(layout)
        // One byte more, so that something longer is not taken for a key.
        var content = [UInt8](repeating: 0, count: UnlockedKey.length + 1)
        defer { SecretBytes.clear(&content) }
        let length: Int?
        do { length = try KernelKeyring.read(UnlockedKey.name(header.id), into: &content) } catch {
            throw .keyringUnavailable(error)
        }
        guard let length, let key = UnlockedKey(content[..<length]), key.until > Date(),
            key.keys.id == header.keyID, header.isAuthentic(key.keys)
        else { return nil }
        return Unlocked(vault: try CredentialVault(header, layout, key.keys), until: key.until)
    }

    /// Locks a vault again.
    ///
    /// - Returns: whether it was unlocked.
    /// - Throws: ``VaultError/keyringUnavailable(_:)`` where that can't be told.
    package static func forgetKey(at home: String) throws(VaultError) -> Bool {
        let id = try header(VaultLayout(home: home)).id
        do { return try KernelKeyring.remove(UnlockedKey.name(id)) } catch {
            throw .keyringUnavailable(error)
        }
    }

    /// Locks all vaults of this user, for where it can't be told which one is meant.
    ///
    /// - Returns: how many were unlocked.
    /// - Throws: ``VaultError/keyringUnavailable(_:)`` where that can't be told.
    package static func forgetAllKeys() throws(VaultError) -> Int {
        do { return try KernelKeyring.removeAll(beginning: UnlockedKey.beginning) } catch {
            throw .keyringUnavailable(error)
        }
    }
}

/// The vault key as the kernel keeps it. In bytes: key id (16), end in milliseconds since 1970 (8), key (32).
private struct UnlockedKey {
    let keys: VaultKeys
    let until: Date

    static let length = 16 + 8 + VaultKeys.length

    static let beginning = "bskyauth:vault:"

    static func name(_ vault: UUID) -> String { beginning + vault.text }

    init(keys: VaultKeys, until: Date) {
        self.keys = keys
        self.until = until
    }

    /// nil where it is something else.
    init?(_ content: ArraySlice<UInt8>) {
        guard content.count == Self.length, let id = UUID(bytes: content[..<16]) else { return nil }
        let milliseconds = content[16..<24].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        until = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        keys = VaultKeys(id: id, root: SecretBytes(content[24...]))
    }

    /// To be overwritten by who asks for them.
    var bytes: [UInt8] {
        let milliseconds = UInt64(max(0, until.timeIntervalSince1970 * 1000))
        var bytes: [UInt8] = []
        // So that the key is in one place only.
        bytes.reserveCapacity(Self.length)
        bytes += keys.id.bytes
        bytes += (0..<8).map { UInt8(truncatingIfNeeded: milliseconds >> UInt64(56 - 8 * $0)) }
        var root = keys.root.bytes
        bytes += root
        SecretBytes.clear(&root)
        return bytes
    }
}
