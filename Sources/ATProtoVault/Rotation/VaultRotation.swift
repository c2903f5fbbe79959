internal import ATPCryptography
internal import ATProtoSessions
internal import BskyAuthRows
internal import FoundationEssentials
internal import OAuthDPoP
internal import Synchronization

/// One rotation, from the account's lock to its end.
final class VaultRotation: Sendable {
    let stored: Session
    private let vault: CredentialVault
    private let host: any RotationHost
    private let id: UUID
    /// The account in the store of a shared vault; nil for a vault of this machine alone.
    private let shared: SharedAccount?
    private let overtaken = Mutex(false)
    /// The lock, until ``begin(at:)`` takes it.
    private let lock: Slot<AccountLock>
    /// The lock with the durable intent and the reserved space, from then on.
    private let reserved = Slot<ReservedRotation>()

    init(
        _ vault: CredentialVault, _ host: any RotationHost, _ shared: SharedAccount?, _ stored: Session,
        of id: UUID, under lock: consuming AccountLock
    ) {
        self.vault = vault
        self.host = host
        self.shared = shared
        self.id = id
        self.stored = stored
        self.lock = Slot()
        self.lock.put(lock)
    }

    /// Whether another machine has changed the record since it was read, so that nothing was sent.
    var wasOvertaken: Bool { overtaken.withLock { $0 } }

    /// The last attempt with the token of the stored session, if it is not known what became of it.
    func earlier() throws(StoreError) -> RotationIntent? {
        guard let lock = lock.take() else { return nil }
        let found: Result<RotationIntent?, VaultError>
        do { found = .success(try vault.intent(of: id, under: lock)) } catch { found = .failure(error) }
        self.lock.put(lock)
        do {
            let intent = try found.get()
            return intent?.tokenFingerprint == stored.refreshToken?.fingerprint ? intent : nil
        } catch { throw StoreError(.failed, error) }
    }

    /// Makes the intent durable, reserves the space for the result, and claims the token in the store of a shared vault.
    ///
    /// - Returns: when the token must have begun to go out at the latest; nil for no such moment.
    func begin(at now: Date) async throws(StoreError) -> ContinuousClock.Instant? {
        guard let lock = lock.take(), let token = stored.refreshToken else {
            throw StoreError(.notBegun, VaultError.busy(holder: nil))
        }
        do {
            try await host.prepare(id, under: lock)
            do {
                // If the lock file was removed, another process may have changed the session.
                guard try host.session(id).refreshToken == token else { throw VaultError.busy(holder: nil) }
                return try await claim(
                    try vault.beginRotation(
                        of: id, under: lock, tokenFingerprint: token.fingerprint,
                        reserving: Self.largestSession, at: now, claim: try shared?.newClaim()))
            } catch {
                host.finish()
                throw error
            }
        } catch VaultError.overtaken {
            overtaken.withLock { $0 = true }
            throw StoreError(.overtaken, VaultError.overtaken)
        } catch { throw StoreError(.notBegun, error) }
    }

    /// Claims the token of a rotation whose intent is durable. The mark that it may be sent comes after the claim, so a claim
    /// without it can be withdrawn.
    private func claim(
        _ reserved: consuming ReservedRotation
    ) async throws(VaultError) -> ContinuousClock.Instant? {
        guard let shared else {
            self.reserved.put(reserved)
            return nil
        }
        let sentBy: ContinuousClock.Instant
        do { sentBy = try await shared.claim(for: reserved.intent) } catch {
            // If the claim may still land, the intent stays, so that the next process here can withdraw it.
            if case .store(let failure) = error, failure.outcome == .unknown {
                reserved.leaveUncertain()
            } else {
                try reserved.abandon()
            }
            throw error
        }
        do { try reserved.mark(sent: true) } catch {
            try await withdraw(reserved, from: shared)
            throw error
        }
        self.reserved.put(reserved)
        return sentBy
    }

    /// Withdraws the claim under which nothing was sent, and forgets the rotation. If the store can't be reached, the intent
    /// without the mark stays.
    private func withdraw(
        _ reserved: consuming ReservedRotation, from shared: SharedAccount
    ) async throws(VaultError) {
        try reserved.mark(sent: false)
        do { try await shared.withdraw() } catch {
            reserved.leaveUncertain()
            return
        }
        try reserved.abandon()
    }

    /// Saves what became of the token.
    func end(with result: RotationResult) async throws(StoreError) -> Session {
        guard let reserved = reserved.take() else {
            guard case .notSpent = result else { throw StoreError(.failed, ResultWithoutSpending()) }
            return try await leave()
        }
        defer { host.finish() }
        switch result {
        case .rotated(let session): return try await keep(session, in: reserved)
        case .notSpent:
            do {
                if let shared { try await withdraw(reserved, from: shared) } else { try reserved.abandon() }
            } catch { throw StoreError(.failed, error) }
        case .unknown(nil): reserved.leaveUncertain()
        case .unknown(let answer?): await postpone(answer, in: reserved)
        case .ended(let session, let unread):
            return try await end(session, unread, in: reserved)
        }
        return stored
    }

    /// Ends a rotation that spent no token.
    func leave() async throws(StoreError) -> Session {
        guard let lock = lock.take(), stored.state == .ok else { return stored }
        try await settle(isNew: false, under: lock)
        return stored
    }

    private func keep(
        _ session: Session, in reserved: consuming ReservedRotation
    ) async throws(StoreError) -> Session {
        let lock = try commit(session, in: reserved)
        if let shared { try await share(session, with: shared, under: lock) }
        guard session.state == .ok else { return session }
        // An earlier answer that stays does no harm.
        try? vault.removeAnswer(of: id, under: lock)
        try await settle(isNew: true, under: lock)
        return session
    }

    /// Writes a session that is durable here to the store of a shared vault.
    private func share(
        _ session: Session, with shared: SharedAccount, under lock: borrowing AccountLock
    ) async throws(StoreError) {
        do { try await shared.commit(session.record, under: lock) } catch {
            // The disk of an ephemeral machine ends with its job, so there the session counts as lost.
            guard shared.isOnDurableMachine else { throw StoreError(.notKept, error) }
            host.keptHereOnly(error)
        }
    }

    /// Ends a rotation whose answer says nothing about the token. No other answer will come, so the claim ends too.
    private func postpone(
        _ answer: RotationIntent.Answer, in reserved: consuming ReservedRotation
    ) async {
        if let shared {
            // Without the store, the claim stays here and there, and this machine repeats it.
            do {
                try await shared.withdraw(noting: reserved.intent.claimed(nil).answered(answer))
                reserved.dropClaim()
            } catch {}
        }
        reserved.postpone(answer)
    }

    private func end(
        _ session: Session, _ unread: [UInt8]?, in reserved: consuming ReservedRotation
    ) async throws(StoreError) -> Session {
        // The token must not be sent again, whether or not the answer can be kept.
        if let unread { do { try reserved.keep(SecretBytes(unread)) } catch { host.unreadAnswerLost(error) } }
        // If the lock file was removed, another process may have replaced the session. An answer about the old token
        // says nothing about the new one.
        guard try await self.session().tokenFingerprint == stored.tokenFingerprint else {
            reserved.leaveUncertain()
            throw StoreError(.overtaken, VaultError.busy(holder: nil))
        }
        if let shared, try await !end(session, in: shared) {
            reserved.leaveUncertain()
            throw StoreError(.overtaken, VaultError.overtaken)
        }
        let lock = try commit(session, in: reserved)
        do { try vault.endRotation(of: id, under: lock) } catch { throw StoreError(.failed, error) }
        return session
    }

    /// Writes the end of a session to the store of a shared vault.
    ///
    /// - Returns: false if another machine has a newer session or decides about this one.
    private func end(_ session: Session, in shared: SharedAccount) async throws(StoreError) -> Bool {
        do { return try await shared.end(session, holding: stored.refreshToken?.fingerprint ?? "") } catch {
            throw StoreError(.notKept, error)
        }
    }

    private func session() async throws(StoreError) -> Session {
        do { return try host.session(id) } catch { throw StoreError(.failed, error) }
    }

    /// Makes the session durable, and ends the rotation. Returns the lock, so that it is released last.
    private func commit(
        _ session: Session, in reserved: consuming ReservedRotation
    ) throws(StoreError) -> AccountLock {
        do { return try reserved.commit(session.record) } catch .overtaken {
            throw StoreError(.overtaken, VaultError.overtaken)
        } catch { throw StoreError(.notKept, error) }
    }

    private func settle(isNew: Bool, under lock: borrowing AccountLock) async throws(StoreError) {
        do { try await host.settle(id, isNew: isNew, under: lock) } catch { throw StoreError(.failed, error) }
    }

    /// The size limit of a session in bytes, with room for the longest tokens of known servers.
    private static let largestSession = 16384
}

/// Holds a value that can't be copied, until somebody takes it.
private final class Slot<Value: ~Copyable & Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)

    func put(_ value: consuming Value) {
        var other: Value? = value
        self.value.withLock { swap(&$0, &other) }
    }

    func take() -> Value? { value.withLock { $0.take() } }
}
