package import ATProtoSessions
package import FoundationEssentials
internal import OAuthDPoP

/// The lock of an account, what its last refresh left, and its removal from this machine.
extension VaultAccounts {
    /// Takes the lock of an account. A wait of more than a second is announced.
    ///
    /// - Parameter isInterrupted: whether to wait no longer. It is asked every second.
    /// - Throws: ``VaultError/busy(holder:)`` after `timeout`, ``VaultError/cancelled`` if the wait was interrupted.
    package func lock(
        _ id: UUID, timeout: Duration, isInterrupted: () -> Bool = { false }
    ) async throws(VaultError) -> AccountLock {
        var rest = timeout
        while true {
            let step = min(rest, .seconds(1))
            do { return try await vault.lock(id, timeout: step) } catch {
                guard case .busy = error, rest > step else { throw error }
            }
            guard !isInterrupted() else { throw .cancelled }
            if rest == timeout { notify(.waiting(name: name(of: id), atMost: rest - step)) }
            rest -= step
        }
    }

    /// The account in a message. An account that can't be read has its UUID.
    private func name(of id: UUID) -> String {
        do { return try account(id).name } catch { return id.text }
    }

    /// The last refresh with the session's token, if it got no answer or one that says nothing about the token. Nil also
    /// while another process has the lock, because its refresh is under way.
    package func openIntent(of id: UUID, _ session: Session) throws(VaultError) -> RotationIntent? {
        guard try vault.hasIntent(id), let token = session.refreshToken, let lock = try vault.tryLock(id),
            let intent = try vault.intent(of: id, under: lock), intent.tokenFingerprint == token.fingerprint
        else { return nil }
        return intent
    }

    /// The last refresh with the session's token, if it is not known whether the server used the token; nil if there is none, or
    /// it can't be read.
    package func unclearIntent(of id: UUID, _ session: Session) -> RotationIntent? {
        guard session.state == .ok, let intent = try? openIntent(of: id, session) else { return nil }
        return intent.mayHideRotation ? intent : nil
    }

    /// The answer to the last refresh that keeps the token from being sent; nil if none does, or it can't be read.
    package func answer(
        of id: UUID, _ session: Session, postponingAfter now: Date
    ) -> RotationIntent.Answer? {
        let answer = (try? openIntent(of: id, session))?.answer
        return answer.flatMap { $0.notBefore > now ? $0 : nil }
    }

    /// Adds the accounts of other machines of a shared vault, and removes those that they logged out of.
    ///
    /// - Returns: the accounts that are gone, also those whose files can't be removed here.
    @discardableResult
    package func lookForOthers() async throws(VaultError) -> [UUID] { try await vault.place.lookForOthers() }

    /// Checks that the store of a shared vault can be reached, before a person signs in.
    package func requireStore() async throws(VaultError) { try await vault.place.requireStore() }

    /// Brings the account here up to date with the store of a shared vault.
    package func catchUp(_ id: UUID, under lock: borrowing AccountLock) async throws(VaultError) {
        try await vault.place.catchUp(id, under: lock)
    }

    // MARK: Removing

    /// Keeps other machines from spending the token of an account that is removed next.
    ///
    /// - Returns: false if another machine has removed the account, and nothing of it is left here. A session that is only here
    ///   still has a copy.
    package func beginRemoval(
        of id: UUID, under lock: borrowing AccountLock, waiting limit: Duration
    ) async throws(VaultError) -> Bool {
        do throws(VaultError) {
            try await vault.place.beginRemoval(of: id, under: lock, waiting: limit)
            return true
        } catch {
            guard case .noSuchAccount = error else { throw error }
            return try vault.hasAccount(id)
        }
    }

    /// Ends what ``beginRemoval(of:under:waiting:)`` began, for an account that stays. If the store can't be reached, the next process
    /// here ends it.
    package func giveUpRemoval(of id: UUID, under lock: borrowing AccountLock) async {
        do { try await catchUp(id, under: lock) } catch {}
    }

    /// Removes an account from all machines but this one.
    ///
    /// - Throws: ``VaultError/overtaken`` if another machine has logged in to the account since.
    package func removeElsewhere(_ id: UUID, under lock: borrowing AccountLock) async throws(VaultError) {
        try await vault.place.remove(id, under: lock)
    }

    /// Tries what the removal of an account needs, before a step outside the vault that can't be undone.
    package func reserveRemoval(
        of account: Account, under lock: borrowing AccountLock
    ) throws(VaultError) -> ReservedRemoval {
        try vault.reserveRemoval(of: account.id, names: account.names, under: lock)
    }

    /// Removes an account's files. The user is told about those that are left.
    package func finish(
        _ removal: consuming ReservedRemoval, of account: Account, under lock: borrowing AccountLock
    ) throws(UnfinishedRemoval) {
        forget(account.id)
        if let left = try removal.finish(under: lock) { notify(.leftover(account, left)) }
    }

    /// Refuses to remove an account from this machine only, if this machine has a session that the store does not have.
    package func requireFinished(_ id: UUID) throws(VaultError) {
        guard try vault.place.isUnfinished(id) else { return }
        // A session that can't be read is of no use.
        do { _ = try session(id) } catch { return }
        throw .sharingRefused(.unfinished([id]))
    }

    // MARK: A new vault key

    /// Seals every account under the current vault key, one after the other, each under its lock. The old key is
    /// removed when no account is sealed under it.
    ///
    /// - Parameter progress: receives the number of finished accounts and the number of all accounts.
    /// - Returns: the accounts that could not be sealed, with the errors. The old key stays for them, and another call
    ///   continues with them.
    package func sealAnew(
        lockTimeout: Duration, progress: (_ done: Int, _ of: Int) -> Void
    ) async throws(VaultError) -> [(id: UUID, error: VaultError)] {
        let ids = try vault.accountsAndRemains()
        var failures: [(id: UUID, error: VaultError)] = []
        for (index, id) in ids.enumerated() {
            progress(index, ids.count)
            do {
                try await sealAnew(id, lockTimeout)
            } catch {
                // Another process may have logged out of the account.
                if case .noSuchAccount = error { continue }
                failures.append((id, error))
            }
        }
        guard failures.isEmpty else { return failures }
        return try vault.endRekeying().map { ($0, .busy(holder: nil)) }
    }

    private func sealAnew(_ id: UUID, _ lockTimeout: Duration) async throws(VaultError) {
        let lock = try await lock(id, timeout: lockTimeout)
        let names: [String]
        do {
            names = try account(id).names
        } catch {
            // Another version of the program wrote this undamaged record. No name leads to such an account.
            guard case .unreadableRecord = error else { throw error }
            names = []
        }
        try vault.sealAnew(id, names: names, under: lock)
    }
}
