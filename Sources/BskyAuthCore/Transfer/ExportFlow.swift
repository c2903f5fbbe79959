internal import ATProto
package import CredentialVault
package import FoundationEssentials
internal import OAuth

/// Takes an account out of the vault, into a bundle that another machine's vault can take in.
///
/// Refresh tokens are single use, and a second machine that has one ends the session with it: so the account
/// leaves the vault, but not before the bundle is durable and was read again. Killed in between, it leaves
/// both; it never leaves neither.
package struct ExportFlow: Sendable {
    /// What went into a bundle.
    package struct Exported: Sendable {
        package let profile: AccountProfile
        package let session: Session
        /// Whether the session that was handed over last, or taken in, is an earlier one.
        package let storeIsBehind: Bool
    }

    private let environment: SessionEnvironment

    package init(_ environment: SessionEnvironment) {
        self.environment = environment
    }

    /// Writes the bundle of an account to a file that must not be there yet.
    ///
    /// - Parameters:
    ///   - key: what will open the bundle; nothing of the vault's.
    ///   - keepsAccount: whether the account stays here as well.
    package func export(
        _ id: UUID, to path: String, for key: KeySource, keepsAccount: Bool, lockTimeout: Duration
    ) async throws -> Exported {
        let lock = try await locked(id, timeout: lockTimeout)
        let (bundle, exported) = try seal(id, for: key, under: lock)
        environment.criticalSection.enter()
        defer { environment.criticalSection.leave() }
        try bundle.write(to: path)
        if !keepsAccount {
            let profile = exported.profile
            try environment.accounts.remove(profile, under: lock)
            SessionCache.forget(id, in: environment.network.caches)
            await environment.network.identities.forget(profile.did, profile.handle)
        }
        return exported
    }

    /// Seals a copy of an account for whoever writes it: the account stays here, as nothing is known of what
    /// becomes of the bundle.
    package func copy(
        _ id: UUID, for key: KeySource, lockTimeout: Duration
    ) async throws -> (SealedBundle, Exported) {
        let lock = try await locked(id, timeout: lockTimeout)
        return try seal(id, for: key, under: lock)
    }

    private func locked(_ id: UUID, timeout: Duration) async throws -> AccountLock {
        _ = try environment.accounts.profile(id, on: environment.network.policy)
        return try await environment.accounts.lock(id, timeout: timeout)
    }

    /// The bundle, read again, and what is in it.
    private func seal(
        _ id: UUID, for key: KeySource, under lock: borrowing AccountLock
    ) throws -> (SealedBundle, Exported) {
        let accounts = environment.accounts
        // As they are now: who had the lock may have changed both.
        let profile = try accounts.profile(id)
        let session = try accounts.session(id)
        let intent = try accounts.intent(of: id, under: lock)
        if let intent, intent.tokenFingerprint == session.refreshToken?.fingerprint {
            throw CoreError.rotationUnsettled(profile)
        }
        let exported = Exported(
            profile: profile, session: session, storeIsBehind: try isStoreBehind(of: id))
        let account = try accounts.portable(id, under: lock)
        let bundle = try SealedBundle(sealing: account, for: key)
        guard try bundle.open(with: key) == account else {
            throw BundleError.damaged(reason: "is not what was sealed")
        }
        return (bundle, exported)
    }

    /// What is known of it where that is damaged: nothing, so that it may well be.
    private func isStoreBehind(of id: UUID) throws -> Bool {
        do {
            return try environment.accounts.isStoreBehind(of: id)
        } catch let error as any KnownError where error.isDamage {
            return true
        }
    }
}
