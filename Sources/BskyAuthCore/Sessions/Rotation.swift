internal import ATProto
internal import CredentialVault
internal import FoundationEssentials
internal import Logging
internal import Networking
internal import OAuth

/// One rotation under the account's lock.
struct Rotation: Sendable {
    let environment: SessionEnvironment
    let profile: AccountProfile
    /// The account as it was found just now; nil where a recent finding served.
    let identity: Identity?
    let server: any SessionServer
    /// Where the server's nonces and time are noted.
    let cache: SessionCache
    /// The session as it was before the lock was asked for.
    let seen: Session
    let isForced: Bool
    /// Whether the server refuses the access token, so that its remaining life on paper is worth nothing.
    let isRefused: Bool
    /// How long to wait for the account's lock where it has to be taken again.
    let lockTimeout: Duration

    /// How often the stored session is read in all, where each time another process may have changed it meanwhile.
    private static let readings = 3
    /// How long an unanswered rotation may still be answered: the deadline of the request.
    private static let answerTime = 90.0

    func run(
        under lock: consuming AccountLock, reading: Int = 1
    ) async throws -> (RefreshFlow.Outcome, Session) {
        let store = environment.accounts
        let stored = try store.session(profile.id)
        try followMove(under: lock)
        if stored.hasOtherTokens(than: seen), stored.state == .ok {
            try await environment.catchUpMirror(for: profile, under: lock)
            return (.adopted, stored)
        }
        try stored.checkUsable(profile, isForced: isForced)
        guard let token = stored.refreshToken else {
            throw CoreError.sessionEnded(AccountLogin(profile, stored), .notRefreshable)
        }
        // Of an attempt that went unanswered: the intent's, or the one that the session has been uncertain since.
        var isRetry = stored.state == .uncertain && stored.lastError == SessionEnding.unansweredName
        if let earlier = try store.intent(of: profile.id, under: lock),
            earlier.tokenFingerprint == token.fingerprint
        {
            isRetry = true
            if !isForced, serves(stored) {
                try await environment.catchUpMirror(for: profile, under: lock)
                return (.fresh, stored)
            }
            if try await hasWaited(forAnswerTo: earlier) {
                return try await runAgain(under: lock, reading: reading + 1)
            }
        }
        environment.criticalSection.enter()
        defer { environment.criticalSection.leave() }
        try await environment.mirror?
            .store(profile, .before, from: store, under: lock)
        // Nothing is spent yet. With other rotations under way a signal may have waited for longer than this one.
        guard !environment.criticalSection.isInterrupted else { throw CoreError.cancelled }
        let permit = try store.beginRotation(
            of: profile, under: lock, token, at: environment.network.wallClock.now)
        return try await exchange(permit, token, stored, isRetry: isRetry)
    }

    /// Notes a new PDS or handle: the tokens' audience is the PDS that the DID names now, which may be another
    /// one of the same issuer.
    private func followMove(under lock: borrowing AccountLock) throws {
        guard let identity, identity.pds != profile.pds || identity.handle != profile.handle else { return }
        // As it is now: it may have been renamed meanwhile.
        let present = try environment.accounts.profile(profile.id)
        var moved = present
        moved.pds = identity.pds
        moved.handle = identity.handle
        try environment.accounts.update(moved, before: present, under: lock)
    }

    /// An earlier attempt with this very token went unanswered. While its access token lives, that token serves. After
    /// that, one more attempt is made once the first one can no longer be answered.
    private func hasWaited(forAnswerTo earlier: RotationIntent) async throws -> Bool {
        // An intent from the future means that the clock was set back: nobody waits longer than an answer can take.
        let now = environment.network.wallClock.now
        let until = min(earlier.startedAt, now).addingTimeInterval(Self.answerTime)
        guard until > now else { return false }
        environment.network.log.notice("an earlier refresh got no answer; waiting until none can come")
        try await environment.network.wallClock.wait(until: until)
        return true
    }

    /// Starts over after a wait, since the lock file may have been removed and the session replaced meanwhile.
    private func runAgain(
        under lock: consuming AccountLock, reading: Int
    ) async throws -> (RefreshFlow.Outcome, Session) {
        guard reading <= Self.readings else { throw VaultError.busy(holder: nil) }
        if try environment.accounts.isCurrent(lock) { return try await run(under: lock, reading: reading) }
        _ = consume lock
        let another = try await environment.accounts.lock(profile.id, timeout: lockTimeout)
        return try await run(under: another, reading: reading)
    }

    /// The request and what becomes of its answer. Runs to its end whatever happens to the asking task.
    private func exchange(
        _ permit: consuming RotationPermit, _ token: RefreshToken, _ stored: Session, isRetry: Bool
    ) async throws -> (RefreshFlow.Outcome, Session) {
        let server = server
        // Between the answer and the record that keeps it nothing else is to wait for a disk.
        cache.hold()
        defer { cache.release() }
        let answer: RotationAnswer
        do {
            // Once sent, the request is not cancelled.
            answer = try await environment.criticalSection.uncancelled {
                await server.rotate(stored, token)
            }.get()
        } catch let failure {
            throw try settle(permit, after: failure, stored, isRetry: isRetry)
        }
        var session = answer.session
        if answer.problem != nil {
            session.state = .quarantined
            session.lastError = "quarantined"
        }
        // The new tokens are durable before they are checked or used: the server has spent the old one.
        let lock: AccountLock
        do {
            lock = try environment.accounts.commit(session, permit)
        } catch CoreError.answerNotKept(.overtaken) {
            await end(session, at: server)
            throw VaultError.overtaken
        }
        cache.release()
        guard let problem = answer.problem else {
            try await environment.updateMirror(of: profile, under: lock)
            return (.refreshed, session)
        }
        _ = consume lock
        await end(session, at: server)
        throw CoreError.unverified(problem, AccountLogin(profile, session))
    }

    /// Revokes tokens that will not be used.
    private func end(_ session: Session, at server: any SessionServer) async {
        do {
            try await server.end(session)
        } catch let error {
            environment.network.note("unused tokens could not be revoked", error)
        }
    }

    /// What a failed request means for the intent and the session.
    private func settle(
        _ permit: consuming RotationPermit, after failure: RotationFailure, _ stored: Session, isRetry: Bool
    ) throws -> any KnownError {
        switch failure.verdict {
        case .invalidGrant where isRetry:
            // After an unanswered attempt this is the sign that the server had committed that one.
            try commit(permit, stored, .expired, SessionEnding.lostRotationName)
            return CoreError.sessionEnded(AccountLogin(profile, stored), .lostRotation)
        case .invalidGrant:
            try commit(permit, stored, .expired, "invalid_grant")
            return CoreError.sessionEnded(AccountLogin(profile, stored), .expired)
        case .refused where isRetry && !serves(stored), .unexplained where !serves(stored):
            let reason = isRetry ? SessionEnding.unansweredName : "refresh_refused"
            try commit(permit, stored, .uncertain, reason)
            return CoreError.sessionEnded(AccountLogin(profile, stored), .uncertain)
        case .nothingSent, .refused, .unexplained, .notNow:
            // An intent of an attempt before this one stays.
            try environment.accounts.abandon(permit)
            return failure.error
        case .unanswered:
            permit.leaveUncertain()
            return failure.error
        }
    }

    /// Whether the access token is still of use.
    private func serves(_ session: Session) -> Bool {
        !isRefused && session.lives(at: environment.network.wallClock.now)
    }

    private func commit(
        _ permit: consuming RotationPermit, _ stored: Session, _ state: SessionState, _ lastError: String
    ) throws {
        // Without the lock file another process can have replaced the session. What a server says of the old token
        // says nothing of the new one.
        let present = try environment.accounts.session(profile.id)
        guard !present.hasOtherTokens(than: stored) else {
            permit.leaveUncertain()
            throw VaultError.busy(holder: nil)
        }
        var session = stored
        session.state = state
        session.lastError = lastError
        try environment.accounts.commit(session, permit)
    }
}
