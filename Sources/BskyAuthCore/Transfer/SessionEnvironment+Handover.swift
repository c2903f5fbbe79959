internal import ATProto
internal import CredentialVault
internal import FoundationEssentials
internal import Logging

extension SessionEnvironment {
    /// Gives the store of an account the session that is durable here by now; nothing where there is no store.
    ///
    /// With a signal waiting the process ends with the stretch that is under way, and nobody would hear of a
    /// failure: it is told at once.
    func handOver(_ profile: AccountProfile, under lock: borrowing AccountLock) async throws {
        guard let handover else { return }
        do {
            try await handover.handOver(profile, .after, from: accounts, under: lock)
        } catch let error as any KnownError {
            if criticalSection.isInterrupted { criticalSection.report(error) }
            throw error
        }
    }

    /// Gives the store of an account the session of now where it has an earlier one: after a hand-over that
    /// failed, after a process that was killed before it, and after one that hands nothing over. Nothing where
    /// there is no store to hand it to.
    func makeUp(for profile: AccountProfile, under lock: borrowing AccountLock) async throws {
        guard handover != nil, try accounts.isStoreBehind(of: profile.id) else { return }
        // What the store lacks is noted durably, and is handed over by the next command.
        guard !criticalSection.isInterrupted else { throw CoreError.cancelled }
        criticalSection.enter()
        defer { criticalSection.leave() }
        try await handOver(profile, under: lock)
        let name = profile.handle?.description ?? profile.did.description
        network.log.notice("handed over: the store had an earlier session", metadata: ["account": "\(name)"])
    }
}
