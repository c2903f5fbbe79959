internal import ATPCryptography
internal import ATProtoSessions
internal import BskyAuthRows
internal import FoundationEssentials
internal import OAuthDPoP
internal import Synchronization

/// One account of a shared vault, while this process holds its lock: the protocol of docs/design/shared-vault.md.
///
/// The account's files are the machine's copy of the record. While the intent names a claim and the copy has a newer
/// token than the intent, the copy is the spool: its session is not in the store yet.
final class SharedAccount: Sendable {
    let vault: CredentialVault
    let store: SharedStore
    let id: UUID
    /// The row as it was read or written last.
    let row = Mutex<SharedRow?>(nil)

    init(_ id: UUID, in vault: CredentialVault, _ store: SharedStore) {
        self.id = id
        self.vault = vault
        self.store = store
    }

    /// The session in this machine's copy, its generation, and the intent beside it.
    struct Copy {
        let record: StoredRecord
        let session: Session
        let intent: RotationIntent?

        /// Whether an answer of this machine is not in the store yet, as far as the copy tells.
        var hasSpool: Bool {
            // An account that could not be removed has no session that the store needs.
            guard let intent, intent.claim != nil, session.hasTokens else { return false }
            return intent.tokenFingerprint != session.refreshToken?.fingerprint
        }

        /// The generation that the store had when this machine looked last.
        var seen: UInt64 { hasSpool ? record.generation - 1 : record.generation }
    }

    func copy() throws(VaultError) -> Copy {
        let record = try vault.records.read(.session, of: id)
        return Copy(
            record: record, session: try session(record.content), intent: try vault.intents.read(of: id))
    }

    private func session(_ content: SecretBytes) throws(VaultError) -> Session {
        do { return try Session(record: content) } catch {
            throw .damaged(file: vault.directory(of: id), reason: "has an unreadable \(error.member)")
        }
    }

    var isOnDurableMachine: Bool { store.machine.isDurable }

    // MARK: Before a rotation

    /// Reads the record, and does what was left to do: stores an answer of this machine, withdraws a claim under which nothing
    /// was sent, and adopts a newer session. Then waits for a claim of another machine, if the caller needs a newer token.
    ///
    /// - Parameters:
    ///   - holding: the fingerprint of the access token that the caller has seen. Nil: the caller waits whatever the token is.
    ///   - limit: how long to wait for other machines.
    /// - Throws: ``VaultError/claimed(_:)`` after that time; ``VaultError/storeWentBack(_:)``; ``VaultError/repairing(_:)``;
    ///   ``VaultError/store(_:)``.
    func catchUp(
        under lock: borrowing AccountLock, holding: String?, waiting limit: Duration
    ) async throws(VaultError) {
        do { try await lookUp(under: lock, holding: holding, waiting: limit) } catch {
            guard try await isRepaired(after: error, under: lock) else { throw error }
            try await lookUp(under: lock, holding: holding, waiting: limit)
        }
    }

    private func lookUp(
        under lock: borrowing AccountLock, holding: String?, waiting limit: Duration
    ) async throws(VaultError) {
        let end = ContinuousClock.now + limit
        while true {
            let copy = try copy()
            let read = try await self.read()
            guard read.record.awaited.isEmpty else { throw .repairing(store.repair(of: read.record)) }
            guard read.record.generation >= copy.seen else { throw try await wentBack() }
            guard let session = try read.record.session(of: id) else {
                // A token that is only here is still to be revoked. The account is gone even if its files can't be removed:
                // the next command tries that again.
                if !copy.hasSpool { do { try vault.removeCopy(of: id, under: lock) } catch {} }
                throw .noSuchAccount(id)
            }
            if copy.hasSpool {
                try await store(copy.record.content, copy.record.generation, over: read, under: lock)
                continue
            }
            if try await settleOwnClaim(copy, read, session) { continue }
            let isNewer = session.refreshToken != copy.session.refreshToken
            if session.clientKeyID != copy.session.clientKeyID {
                // Another machine has logged in, with a key that may be new here.
                try await SharedAccounts(vault: vault, store: store).takeClients()
            }
            if isNewer || read.record.generation > copy.record.generation {
                try vault.adopt(read.record, of: id, under: lock)
            }
            row.withLock { $0 = read }
            if let holding, session.tokenFingerprint != holding || session.state != .ok { return }
            let own = isNewer ? nil : copy.intent?.claim?.id
            guard let claim = read.record.claim, claim.id != own, !claim.isForgotten else {
                return try noteEarlierAttempt(read.record, session)
            }
            if try await mayTakeOver(claim, read, until: end) {
                return try noteEarlierAttempt(read.record, session)
            }
        }
    }

    /// Withdraws or forgets a claim of this machine under which nothing was sent.
    ///
    /// The row is written even if the claim is not there, because the new revision keeps the claim from landing.
    ///
    /// - Returns: whether something was done, so that the row is to be read again.
    private func settleOwnClaim(
        _ copy: Copy, _ read: SharedRow, _ session: Session
    ) async throws(VaultError) -> Bool {
        guard let intent = copy.intent, let claim = intent.claim, !claim.isSent else { return false }
        let isThere = read.record.claim?.id == claim.id
        if isThere || read.revision.number == claim.revision {
            var record = read.record
            if isThere {
                record.claim = nil
                // An earlier attempt may have been sent under the same claim.
                record.attempt = record.attempt ?? intent.sent?.claimed(nil)
            }
            guard try await store.write(record, over: read, of: id, vault.files) != nil else { return true }
        }
        try vault.intents.write(intent.sent, generation: copy.record.generation, of: id)
        return true
    }

    /// Notes in the copy that an attempt of another machine may have spent the token.
    private func noteEarlierAttempt(_ record: SharedRecord, _ session: Session) throws(VaultError) {
        guard try vault.intents.read(of: id) == nil, let token = session.refreshToken else { return }
        let taken = record.claim.map { claim in
            // Whoever takes a claim over has waited. The other machine's clock says nothing here.
            RotationIntent(tokenFingerprint: token.fingerprint, startedAt: .distantPast, attempt: 1)
        }
        guard let attempt = record.attempt ?? taken else { return }
        try vault.intents.write(attempt, generation: record.generation, of: id)
    }

    /// Waits for the end of another machine's claim, and says whether it may be taken over.
    private func mayTakeOver(
        _ claim: SharedClaim, _ read: SharedRow, until end: ContinuousClock.Instant
    ) async throws(VaultError) -> Bool {
        var rest = ContinuousClock.now.duration(to: end)
        let takeover = claim.machine.isDurable ? claim.machine.takeover : store.limits.takeover
        if let takeover {
            let missing = takeover - (try vault.claimWatch.age(of: claim, account: id))
            if missing <= .zero { return true }
            rest = min(rest, missing)
        }
        guard ContinuousClock.now < end else { throw .claimed(claim) }
        try await store.waitForChange(of: id, after: read, atMost: rest)
        return false
    }

    // MARK: The result

    /// Stores a new session, which is in this machine's copy already. An ephemeral machine tries for the time of
    /// ``SharedStore/Limits/commit``.
    ///
    /// - Throws: ``VaultError/store(_:)`` if the session is in the copy only.
    func commit(_ session: SecretBytes, under lock: borrowing AccountLock) async throws(VaultError) {
        let generation = try vault.records.read(.session, of: id).generation
        let end = ContinuousClock.now + (store.machine.isDurable ? .zero : store.limits.commit)
        while true {
            do { return try await deliver(session, generation, under: lock) } catch {
                guard case .store = error, ContinuousClock.now < end, !Task.isCancelled else { throw error }
                try? await Task.sleep(for: .seconds(1))
                row.withLock { $0 = nil }
            }
        }
    }

    private func deliver(
        _ session: SecretBytes, _ generation: UInt64, under lock: borrowing AccountLock
    ) async throws(VaultError) {
        do { try await store(session, generation, over: try await rowAgain(), under: lock) } catch {
            guard case .storeWentBack = error else { throw error }
            try await offerAtOnce(under: lock)
            // The store has the session now, if the copy is no spool any more.
            if try copy().hasSpool { throw error }
        }
    }

    private func rowAgain() async throws(VaultError) -> SharedRow {
        if let read = row.withLock({ $0 }) { return read }
        return try await read()
    }

    func read() async throws(VaultError) -> SharedRow {
        if let read = try await store.read(id, vault.files) { return read }
        throw try await SharedAccounts(vault: vault, store: store).absence(of: id)
    }

    /// Stores an answer that is in the copy. The condition is the spent token, not the claim.
    private func store(
        _ content: SecretBytes, _ generation: UInt64, over first: SharedRow, under lock: borrowing AccountLock
    ) async throws(VaultError) {
        let token = try session(content).refreshToken
        guard let spent = try vault.intents.read(of: id)?.tokenFingerprint else { return }
        var read = first
        while true {
            guard let stored = try read.record.session(of: id) else { throw .noSuchAccount(id) }
            if stored.refreshToken?.fingerprint == spent {
                var record = read.record
                record.account?.session = content
                record.generation = max(generation, record.generation + 1)
                (record.claim, record.attempt) = (nil, nil)
                if let written = try await store.write(record, over: read, of: id, vault.files) {
                    row.withLock { $0 = written }
                    return try vault.intents.write(nil, generation: generation, of: id)
                }
            } else if stored.refreshToken == token {
                return try vault.intents.write(nil, generation: generation, of: id)
            } else {
                // If the store went back, the answer stays here for a repair.
                guard read.record.generation >= generation else { throw try await wentBack() }
                // The newer token comes from this one. To revoke this one would end the session.
                return try vault.adopt(read.record, of: id, under: lock)
            }
            read = try await self.read()
        }
    }

    /// Stores that a session has ended, or that it is lost.
    ///
    /// - Returns: false if the record has another token by now, or if another machine has the claim and decides.
    func end(_ session: Session, holding fingerprint: String) async throws(VaultError) -> Bool {
        let claim = try vault.intents.read(of: id)?.claim?.id
        while true {
            let read = try await self.read()
            guard let stored = try read.record.session(of: id) else { throw .noSuchAccount(id) }
            guard stored.refreshToken?.fingerprint == fingerprint, read.record.claim?.id == claim else {
                return false
            }
            var record = read.record
            record.account?.session = session.record
            record.generation += 1
            (record.claim, record.attempt) = (nil, nil)
            if try await store.write(record, over: read, of: id, vault.files) != nil { return true }
        }
    }

    // MARK: The end of the sharing

    /// Takes the account out of the store, with its newest session in the copy.
    ///
    /// - Throws: ``VaultError/claimed(_:)`` while another machine refreshes it.
    func takeOut(under lock: borrowing AccountLock) async throws(VaultError) {
        while true {
            try await catchUp(under: lock, holding: nil, waiting: .zero)
            guard try vault.intents.read(of: id)?.claim == nil else {
                throw .sharingRefused(.unfinished([id]))
            }
            guard let read = row.withLock({ $0 }) else { throw .storeWentBack(id) }
            do {
                if try await store.rows.delete(SharedRecord.key(id), if: .unchanged(read.revision)) { return }
            } catch { throw .store(error) }
        }
    }
}
