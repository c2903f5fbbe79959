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

    /// Waits until a request of a process that was killed must be over. Until then its token is not offered to others.
    private func waitForRequest(_ copy: Copy, _ pause: (Duration) -> Void) async throws(VaultError) {
        guard !copy.hasSpool, let intent = copy.intent, intent.claim?.isSent == true else { return }
        let age = max(0, Date().timeIntervalSince(intent.startedAt))
        let rest = store.limits.answer - .seconds(age)
        guard rest > .zero else { return }
        pause(rest)
        do { try await Task.sleep(for: rest) } catch { throw .cancelled }
    }

    /// This machine's session, for a repair. Its attempt may have spent the newest token.
    private func offer(_ copy: Copy) throws(VaultError) -> SharedRecord {
        let token = copy.session.refreshToken?.fingerprint
        let attempt = copy.intent?.tokenFingerprint == token ? copy.intent?.sent?.claimed(nil) : nil
        return SharedRecord(
            account: (try vault.read(.profile, of: id).content, copy.record.content),
            generation: copy.record.generation, attempt: attempt)
    }
}
