internal import ATProto
package import CredentialVault
package import FoundationEssentials
internal import OAuth

/// Moves an account from the vault to a bundle that another machine can import.
///
/// Refresh tokens work once, and two machines with the same token would end the session. So the account is removed from
/// the vault, but only after the bundle is durable and was read again. If the process is killed in between, both exist.
/// The account is never lost.
package struct ExportFlow: Sendable {
    /// The account in a bundle.
    package struct Exported: Sendable {
        package let profile: AccountProfile
        package let session: Session
        /// Whether a mirror has this session.
        package let mirror: MirrorState
        /// Whether the bundle is in a file that others may read, because the file system keeps no modes.
        package fileprivate(set) var isReadableByOthers = false
    }

    private let environment: LocalEnvironment

    package init(_ environment: LocalEnvironment) {
        self.environment = environment
    }

    /// Writes the bundle of an account to a new file.
    ///
    /// - Parameters:
    ///   - key: the passphrase or key file of the bundle. It is independent of the vault's key.
    ///   - keepsAccount: whether the account also stays in this vault.
    ///   - sharesKey: whether the bundle may have a client key that other accounts here use too.
    package func export(
        _ id: UUID, to path: String, for key: KeySource, keepsAccount: Bool, sharesKey: Bool,
        lockTimeout: Duration
    ) async throws -> Exported {
        let lock = try await environment.accounts.lock(id, timeout: lockTimeout)
        var (bundle, exported) = try seal(id, for: key, under: lock)
        let others = try await environment.accounts.others(withKeyOf: exported.session, than: id)
        if !sharesKey, !others.isEmpty {
            throw CoreError.clientKeyShared(AccountLogin(exported.profile, exported.session), with: others)
        }
        environment.criticalSection.enter()
        defer { environment.criticalSection.leave() }
        exported.isReadableByOthers = try !bundle.write(to: path)
        try noteKey(of: exported.session, isNeeded: keepsAccount || !others.isEmpty)
        if !keepsAccount { try await environment.remove(exported.profile, under: lock) }
        return exported
    }

    /// Notes that the key of a session's client has left the vault.
    private func noteKey(of session: Session, isNeeded: Bool) throws {
        let clients = ClientStore(environment.accounts.vault)
        guard let used = session.credential.oauth?.client, let (client, key) = try clients.owner(of: used)
        else { return }
        // The time only tells how long sessions of the key may live, so the clock of this machine will do.
        try clients.noteExport(of: key.id, client, at: Date(), isNeeded: isNeeded)
    }

    /// Seals a copy of an account for a caller that writes the bundle. The account stays in the vault, because it is
    /// unknown whether the bundle arrives.
    package func copy(
        _ id: UUID, for key: KeySource, lockTimeout: Duration
    ) async throws -> (SealedBundle, Exported) {
        let lock = try await environment.accounts.lock(id, timeout: lockTimeout)
        return try seal(id, for: key, under: lock)
    }

    /// The bundle, read again, and what is in it.
    private func seal(
        _ id: UUID, for key: KeySource, under lock: borrowing AccountLock
    ) throws -> (SealedBundle, Exported) {
        let accounts = environment.accounts
        // Read both again: the earlier holder of the lock may have changed them.
        let profile = try accounts.profile(id)
        let session = try accounts.session(id)
        let intent = try accounts.intent(of: id, under: lock)
        if let intent, intent.tokenFingerprint == session.refreshToken?.fingerprint {
            throw CoreError.rotationUnsettled(profile)
        }
        let exported = Exported(
            profile: profile, session: session, mirror: try mirrorState(of: id))
        let account = try carryingClient(accounts.portable(id, under: lock), session)
        let bundle = try SealedBundle(sealing: account, for: key)
        guard try bundle.open(with: key) == account else {
            throw BundleError.damaged(reason: "is not what was sealed")
        }
        return (bundle, exported)
    }

    private func carryingClient(_ account: PortableAccount, _ session: Session) throws -> PortableAccount {
        let clients = ClientStore(environment.accounts.vault)
        guard let used = session.credential.oauth?.client, let (client, key) = try clients.owner(of: used)
        else { return account }
        return PortableAccount(
            id: account.id, profile: account.profile,
            session: try CarriedClient.record(account.session, carrying: client.carried(with: key)),
            generation: account.generation)
    }

    /// The state of the mirror. If its mark is damaged, the state is unknown, and the mirror counts as behind.
    private func mirrorState(of id: UUID) throws -> MirrorState {
        do {
            return try environment.accounts.mirrorState(of: id)
        } catch let error as any KnownError where error.isDamage {
            return .behind
        }
    }
}
