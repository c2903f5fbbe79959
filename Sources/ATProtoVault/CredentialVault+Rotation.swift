internal import ATPCryptography
package import ATProtoSessions
package import FoundationEssentials
internal import OAuthDPoP

/// Locks and rotation.
extension CredentialVault {
    /// Takes the lock of an account, and waits for another process that has it.
    ///
    /// - Throws: ``VaultError/busy(holder:)`` after `timeout`.
    package func lock(_ id: UUID, timeout: Duration) async throws(VaultError) -> AccountLock {
        try await locks.lock(id, timeout: timeout)
    }

    /// Takes the lock of an account; nil if another process has it.
    package func tryLock(_ id: UUID) throws(VaultError) -> AccountLock? { try locks.tryLock(id) }

    /// Takes the lock for adding and removing accounts, for the time of a few reads and writes.
    package func lockAccounts() throws(VaultError) -> AccountsLock {
        AccountsLock(home: home, try header.lock())
    }

    /// Whether a rotation of the account began and has not ended.
    package func hasIntent(_ id: UUID) throws(VaultError) -> Bool {
        try VaultFiles.exists(layout.intent(of: id).path)
    }

    /// The intent of an account. Without the lock it may change at any moment.
    package func intent(
        of id: UUID, under lock: borrowing AccountLock
    ) throws(VaultError) -> RotationIntent? {
        try locks.require(lock, of: id)
        return try intents.read(of: id)?.sent
    }

    /// Prepares for spending a refresh token: reserves the space for the new record, then writes the intent.
    ///
    /// - Parameters:
    ///   - tokenFingerprint: the fingerprint of the token that will be spent.
    ///   - size: the largest possible size of the new session, in bytes.
    ///   - claim: the claim of a shared vault that the token will be sent under.
    package func beginRotation(
        of id: UUID, under lock: consuming AccountLock, tokenFingerprint: String, reserving size: Int,
        at date: Date, claim: RotationIntent.Claim? = nil
    ) throws(VaultError) -> ReservedRotation {
        try locks.require(lock, of: id)
        return try ReservedRotation(
            under: lock, records, intents, tokenFingerprint: tokenFingerprint, reserving: size, at: date,
            claim: claim)
    }
}

/// What a shared vault does with the copy of this machine.
extension CredentialVault {
    /// Removes the intent of a rotation under a claim, when its result is in the store too.
    func endRotation(of id: UUID, under lock: borrowing AccountLock) throws(VaultError) {
        try locks.require(lock, of: id)
        if try hasIntent(id) { try intents.write(nil, generation: 0, of: id) }
    }

    /// Makes the account's files those of the shared record, which is newer. An intent of another token ends.
    func adopt(
        _ record: SharedRecord, of id: UUID, under lock: borrowing AccountLock
    ) throws(VaultError) {
        try locks.require(lock, of: id)
        guard let account = record.account else { return }
        let token = try record.session(of: id)?.refreshToken?.fingerprint
        // The profile comes first: after a crash, a session of the same generation would hide that the profile is older.
        try adopt(profile: account.profile, of: id)
        try records.write(.session, account.session, generation: record.generation, of: id)
        if let intent = try intents.read(of: id) {
            let isOpen = intent.tokenFingerprint == token
            try intents.write(isOpen ? intent : nil, generation: record.generation, of: id)
        }
    }

    private func adopt(profile: SecretBytes, of id: UUID) throws(VaultError) {
        let present = try read(.profile, of: id).content
        guard present != profile else { return }
        let header = try lockAccounts()
        try editor.replaceProfile(profile, of: id, names: names(in: profile), givingUp: names(in: present))
        _ = consume header
    }

    /// Removes the files of an account that another machine has logged out of.
    func removeCopy(of id: UUID, under lock: borrowing AccountLock) throws(VaultError) {
        try remove(id, names: names(in: try read(.profile, of: id).content), under: lock)
    }
}
