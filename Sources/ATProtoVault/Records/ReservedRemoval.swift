internal import ATPCryptography
internal import ATPPlatform
internal import ATProtoSessions
package import FoundationEssentials

/// The removal of an account, tried as far as that changes nothing. A step outside the vault that can't be undone comes next: the
/// end of the session at its server, a bundle, the tombstone in the store of a shared vault.
///
/// A value that is dropped without ``finish(under:)`` leaves the account as it is.
package struct ReservedRemoval: ~Copyable, Sendable {
    private let account: UUID
    private let names: [String]
    private let vault: CredentialVault
    /// The record of an account that can't be removed: its session without tokens. Nil if the session can't be read. Then it has not
    /// ended outside either.
    private let content: SecretBytes?
    /// The generation of the present session.
    private let generation: UInt64
    private let space: ReservedSession?

    /// Takes and releases the header's lock. The caller holds the account's lock.
    init(of id: UUID, names: [String], in vault: CredentialVault) throws(VaultError) {
        let layout = vault.layout
        let header = try vault.header.lock()
        try vault.workshop.prepare()
        _ = consume header
        for directory in [layout.accounts, layout.account(id)] {
            if let obstacle = FileSystem.obstacle(toWritingIn: directory) {
                throw VaultError(writing: obstacle)
            }
        }
        try VaultFiles.removeLeftovers(in: layout.account(id))
        if let (content, generation) = Self.end(of: id, in: vault) {
            space = try ReservedSession(of: id, in: vault.records, size: content.bytes.count)
            (self.content, self.generation) = (content, generation)
        } else {
            space = nil
            (content, generation) = (nil, 0)
        }
        account = id
        self.names = names
        self.vault = vault
    }

    /// The present session without its tokens, and its generation; nil if it can't be read.
    private static func end(of id: UUID, in vault: CredentialVault) -> (SecretBytes, UInt64)? {
        do {
            let record = try vault.records.read(.session, of: id)
            return (try Session(record: record.content).withoutTokens.record, record.generation)
        } catch {
            return nil
        }
    }

    /// Removes the account and everything that leads to it.
    ///
    /// If its directory can't be renamed, as in a lower layer of overlayfs, its session is first replaced by one without tokens.
    /// Then its files are removed one after the other. An interruption leaves an account whose session has ended.
    ///
    /// - Returns: why files of the account are left in the workshop; nil if none are. The account is gone in either case.
    package consuming func finish(under lock: borrowing AccountLock) throws(UnfinishedRemoval) -> VaultError?
    {
        let (account, names, content, vault) = (account, names, content, vault)
        let header: AdvisoryLock
        do {
            try vault.locks.require(lock, of: account)
            header = try vault.header.lock()
        } catch {
            throw UnfinishedRemoval(cause: error, isEnded: endSession(under: lock))
        }
        do { try vault.workshop.takeAway(account) } catch {
            let isEnded = endSession(under: lock)
            do { try vault.workshop.removeInPlace(account) } catch {
                let hasNoTokens = Self.tidy(account, names: names, content, in: vault)
                throw UnfinishedRemoval(cause: error, isEnded: isEnded || hasNoTokens)
            }
        }
        let left = vault.editor.forget(account, names: names)
        _ = consume header
        return left
    }

    /// Makes an account whose files are partly removed one that a logout can remove.
    ///
    /// - Returns: whether it had lost its session.
    private static func tidy(
        _ id: UUID, names: [String], _ end: SecretBytes?, in vault: CredentialVault
    ) -> Bool {
        do {
            guard try vault.hasAccount(id) else {
                // A directory without records is no account, so no name may lead to it.
                _ = vault.editor.forget(id, names: names)
                return true
            }
            guard try !VaultFiles.exists(vault.layout.record(.session, of: id).path) else { return false }
            // The first generation: no other record of the session is left. If this fails, the error of the removal is said.
            if let end { do { try vault.records.write(.session, end, generation: 1, of: id) } catch {} }
            return true
        } catch {
            return false
        }
    }

    /// Replaces the session, which has ended outside, by one without tokens. The account stays. The session keeps its generation, which
    /// the store of a shared vault may not have passed.
    ///
    /// - Returns: whether that was done. It is not if the session can't be read, or if another process may have stored a new one.
    @discardableResult
    package consuming func endSession(under lock: borrowing AccountLock) -> Bool {
        let (account, vault) = (account, vault)
        var generation = generation
        guard let content, let space else { return false }
        let directory = space.directory
        do {
            let present = try vault.records.newest(.session, of: account).file.record.generation
            // The lock's file may have been removed. Under the lock, only the step outside has stored another session.
            guard try present == generation || vault.locks.isCurrent(lock) else { return false }
            generation = present
        } catch {
            // The directory was renamed, but that may not be durable. Its file is reached through its descriptor.
        }
        do {
            if try space.commit(content, generation: generation) { return true }
        } catch {}
        // No name in the directory can be changed, or the step outside stored a session, which removes what was reserved.
        let file = vault.layout.record(.session, of: account)
        do {
            let bytes = try vault.files.seal(content, generation: generation, as: file)
            try directory.overwrite(file.name, with: bytes)
            // The copy has the same generation, so readers take the record.
            do { try directory.overwrite(vault.layout.copy(.session, of: account).name, with: bytes) } catch {
            }
            return true
        } catch {
            return false
        }
    }
}

/// Why an account is still in the vault, though what comes before its removal is done.
package struct UnfinishedRemoval: Error, Sendable, Hashable {
    package let cause: VaultError
    /// Whether its session was replaced by one without tokens, so that only its files are left.
    package let isEnded: Bool
}

/// Removing accounts.
extension CredentialVault {
    /// Tries what the removal of an account needs, and changes nothing.
    package func reserveRemoval(
        of id: UUID, names: [String], under lock: borrowing AccountLock
    ) throws(VaultError) -> ReservedRemoval {
        try locks.require(lock, of: id)
        return try ReservedRemoval(of: id, names: names, in: self)
    }

    /// Removes an account and everything that leads to it.
    ///
    /// - Returns: why files of the account are left in the workshop; nil if none are.
    @discardableResult
    package func remove(
        _ id: UUID, names: [String], under lock: borrowing AccountLock
    ) throws(VaultError) -> VaultError? {
        let removal = try reserveRemoval(of: id, names: names, under: lock)
        do { return try removal.finish(under: lock) } catch { throw error.cause }
    }
}
