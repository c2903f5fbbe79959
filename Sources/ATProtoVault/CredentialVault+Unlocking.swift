internal import ATPPlatform
package import FoundationEssentials

/// The vault key in the kernel's keyring.
extension CredentialVault {
    /// A vault that was opened with the key in the unlock cache.
    package struct Unlocked: Sendable {
        package let vault: CredentialVault
        /// When the cached key expires.
        package let until: Date
    }

    /// Opens a vault with the key in the unlock cache; nil if the cache has no key for the vault.
    ///
    /// - Throws: ``VaultError/keyringUnavailable(_:)`` if the kernel keeps no keys.
    package static func openUnlocked(
        at home: String, stores: StoreOpener? = nil
    ) throws(VaultError) -> Unlocked? {
        let store = HeaderStore(layout: VaultLayout(home: home))
        let header = try store.read()
        guard let (keys, until) = try UnlockCache.keys(of: header) else { return nil }
        return Unlocked(
            vault: try CredentialVault(try UnlockedHeader(header, keys, in: store), stores), until: until)
    }

    /// Puts the vault key into the unlock cache: processes of this user open the vault without a passphrase until
    /// it expires.
    ///
    /// - Parameter seconds: at least one.
    /// - Returns: when the cached key expires.
    /// - Throws: ``VaultError/keyringUnavailable(_:)`` if the kernel keeps no keys.
    package func unlock(forSeconds seconds: UInt32, now: Date) throws(VaultError) -> Date {
        let until = now.addingTimeInterval(Double(seconds))
        try UnlockCache.store(header.keys, of: id, until: until, seconds: seconds)
        return until
    }

    /// Counts that a person typed the passphrase of this vault.
    ///
    /// - Returns: true the second time within a week, unless the vault key was in the unlock cache since then: the
    ///   person may not know of it. Always false if the kernel keeps no keys.
    package func countTypedPassphrase() -> Bool { UnlockCache.countTypedPassphrase(of: id) }

    /// A mark that ``forgetKey(at:)`` changes. A process that keeps the key in its memory compares it, to notice that the
    /// vault was locked. Nil if the kernel keeps no keys.
    package func unlockMark() -> [UInt8]? { try? UnlockCache.mark(of: header.id) }

    /// Whether a mark is still the present one. If that can't be told, it is not.
    package func has(_ mark: [UInt8]) -> Bool { unlockMark() == mark }

    /// Removes the vault's key from the unlock cache.
    ///
    /// - Returns: whether the cache held the key.
    /// - Throws: ``VaultError/keyringUnavailable(_:)`` if the kernel's keyring can't be searched.
    package static func forgetKey(at home: String) throws(VaultError) -> Bool {
        try UnlockCache.remove(store(home).read().id)
    }

    /// When the unlock cache gave up the vault's key; nil if its time is not over, was ended before by ``forgetKey(at:)``, or
    /// was over more than a day ago.
    package static func unlockEnd(at home: String) throws(VaultError) -> Date? {
        UnlockCache.end(of: try store(home).read().id)
    }

    /// Removes the keys of all vaults of this user from the unlock cache. This also works if the vault can't be found.
    ///
    /// - Returns: the number of removed keys.
    /// - Throws: ``VaultError/keyringUnavailable(_:)`` if the kernel's keyring can't be searched.
    package static func forgetAllKeys() throws(VaultError) -> Int { try UnlockCache.removeAll() }
}
