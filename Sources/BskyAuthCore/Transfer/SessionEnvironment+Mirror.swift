internal import ATProtoIdentity
internal import ATProtoSessions
internal import ATProtoVault
internal import FoundationEssentials
internal import Logging

extension SessionEnvironment {
    /// Stores the durable session in the mirror, if a mirror is set.
    ///
    /// When a signal is waiting, the process ends as soon as its critical sections are over. Then a failure is reported
    /// at once, because it could not be reported later.
    func updateMirror(of profile: Account, under lock: borrowing AccountLock) async throws {
        guard let mirror else { return }
        do {
            try await mirror.store(profile, .after, from: accounts, under: lock)
        } catch let error as any KnownError {
            if criticalSection.isInterrupted { criticalSection.report(error) }
            throw error
        }
    }

    /// Stores the present session in a mirror that has an earlier one: after an update that failed, after a process that
    /// was killed before its update, and after a command that used no mirror.
    func catchUpMirror(for profile: Account, under lock: borrowing AccountLock) async throws {
        guard mirror != nil, try accounts.vault.mirrorState(of: profile.id) == .behind else { return }
        // The vault notes that the mirror is behind, and the next command updates it.
        guard !criticalSection.isInterrupted else { throw SessionFailure.cancelled }
        criticalSection.enter()
        defer { criticalSection.leave() }
        try await updateMirror(of: profile, under: lock)
        network.log.notice(
            "handed over: the store had an earlier session", metadata: ["account": "\(profile.name)"])
    }
}
