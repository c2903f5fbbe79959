internal import ATProtoSessions
internal import ATProtoVault
internal import FoundationEssentials

extension SessionEnvironment {
    /// The sessions of the vault. While an account's token is spent, signals wait and the mirror follows.
    func store(for profile: AccountProfile) -> VaultSessionStore {
        VaultSessionStore(accounts.vault, for: AccountRotationHost(environment: self, profile: profile))
    }
}

/// What a rotation of one account brings with it besides the vault.
private struct AccountRotationHost: RotationHost {
    let environment: SessionEnvironment
    let profile: AccountProfile

    func lock(_ id: UUID, waiting limit: Duration) async throws -> AccountLock {
        try await environment.accounts.lockForRotation(id, waiting: limit)
    }

    func session(_ id: UUID) throws -> Session { try environment.accounts.session(id) }

    func prepare(_ id: UUID, under lock: borrowing AccountLock) async throws {
        environment.criticalSection.enter()
        do {
            try await environment.mirror?.store(profile, .before, from: environment.accounts, under: lock)
            // No token is spent yet. A signal may have been waiting for other rotations of this process.
            guard !environment.criticalSection.isInterrupted else { throw CoreError.cancelled }
        } catch {
            environment.criticalSection.leave()
            throw error
        }
    }

    func settle(_ id: UUID, isNew: Bool, under lock: borrowing AccountLock) async throws {
        if isNew {
            try await environment.updateMirror(of: profile, under: lock)
        } else {
            try await environment.catchUpMirror(for: profile, under: lock)
        }
    }

    func unreadAnswerLost(_ error: VaultError) {
        environment.network.note("the answer could not be kept", error)
    }

    func finish() { environment.criticalSection.leave() }
}

extension StoreError {
    /// The error with the facts of this program.
    var known: any Error {
        switch (code, cause) {
        case (.notBegun, let error as VaultError): CoreError.rotationNotBegun(error)
        case (.notKept, let error as VaultError): CoreError.answerNotKept(error)
        default: cause
        }
    }
}
