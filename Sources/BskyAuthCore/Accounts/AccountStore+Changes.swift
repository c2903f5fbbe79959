internal import ATPCryptography
internal import ATProtoIdentity
package import ATProtoSessions
package import ATProtoVault
package import FoundationEssentials
internal import Logging
internal import OAuthDPoP

extension AccountStore {
    /// Saves a new account durably, completely or not at all. If an account has the same DID, label and network
    /// already, nothing is saved.
    ///
    /// - Parameters:
    ///   - imported: the generation of an imported account, which it keeps; nil for a login.
    ///   - check: throws if the account must not be added.
    /// - Returns: the existing account with the same DID, label and network; nil if the new account was saved.
    package func add(
        _ profile: Account, _ session: Session, imported: UInt64? = nil,
        checking check: () throws(VaultError) -> Void = {}
    ) async throws -> Account? {
        _ = try await vault.sharedAccounts?.synchronize()
        return try await rules.add(profile, session, imported: imported) { () throws(VaultError) in
            try check()
            // An imported account keeps its label. If the label then matches two accounts, later commands report that.
            if imported == nil { try requireOwnLabel(profile) }
        }
    }

    /// Stores tokens of a session that no rotation asked for.
    func replaceTokens(
        by session: Session, of id: UUID, under lock: borrowing AccountLock
    ) async throws {
        try await rules.replaceTokens(by: session, of: id, under: lock)
    }

    /// Makes an account active after its login if the user wants that, or if no account is active. After a logout of
    /// the active account, the second rule applies only if the vault has no other account.
    ///
    /// - Returns: whether the account is active now.
    func activate(afterLogin id: UUID, isWanted: Bool) throws -> Bool {
        let active = try activeIfReadable()
        let hasOthers = try hasOthers(than: id, active)
        let isFirst = active.current == nil && !hasOthers
        if isWanted || isFirst { try activate(id) }
        return isWanted || isFirst || active.current == id
    }

    /// Whether the user logged out of the active account and the vault still has other accounts.
    private func hasOthers(than id: UUID, _ active: ActiveAccount) throws -> Bool {
        guard active.isExplicitlyNone else { return false }
        return try vault.accounts().contains { $0 != id }
    }

    /// The account with the same DID, label and network.
    func account(sameLoginAs profile: Account) throws(VaultError) -> Account? {
        try rules.account(sameLoginAs: profile)
    }

    /// Gives an account another label.
    package func rename(
        _ profile: Account, to label: String?, lockTimeout: Duration
    ) async throws -> Account {
        let lock = try await lock(profile.id, timeout: lockTimeout)
        return try await rules.rename(profile.id, to: label, under: lock) { renamed throws(VaultError) in
            try requireOwnLabel(renamed)
        }
    }

    /// Replaces the facts about an account that its server tells.
    func update(_ profile: Account, under lock: borrowing AccountLock) async throws {
        try await rules.update(profile, under: lock)
    }

    /// Tries what the removal of an account needs, before a step outside the vault that can't be undone.
    func reserveRemoval(of profile: Account, under lock: borrowing AccountLock) throws -> ReservedRemoval {
        try vault.reserveRemoval(of: profile.id, names: profile.names, under: lock)
    }

    /// Removes an account after such a step.
    ///
    /// - Throws: ``CoreError/notRemoved(_:after:isEnded:because:)``, or ``VaultError/overtaken`` if another machine has logged
    ///   in to the account since.
    func remove(
        _ profile: Account, _ removal: consuming ReservedRemoval, after step: RemovalStep,
        under lock: borrowing AccountLock
    ) async throws {
        do { try await vault.sharedAccounts?.remove(profile.id, under: lock) } catch let error {
            if case .overtaken = error { throw error }
            throw CoreError.notRemoved(profile, after: step, isEnded: false, because: error)
        }
        try removeHere(profile, removal, after: step, under: lock)
    }

    /// Removes an account's files.
    func removeHere(
        _ profile: Account, _ removal: consuming ReservedRemoval, after step: RemovalStep,
        under lock: borrowing AccountLock
    ) throws {
        do {
            guard let left = try removal.finish(under: lock) else { return }
            log.notice(
                "\(profile.name) is removed, but some of its files are left in the vault until: bskyauth vault restore",
                metadata: ["error": .stringConvertible(LoggedError(error: left))])
        } catch let error {
            throw CoreError.notRemoved(profile, after: step, isEnded: error.isEnded, because: error.cause)
        }
    }

    /// Checks that the store of a shared vault can be reached, before a person signs in.
    func requireStore() async throws(VaultError) { try await vault.sharedAccounts?.requireStore() }

    /// Removes an account from this machine only. A shared vault brings it back when this machine looks into the store.
    ///
    /// - Throws: ``SharingRefusal/unfinished(_:)`` if this machine has a session that the store does not have.
    func removeHere(_ profile: Account, under lock: borrowing AccountLock) throws {
        if let shared = vault.sharedAccounts, try shared.isUnfinished(profile.id) {
            // A session that can't be read is no use to anybody.
            let isReadable = (try? session(profile.id)) != nil
            if isReadable { throw VaultError.sharingRefused(.unfinished([profile.id])) }
        }
        try removeHere(
            profile, reserveRemoval(of: profile, under: lock), after: .none, under: lock)
    }

    // MARK: Locks and rotations

    /// Takes the lock of an account. A wait of more than a second is announced.
    package func lock(_ id: UUID, timeout: Duration) async throws(VaultError) -> AccountLock {
        let silence = Duration.seconds(1)
        do {
            return try await vault.lock(id, timeout: min(timeout, silence))
        } catch let error {
            guard case .busy = error, timeout > silence else { throw error }
        }
        let rest = timeout - silence
        log.notice(
            "another process uses the session of \(name(of: id)); waiting up to \(rest.components.seconds) s for it"
        )
        return try await vault.lock(id, timeout: rest)
    }

    /// The account in a message. An account that can't be read has its UUID.
    private func name(of id: UUID) -> String {
        (try? profile(id))?.name ?? id.text
    }

    /// Takes the lock of an account for a rotation. With no time to wait, any failure is one of a rotation that did not
    /// begin, so that the caller may use the token it has.
    func lockForRotation(_ id: UUID, waiting limit: Duration) async throws -> AccountLock {
        guard limit == .zero else { return try await lock(id, timeout: limit) }
        guard let lock = try tryLock(id) else { throw VaultError.busy(holder: nil) }
        return lock
    }

    /// The account's lock; nil if another process holds it.
    func tryLock(_ id: UUID) throws -> AccountLock? {
        do {
            return try vault.tryLock(id)
        } catch let error {
            throw CoreError.rotationNotBegun(error)
        }
    }

    /// An account's stored records, for a bundle. The session of a confidential client carries the client with its key.
    func portable(_ id: UUID, under lock: borrowing AccountLock) throws -> PortableAccount {
        let account = try vault.portable(id, under: lock)
        guard let used = try session(id).credential.oauth?.client,
            let (client, key) = try ClientStore(vault).owner(of: used)
        else { return account }
        return PortableAccount(
            id: id, profile: account.profile,
            session: try CarriedClient.record(account.session, carrying: client.carried(with: key)),
            generation: account.generation)
    }

    /// Whether the account has a mirror, and whether the mirror has the present session.
    func mirrorState(of id: UUID) throws -> MirrorState {
        try vault.mirrorState(of: id)
    }

    /// Notes durably which session the mirror has.
    func noteMirror(
        of generation: UInt64, of id: UUID, under lock: borrowing AccountLock
    ) throws {
        try vault.noteMirror(of: generation, of: id, under: lock)
    }

    func intent(of id: UUID, under lock: borrowing AccountLock) throws -> RotationIntent? {
        return try vault.intent(of: id, under: lock)
    }

    /// The last refresh with the session's token, if it got no answer or one that says nothing about the token. Nil also
    /// while another process has the lock, because its refresh is under way.
    package func openAttempt(of id: UUID, _ session: Session) throws -> RotationIntent? {
        guard try vault.hasIntent(id), let token = session.refreshToken, let lock = try tryLock(id),
            let intent = try intent(of: id, under: lock), intent.tokenFingerprint == token.fingerprint
        else { return nil }
        return intent
    }

    /// The answer to the last refresh that keeps the token from being sent; nil if none does, or it can't be read.
    package func answer(
        of id: UUID, _ session: Session, postponingAfter now: Date
    ) -> RotationIntent.Answer? {
        let answer = (try? openAttempt(of: id, session))?.answer
        return answer.flatMap { $0.notBefore > now ? $0 : nil }
    }
}
