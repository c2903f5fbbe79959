package import ATPCryptography
internal import ATPPlatform
package import ATProtoSessions
package import FoundationEssentials

/// A rotation that is ready for its token to be sent: the account's lock, a durable intent, and space on disk for the new
/// session.
///
/// A value that is dropped without ``commit(_:)`` or ``abandon()`` leaves the intent, as a crash does.
package struct ReservedRotation: ~Copyable, Sendable {
    /// The account whose token may be spent.
    package let account: UUID
    /// The intent that is on disk.
    package private(set) var intent: RotationIntent

    private let records: RecordFiles
    private let intents: IntentFiles
    private let lock: AccountLock
    private let space: ReservedSession
    /// The generation of the record that will be replaced.
    private let generation: UInt64
    /// The intent that an earlier attempt with the same token left.
    private let earlier: RotationIntent?

    /// Reserves the space for the new record, then writes the intent. Both are durable.
    ///
    /// - Parameters:
    ///   - size: the largest possible size of the new session, in bytes.
    ///   - claim: the claim of a shared vault that the token will be sent under.
    init(
        under lock: consuming AccountLock, _ records: RecordFiles, _ intents: IntentFiles,
        tokenFingerprint: String, reserving size: Int, at date: Date, claim: RotationIntent.Claim?
    ) throws(VaultError) {
        let (id, layout) = (lock.account, records.layout)
        let session = try records.newest(.session, of: id)
        let generation = session.file.record.generation
        let found = try intents.read(of: id)
        let earlier = found?.tokenFingerprint == tokenFingerprint ? found : nil
        let intent = RotationIntent(
            tokenFingerprint: tokenFingerprint, startedAt: date, attempt: (earlier?.attempt ?? 0) + 1,
            claim: claim)
        try VaultFiles.removeLeftovers(in: layout.account(id))
        for file in session.stale { try VaultFiles.write(session.file.bytes, to: file) }
        let space = try ReservedSession(of: id, in: records, size: size)
        try intents.write(intent, generation: generation, of: id)
        account = id
        self.intent = intent
        self.records = records
        self.intents = intents
        self.lock = lock
        self.space = space
        self.generation = generation
        self.earlier = earlier
    }

    /// Writes the new session durably, then removes the intent.
    ///
    /// - Returns: the account's lock.
    /// - Throws: only if readers can't find the new session. If neither the record nor the second copy is durable, the
    ///   intent stays. (Readers prefer a copy that is ahead, so a durable copy is enough.) If the session is durable but
    ///   its directory was moved from the account's path, the error is ``VaultError/replaced(path:nowAt:)``. If another
    ///   process stored a session meanwhile, nothing is written and the error is ``VaultError/overtaken``.
    @discardableResult
    package consuming func commit(_ session: SecretBytes) throws(VaultError) -> AccountLock {
        try requireNotOvertaken()
        let lock = self.lock
        let directory = space.directory
        let hasRecord = try space.commit(session, generation: generation &+ 1)
        // If only the copy has the new token, the intent stays. If the copy is lost too, the intent shows that the
        // record's token is spent.
        // Under a claim, the intent stays until the session is in the store too.
        if hasRecord, intent.claim == nil { intents.end(of: account, in: directory) }
        do {
            if try directory.isAtItsPath() { return lock }
        } catch {}
        // Throw also if the path can't be read: a session that readers may not find must not be reported as saved.
        throw .replaced(path: directory.path, nowAt: directory.presentPath)
    }

    /// Notes durably whether the token may be sent under the claim.
    package mutating func mark(sent isSent: Bool) throws(VaultError) {
        guard let claim = intent.claim else { return }
        intent = intent.claimed(RotationIntent.Claim(id: claim.id, revision: claim.revision, isSent: isSent))
        try intents.write(intent, generation: generation, of: account)
    }

    /// Forgets the claim, which is in the store no more.
    package mutating func dropClaim() { intent = intent.claimed(nil) }

    /// Keeps an answer that the caller can't read, sealed and durable, because it may hold the only tokens that work. It
    /// replaces an earlier one.
    package func keep(_ answer: SecretBytes) throws(VaultError) {
        try requireNotOvertaken()
        try records.files.write(answer, generation: generation, to: records.layout.answer(of: account))
    }

    /// Verifies that no other process has stored a session since the rotation began. A login can do so if the lock file
    /// was removed.
    private func requireNotOvertaken() throws(VaultError) {
        guard !excludesOthers else { return }
        let stored: UInt64
        do { stored = try records.newest(.session, of: account).file.record.generation } catch { return }
        guard stored == generation else { throw .overtaken }
    }

    /// Whether the lock still excludes other processes.
    private var excludesOthers: Bool {
        do { return try lock.isCurrent() } catch { return false }
    }

    /// Ends a rotation whose token was not spent. The intent is removed, or the intent of an earlier attempt is restored.
    /// An intent that another process has written without the lock stays.
    ///
    /// - Returns: the account's lock.
    @discardableResult
    package consuming func abandon() throws(VaultError) -> AccountLock {
        let lock = self.lock
        // Close the reserved files first. A process that could open no socket may have no descriptor left for the intent.
        _ = consume space
        let present = try intents.read(of: account)
        if intent.isSameAttempt(as: present) {
            try intents.write(earlier, generation: generation, of: account)
        }
        return lock
    }

    /// Ends a rotation whose token may be spent: the intent stays.
    ///
    /// - Returns: the account's lock.
    @discardableResult
    package consuming func leaveUncertain() -> AccountLock { lock }

    /// Ends a rotation whose answer says nothing about the token: the intent stays, and keeps the answer. If it can't be
    /// written, the intent without the answer stays.
    package consuming func postpone(_ answer: RotationIntent.Answer) {
        let lock = self.lock
        _ = consume space
        do {
            if try intent.isSameAttempt(as: intents.read(of: account)) {
                try intents.write(intent.answered(answer), generation: generation, of: account)
            }
        } catch {}
        _ = consume lock
    }
}
