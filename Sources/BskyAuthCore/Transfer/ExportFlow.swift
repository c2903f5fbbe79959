internal import ATPPlatform
internal import ATProtoIdentity
package import ATProtoSessions
package import ATProtoVault
package import FoundationEssentials
internal import OAuthDPoP

/// Moves an account from the vault to a bundle that another machine can import.
///
/// Refresh tokens work once, and two machines with the same token would end the session. So the account is removed from
/// the vault, but only after the bundle is durable and was read again. If the process is killed in between, both exist.
/// The account is never lost.
package struct ExportFlow: Sendable {
    /// The account in a bundle.
    package struct Exported: Sendable {
        package let account: Account
        package let session: Session
        /// Whether a mirror has this session.
        package let mirror: MirrorState
        /// Whether the bundle is in a file that others may read, because the file system keeps no modes.
        package fileprivate(set) var isReadableByOthers = false
        /// Why the client key that moved into the bundle is still in this vault too; nil if it is not, or is needed here.
        package fileprivate(set) var keyStays: (any KnownError)?
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
    ///   - overEarlier: whether to replace a bundle of this account that an interrupted export has left.
    /// - Throws: ``VaultError/cancelled`` if a signal that the caller holds back ended the wait for the account's lock.
    package func export(
        _ id: UUID, to path: String, for key: KeySource, keepsAccount: Bool, sharesKey: Bool,
        overEarlier: Bool = false, lockTimeout: Duration
    ) async throws -> Exported {
        let section = environment.criticalSection
        let lock = try await environment.accounts.lock(id, timeout: lockTimeout) { section.isInterrupted }
        var (bundle, exported, keyUsers) = try await seal(id, for: key, sharesKey: sharesKey, under: lock)
        environment.criticalSection.enter()
        defer { environment.criticalSection.leave() }
        // What can fail here comes before the bundle. A note about a bundle that was not written does no harm.
        try await noteKey(of: exported.session, isNeeded: true)
        if keepsAccount {
            exported.isReadableByOthers = try !write(bundle, of: exported.account, to: path)
            return exported
        }
        let removal = try environment.accounts.reserveRemoval(of: exported.account, under: lock)
        if overEarlier { try removeEarlier(path, of: id, key, under: lock) }
        exported.isReadableByOthers = try !write(bundle, of: exported.account, to: path)
        try await environment.remove(exported.account, removal, after: .export(file: path), under: lock)
        // The key last: if this is interrupted, a key too many stays here, and not an account without its key.
        guard keyUsers.isEmpty else { return exported }
        do { try await noteKey(of: exported.session, isNeeded: false) } catch let error as any KnownError {
            exported.keyStays = error
        }
        return exported
    }

    /// Removes a bundle that has this account with its present session or an earlier one. The account is here, so nothing is lost. Any
    /// other file stays, and then the export does not write over it.
    private func removeEarlier(
        _ path: String, of id: UUID, _ key: KeySource, under lock: borrowing AccountLock
    ) throws {
        let present = try environment.accounts.portable(id, under: lock)
        guard let bytes = try? InputFile.read(path, limit: SealedBundle.limit),
            let earlier = try? SealedBundle(reading: bytes).open(with: key),
            earlier.id == id, earlier.generation <= present.generation
        else { return }
        do { try FileSystem.remove(path) } catch { throw BundleError.vault(.io(error)) }
    }

    /// Writes a bundle. One that is there although writing it failed is removed again.
    ///
    /// - Returns: whether only the owner may use the file.
    private func write(_ bundle: SealedBundle, of account: Account, to path: String) throws -> Bool {
        do { return try bundle.write(to: path) } catch {
            if case .exists = error { throw error }
            do { try bundle.takeBack(from: path) } catch BundleError.vault(let problem) {
                throw CoreError.notRemoved(
                    account, after: .export(file: path), isEnded: false, because: problem)
            }
            throw error
        }
    }

    /// Notes that the key of a session's client has left the vault.
    private func noteKey(of session: Session, isNeeded: Bool) async throws {
        let clients = ClientStore(environment.accounts.vault)
        guard let used = session.credential.oauth?.client, let (client, key) = try clients.owner(of: used)
        else { return }
        // The time only tells how long sessions of the key may live, so the clock of this machine will do.
        try await clients.noteExport(of: key.id, client, at: Date(), isNeeded: isNeeded)
    }

    /// Seals a copy of an account for a caller that writes the bundle. The account stays in the vault, because it is
    /// unknown whether the bundle arrives.
    package func copy(
        _ id: UUID, for key: KeySource, sharesKey: Bool, lockTimeout: Duration
    ) async throws -> (SealedBundle, Exported) {
        let lock = try await environment.accounts.lock(id, timeout: lockTimeout)
        let (bundle, exported, _) = try await seal(id, for: key, sharesKey: sharesKey, under: lock)
        try await noteKey(of: exported.session, isNeeded: true)
        return (bundle, exported)
    }

    /// The bundle, read again, what is in it, and the other accounts here that use its client key.
    private func seal(
        _ id: UUID, for key: KeySource, sharesKey: Bool, under lock: borrowing AccountLock
    ) async throws -> (SealedBundle, Exported, keyUsers: [Account]) {
        let accounts = environment.accounts
        // A copy would spend the refresh token of the other machines.
        if accounts.vault.isShared { throw VaultError.sharingRefused(.export) }
        // Read both again: the earlier holder of the lock may have changed them.
        let account = try accounts.account(id)
        let session = try accounts.session(id)
        let intent = try accounts.vault.intent(of: id, under: lock)
        if let intent, intent.tokenFingerprint == session.refreshToken?.fingerprint {
            throw CoreError.rotationUnsettled(
                AccountLogin(account, session), mayHideRotation: intent.mayHideRotation)
        }
        let keyUsers = try await accounts.others(withKeyOf: session, than: id)
        if !sharesKey, !keyUsers.isEmpty {
            throw CoreError.clientKeyShared(AccountLogin(account, session), with: keyUsers)
        }
        let exported = Exported(
            account: account, session: session, mirror: try mirrorState(of: id))
        let portable = try accounts.portable(id, under: lock)
        let bundle = try SealedBundle(sealing: portable, for: key)
        guard try bundle.open(with: key) == portable else {
            throw BundleError.damaged(reason: "is not what was sealed")
        }
        return (bundle, exported, keyUsers)
    }

    /// The state of the mirror. If its mark is damaged, the state is unknown, and the mirror counts as behind.
    private func mirrorState(of id: UUID) throws -> MirrorState {
        do {
            return try environment.accounts.vault.mirrorState(of: id)
        } catch let error as any KnownError where error.isDamage {
            return .behind
        }
    }
}
