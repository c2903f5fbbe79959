package import ATProtoSessions
package import FoundationEssentials

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
    /// Is called if a new session is durable on this machine and could not be written to the store of a shared vault. The
    /// next rotation on this machine writes it.
    func keptHereOnly(_ error: VaultError)
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
        let end = ContinuousClock.now + limit
        while true {
            let rest = max(.zero, ContinuousClock.now.duration(to: end))
            let lock: AccountLock
            do { lock = try await host.lock(id, waiting: rest) } catch { throw StoreError(vault: error) }
            let account = vault.shared.map { SharedAccount(id, in: vault, $0) }
            do { try await account?.catchUp(under: lock, holding: holding, waiting: rest) } catch {
                throw StoreError(shared: error)
            }
            let rotation = VaultRotation(
                vault, host, account, try await session(id), of: id, under: lock)
            guard rotation.stored.tokenFingerprint == holding else { return try await rotation.leave() }
            let permit = RotationPermit(limited: rotation.stored, earlier: try rotation.earlier()) {
                intent async throws(StoreError) in
                try await rotation.begin(at: intent.startedAt)
            }
            let result = await spend(permit)
            if rotation.wasOvertaken { continue }
            return try await rotation.end(with: result)
        }
    }
}

extension StoreError {
    /// An error of the store of a shared vault, before anything was sent.
    init(shared error: VaultError) {
        switch error {
        case .claimed: self.init(.busy, error)
        case .store: self.init(.notBegun, error)
        default: self.init(vault: error)
        }
    }

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
