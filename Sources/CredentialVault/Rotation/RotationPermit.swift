package import Cryptography
package import FoundationEssentials
internal import Platform

/// The right to spend a refresh token once: the account's lock, a durable intent, and the space for what the
/// server answers.
///
/// Letting it go without a word leaves the intent, as a crash does.
package struct RotationPermit: ~Copyable, Sendable {
    /// The account whose token may be spent.
    package let account: UUID
    /// What was written before.
    package let intent: RotationIntent

    private let vault: CredentialVault
    private let lock: AccountLock
    /// The account's directory, held open: another one may take its path while the server answers.
    private let directory: OpenDirectory
    private let record: ReservedFile
    private let copy: ReservedFile
    /// The generation of the record that would be replaced.
    private let generation: UInt64
    /// The intent that an earlier attempt at the same token left.
    private let earlier: RotationIntent?

    init(
        _ vault: CredentialVault, _ lock: consuming AccountLock, _ directory: OpenDirectory,
        record: consuming ReservedFile, copy: consuming ReservedFile, generation: UInt64,
        intent: RotationIntent, earlier: RotationIntent?
    ) {
        account = lock.account
        self.vault = vault
        self.lock = lock
        self.directory = directory
        self.record = record
        self.copy = copy
        self.generation = generation
        self.intent = intent
        self.earlier = earlier
    }

    /// Keeps what the server answered, durably, then clears the intent.
    ///
    /// - Returns: the account's lock; letting it go unlocks.
    /// - Throws: only where the new session is not durable where readers look for it: neither as the record nor as the
    ///   second copy, which readers take where it is ahead. The intent stays then. ``VaultError/replaced(path:nowAt:)``
    ///   where the session is durable, but in a directory that is not at the account's path any more.
    @discardableResult
    package consuming func commit(_ session: SecretBytes) throws(VaultError) -> AccountLock {
        let lock = self.lock
        let item = vault.layout.record(.session, of: account)
        let bytes = try item.seal(session, generation: generation &+ 1, under: vault.header.keys)
        var failure: SystemError?
        do { try record.commit(bytes) } catch { failure = error }
        do {
            // Behind a durable record the sync that ends the intent will do, which is of the same directory.
            try copy.commit(bytes, syncsName: failure != nil)
        } catch {
            if let failure { throw .io(failure) }
            vault.records.dropCopy(.session, of: account)
        }
        // Where only the copy holds the new token the intent stays: should the copy be lost too, the record's
        // token is known to be spent.
        if failure == nil { vault.intents.end(of: account, in: directory) }
        do {
            if try directory.isAtItsPath() { return lock }
        } catch {}
        // Also where it can't be told: a session that readers may not find is not reported as kept.
        throw .replaced(path: directory.path, nowAt: directory.presentPath)
    }

    /// Says that the token was not spent: the intent goes, or becomes what an earlier attempt left.
    package consuming func abandon() throws(VaultError) {
        let lock = self.lock
        try vault.intents.write(earlier, generation: generation, of: account)
        _ = consume lock
    }

    /// Says that nobody knows whether the token was spent: the intent stays.
    package consuming func leaveUncertain() {}
}
