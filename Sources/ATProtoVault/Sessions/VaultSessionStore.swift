internal import ATPCryptography
package import ATProtoSessions
package import FoundationEssentials
internal import OAuthDPoP
internal import Synchronization

/// What the owner of a vault adds to the rotations in it.
package protocol RotationHost: Sendable {
    /// Takes the lock of an account, and waits at most this long for another process.
    func lock(_ id: UUID, waiting limit: Duration) async throws -> AccountLock
    func session(_ id: UUID) throws -> Session
    /// Is called before a token is spent. If it throws, nothing is spent.
    func prepare(_ id: UUID, under lock: borrowing AccountLock) async throws
    /// Is called under the same lock when a session is stored that can be used.
    ///
    /// - Parameter isNew: whether the session was stored just now.
    func settle(_ id: UUID, isNew: Bool, under lock: borrowing AccountLock) async throws
    /// Is called if the bytes of an unreadable answer can't be kept. The rotation goes on.
    func unreadAnswerLost(_ error: VaultError)
    /// Is called at the end of each rotation for which ``prepare(_:under:)`` succeeded.
    func finish()
}

/// The sessions of a vault.
package struct VaultSessionStore: RotationStore {
    private let vault: CredentialVault
    private let host: any RotationHost

    package init(_ vault: CredentialVault, for host: any RotationHost) {
        self.vault = vault
        self.host = host
    }

    package func session(_ id: UUID) async throws(StoreError) -> Session {
        do { return try host.session(id) } catch { throw StoreError(vault: error) }
    }

    package func rotate(
        _ id: UUID, holding: String, waiting limit: Duration,
        _ spend: @Sendable (consuming RotationPermit) async -> RotationResult
    ) async throws(StoreError) -> Session {
        let lock: AccountLock
        do { lock = try await host.lock(id, waiting: limit) } catch { throw StoreError(vault: error) }
        let rotation = VaultRotation(vault, host, try await session(id), of: id, under: lock)
        guard rotation.stored.tokenFingerprint == holding else { return try await rotation.leave() }
        let permit = RotationPermit(session: rotation.stored, earlier: try rotation.earlier()) {
            intent async throws(StoreError) in
            try await rotation.begin(at: intent.startedAt)
        }
        return try await rotation.end(with: await spend(permit))
    }
}

/// One rotation, from the account's lock to its end.
private struct VaultRotation: Sendable {
    let stored: Session
    private let vault: CredentialVault
    private let host: any RotationHost
    private let id: UUID
    /// The lock, until ``begin(at:)`` takes it.
    private let lock: Slot<AccountLock>
    /// The lock with the durable intent and the reserved space, from then on.
    private let reserved = Slot<ReservedRotation>()

    init(
        _ vault: CredentialVault, _ host: any RotationHost, _ stored: Session, of id: UUID,
        under lock: consuming AccountLock
    ) {
        self.vault = vault
        self.host = host
        self.id = id
        self.stored = stored
        self.lock = Slot()
        self.lock.put(lock)
    }

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

    /// Makes the intent durable, and reserves the space for the result.
    func begin(at now: Date) async throws(StoreError) {
        guard let lock = lock.take(), let token = stored.refreshToken else {
            throw StoreError(.notBegun, VaultError.busy(holder: nil))
        }
        do {
            try await host.prepare(id, under: lock)
            do {
                // If the lock file was removed, another process may have changed the session.
                guard try host.session(id).refreshToken == token else { throw VaultError.busy(holder: nil) }
                reserved.put(
                    try vault.beginRotation(
                        of: id, under: lock, tokenFingerprint: token.fingerprint,
                        reserving: Self.largestSession, at: now))
            } catch {
                host.finish()
                throw error
            }
        } catch { throw StoreError(.notBegun, error) }
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
            do { try reserved.abandon() } catch { throw StoreError(.failed, error) }
        case .unknown(nil): reserved.leaveUncertain()
        case .unknown(let answer?): reserved.postpone(answer)
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
        guard session.state == .ok else { return session }
        // An earlier answer that stays does no harm.
        try? vault.removeAnswer(of: id, under: lock)
        try await settle(isNew: true, under: lock)
        return session
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
        _ = try commit(session, in: reserved)
        return session
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

extension StoreError {
    /// An error of a vault that changed nothing.
    init(vault error: any Error) {
        switch error {
        case VaultError.busy: self.init(.busy, error)
        case VaultError.cancelled: self.init(.cancelled, error)
        case VaultError.noSuchAccount: self.init(.noSuchSession, error)
        default: self.init(.failed, error)
        }
    }
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
