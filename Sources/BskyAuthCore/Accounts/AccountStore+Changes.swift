internal import ATProto
internal import CredentialVault
internal import Cryptography
internal import FoundationEssentials
internal import OAuth

extension AccountStore {
    /// What saving a login has changed.
    struct Saved {
        let profile: AccountProfile
        /// The session that the login replaced. It has to be ended at its server.
        let replaced: (profile: AccountProfile, session: Session)?
    }

    /// Saves a login durably. An account with the same DID, label and network keeps its UUID and gets the new session; anything else is
    /// a new account.
    func save(
        _ profile: AccountProfile, _ session: Session, lockTimeout: Duration
    ) async throws -> Saved {
        while true {
            guard let holder = try add(profile, session) else {
                return Saved(profile: profile, replaced: nil)
            }
            if let saved = try await replace(holder.id, profile, session, lockTimeout) { return saved }
        }
    }

    /// Saves a new account durably, all of it or nothing, unless there is an account with its DID, label and network: of two logins to one slot
    /// at the same moment the second finds the account of the first.
    ///
    /// - Parameter earlier: the generation that it had where it comes from; nil for a login.
    /// - Returns: the account with the same DID, label and network, when there is one.
    package func add(
        _ profile: AccountProfile, _ session: Session, after earlier: UInt64? = nil
    ) throws -> AccountProfile? {
        let record = try sealable(session)
        try repairNames(profile.names)
        let lock = try lockAccounts()
        if let taken = try account(sameLoginAs: profile) { return taken }
        // An account that comes back, or from another machine, has its label: where it leads to two, that is said.
        if earlier == nil { try requireOwnLabel(profile) }
        try vault.add(
            profile.id, profile: profile.record, session: record, after: earlier,
            names: profile.names, under: lock)
        return nil
    }

    /// Makes an account that was just logged in to the active one where that is wanted, or where nobody else
    /// is there to be passed over: the first account, or the first after the last was logged out of.
    ///
    /// - Returns: whether it is the active one now.
    func activate(afterLogin id: UUID, isWanted: Bool) throws -> Bool {
        let active = try activeIfReadable()
        let hasOthers = try hasOthers(than: id, active)
        let isFirst = active.current == nil && !hasOthers
        if isWanted || isFirst { try activate(id) }
        return isWanted || isFirst || active.current == id
    }

    /// Whether "none is active" is something that was said about accounts that are still there.
    private func hasOthers(than id: UUID, _ active: ActiveAccount) throws -> Bool {
        guard active.isExplicitlyNone else { return false }
        return try vault.accounts().contains { $0 != id }
    }

    /// The account with the same DID, label and network.
    func account(sameLoginAs profile: AccountProfile) throws -> AccountProfile? {
        try holders(of: profile.did.description).first { $0.isSameLogin(as: profile) }
    }

    /// Gives the account that a login replaces the new session.
    ///
    /// - Returns: nil when it got another label while this waited for its lock.
    func replace(
        _ id: UUID, _ profile: AccountProfile, _ session: Session, _ timeout: Duration
    ) async throws -> Saved? {
        do {
            return try replace(id, profile, session, under: await lock(id, timeout: timeout))
        } catch VaultError.noSuchAccount {
            return nil
        }
    }

    private func replace(
        _ id: UUID, _ profile: AccountProfile, _ session: Session, under lock: borrowing AccountLock
    ) throws -> Saved? {
        let earlier = try self.profile(id)
        guard earlier.isSameLogin(as: profile) else { return nil }
        let renewed = profile.with(id: earlier.id, addedAt: earlier.addedAt)
        let old: Session?
        do {
            old = try self.session(earlier.id)
        } catch is any KnownError {
            // An unreadable session can't be ended at its server; it is replaced all the same.
            old = nil
        }
        let record = try sealable(session)
        // The session last: until then the account has the whole old one.
        try update(renewed, before: earlier, under: lock)
        try vault.replaceSession(record, of: earlier.id, under: lock)
        return Saved(profile: renewed, replaced: old.map { (earlier, $0) })
    }

    /// Gives an account another label.
    package func rename(
        _ profile: AccountProfile, to label: String?, lockTimeout: Duration
    ) async throws -> AccountProfile {
        let lock = try await lock(profile.id, timeout: lockTimeout)
        // As it is now: a refresh may have noted a new PDS meanwhile.
        let present = try self.profile(profile.id)
        let renamed = present.with(label: label)
        try repairNames(renamed.names)
        // Seen and written under one lock: nobody logs in with that label meanwhile.
        let accounts = try lockAccounts()
        if let taken = try account(sameLoginAs: renamed), taken.id != profile.id {
            throw CoreError.labelInUse(taken)
        }
        if renamed.label != present.label { try requireOwnLabel(renamed) }
        try write(renamed, before: present, under: lock, accounts)
        return renamed
    }

    /// Writes a profile anew.
    func update(
        _ profile: AccountProfile, before: AccountProfile, under lock: borrowing AccountLock
    ) throws {
        try repairNames(profile.names)
        let accounts = try lockAccounts()
        try write(profile, before: before, under: lock, accounts)
    }

    private func write(
        _ profile: AccountProfile, before: AccountProfile, under lock: borrowing AccountLock,
        _ accounts: borrowing AccountsLock
    ) throws {
        try vault.replaceProfile(
            profile.record, of: profile.id, names: profile.names, givingUp: before.names, under: lock,
            accounts)
    }

    /// Removes an account and everything that is kept of it.
    func remove(_ profile: AccountProfile, under lock: borrowing AccountLock) throws {
        try vault.remove(profile.id, names: profile.names, under: lock)
    }

    // MARK: Locks and rotations

    /// The lock of which accounts there are, and of their names.
    private func lockAccounts() throws -> AccountsLock {
        return try vault.lockAccounts()
    }

    func lock(_ id: UUID, timeout: Duration) async throws -> AccountLock {
        return try await vault.lock(id, timeout: timeout)
    }

    /// The account's lock for a rotation, if nobody holds it.
    func tryLock(_ id: UUID) throws -> AccountLock? {
        do {
            return try vault.tryLock(id)
        } catch let error {
            throw CoreError.rotationNotBegun(error)
        }
    }

    /// An account's records as they are stored.
    func portable(_ id: UUID, under lock: borrowing AccountLock) throws -> PortableAccount {
        return try vault.portable(id, under: lock)
    }

    /// Whether the store that an account's session is handed to has an earlier one.
    func isStoreBehind(of id: UUID) throws -> Bool {
        return try vault.isStoreBehind(of: id)
    }

    /// Notes durably which session that store has.
    func noteHandover(
        of generation: UInt64, of id: UUID, under lock: borrowing AccountLock
    ) throws {
        try vault.noteHandover(of: generation, of: id, under: lock)
    }

    func intent(of id: UUID, under lock: borrowing AccountLock) throws -> RotationIntent? {
        return try vault.intent(of: id, under: lock)
    }

    /// Whether a lock still excludes other processes.
    func isCurrent(_ lock: borrowing AccountLock) throws -> Bool {
        try vault.isCurrent(lock)
    }

    /// Makes a rotation's intent durable and reserves the room for its result.
    ///
    /// - Throws: ``CoreError/rotationNotBegun(_:)`` where the token is not the stored one any more.
    func beginRotation(
        of profile: AccountProfile, under lock: consuming AccountLock, _ token: RefreshToken, at now: Date
    ) throws -> RotationPermit {
        guard try session(profile.id).refreshToken?.fingerprint == token.fingerprint else {
            throw CoreError.rotationNotBegun(.busy(holder: nil))
        }
        do {
            return try vault.beginRotation(
                of: profile.id, under: lock, tokenFingerprint: token.fingerprint,
                reserving: Self.largestSession, at: now)
        } catch let error {
            throw CoreError.rotationNotBegun(error)
        }
    }

    /// Makes the session durable and ends the rotation. The lock that is given back is the last to go.
    @discardableResult
    func commit(_ session: Session, _ permit: consuming RotationPermit) throws -> AccountLock {
        let record = try sealable(session)
        do {
            return try permit.commit(record)
        } catch let error {
            throw CoreError.answerNotKept(error)
        }
    }

    /// Ends a rotation in which nothing was spent.
    func abandon(_ permit: consuming RotationPermit) throws {
        try permit.abandon()
    }

    private func sealable(_ session: Session) throws -> SecretBytes {
        return try session.record()
    }

    /// Room for tokens as long as any server has been seen to issue.
    private static let largestSession = 16384
}
