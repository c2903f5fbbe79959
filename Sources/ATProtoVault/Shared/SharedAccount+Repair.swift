internal import ATProtoSessions
internal import BskyAuthRows
internal import FoundationEssentials
internal import OAuthDPoP

/// A store that went back to an earlier state, and the sessions that machines give back to it.
extension SharedAccount {
    /// Keeps all machines from refreshing anything before a repair: a machine that does not know newer tokens would send spent ones.
    func wentBack() async throws(VaultError) -> VaultError {
        try await SharedAccounts(vault: vault, store: store).stopRefreshes()
        return .storeWentBack(id)
    }

    /// Offers this machine's session to the store, if the store went back or another machine has noticed that.
    ///
    /// - Parameter machines: all that may have a session that the store has lost.
    /// - Returns: the machines that have not done the same yet; nil if there is nothing to repair.
    func repair(
        awaiting machines: [SharedMachine], pausing pause: (Duration) -> Void,
        under lock: borrowing AccountLock
    ) async throws(VaultError) -> [SharedMachine]? {
        try vault.locks.require(lock, of: id)
        while true {
            let copy = try copy()
            let read = try await store.read(id, vault.files)
            if let read, read.record.account == nil { return nil }
            let own = try offer(copy)
            var record = read?.record ?? own
            if record.awaited.isEmpty {
                if let read, read.record.generation >= copy.seen { return nil }
                record.awaited = machines
            }
            try await waitForRequest(copy, pause)
            let isNewer = copy.record.generation > (read?.record.generation ?? 0)
            if isNewer {
                (record.account, record.generation, record.attempt) = (own.account, own.generation, nil)
            }
            let token = try record.session(of: id)?.refreshToken?.fingerprint
            if let attempt = own.attempt, attempt.tokenFingerprint == token {
                record.attempt = record.attempt ?? attempt
            }
            record.noteRepair(by: store.machine.id, token: token)
            guard try await store.write(record, over: read, of: id, vault.files) != nil else { continue }
            if isNewer { try vault.intents.write(record.attempt, generation: record.generation, of: id) }
            return record.awaited
        }
    }

    /// Does this machine's part of a repair after an error that says that the store went back.
    ///
    /// - Returns: whether the repair is over now.
    /// - Throws: ``VaultError/repairing(_:)`` with what it waits for now.
    func isRepaired(
        after error: VaultError, under lock: borrowing AccountLock
    ) async throws(VaultError) -> Bool {
        switch error {
        case .storeWentBack:
            try await offerAtOnce(under: lock)
            return false
        case .repairing:
            try await offerAtOnce(under: lock)
            guard let record = try await store.read(id, vault.files)?.record else { return false }
            guard record.awaited.isEmpty else { throw .repairing(store.repair(of: record)) }
            return true
        default: return false
        }
    }

    /// Does this machine's part of a repair at once, if it is ahead of the store and the repair does not wait for it yet. An
    /// ephemeral machine may never come back, so it offers its session also if the repair waits for it.
    ///
    /// The repair waits for this machine if its request may be on its way.
    func offerAtOnce(under lock: borrowing AccountLock) async throws(VaultError) {
        try vault.locks.require(lock, of: id)
        while true {
            let copy = try copy()
            let read = try await store.read(id, vault.files)
            if let read, read.record.account == nil { return }
            let isAwaited = read?.record.isAwaited(store.machine) == true
            if isAwaited && store.machine.isDurable || !isAwaited && !copy.isAhead(of: read?.record) {
                return
            }
            guard restOfRequest(copy) != nil else {
                let durable = try await SharedAccounts(vault: vault, store: store).durableMachines()
                _ = try await repair(awaiting: durable, pausing: { _ in }, under: lock)
                return
            }
            guard var record = read?.record, !isAwaited else { return }
            record.awaited.append(store.machine)
            if try await store.write(record, over: read, of: id, vault.files) != nil { return }
        }
    }

    /// Waits until a request of a process that was killed must be over. Until then its token is not offered to others.
    private func waitForRequest(_ copy: Copy, _ pause: (Duration) -> Void) async throws(VaultError) {
        guard let rest = restOfRequest(copy) else { return }
        pause(rest)
        do { try await Task.sleep(for: rest) } catch { throw .cancelled }
    }

    /// For how long a request of a process that was killed may still be on its way; nil if none is.
    private func restOfRequest(_ copy: Copy) -> Duration? {
        guard !copy.hasSpool, let intent = copy.intent, intent.claim?.isSent == true else { return nil }
        let age = max(0, Date().timeIntervalSince(intent.startedAt))
        let rest = store.limits.answer - .seconds(age)
        return rest > .zero ? rest : nil
    }

    /// This machine's session, for a repair. Its attempt may have spent the newest token.
    private func offer(_ copy: Copy) throws(VaultError) -> SharedRecord {
        let token = copy.session.refreshToken?.fingerprint
        let attempt = copy.intent?.tokenFingerprint == token ? copy.intent?.sent?.claimed(nil) : nil
        return SharedRecord(
            account: AccountRecords(
                profile: try vault.read(.profile, of: id).content, session: copy.record.content),
            generation: copy.record.generation, attempt: attempt)
    }
}

extension SharedAccount.Copy {
    /// Whether this machine may know more than a record of a store that went back. Its attempt may have spent the record's token.
    func isAhead(of stored: SharedRecord?) -> Bool {
        guard let stored else { return true }
        return record.generation > stored.generation || intent?.claim?.isSent == true
    }
}
