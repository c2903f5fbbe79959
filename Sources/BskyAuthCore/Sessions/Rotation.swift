internal import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoVault
internal import FoundationEssentials
internal import Logging
internal import OAuthDPoP

/// One rotation under the account's lock.
struct Rotation: Sendable {
    let environment: SessionEnvironment
    let profile: AccountProfile
    /// The identity that was resolved just now; nil if a recent verification was used.
    let identity: Identity?
    let server: any SessionServer
    /// The cache for the server's nonces and clock offset.
    let cache: SessionCache
    /// The session before the lock was requested.
    let seen: Session
    let isForced: Bool
    /// Whether the server refused the access token. Then its expiry time does not count.
    let isRefused: Bool
    /// Whether to wait if an earlier refresh may still be answered, or must not be sent again yet.
    let awaitsRefresh: Bool
    /// How long to wait for the account's lock if it must be taken again.
    let lockTimeout: Duration

    /// How often the stored session is read at most. Another process may change it before each reading.
    private static let readings = 3
    /// How long an unanswered rotation may still get its answer: the time limit of the request.
    private static let answerTime = 90.0
    /// The longest wait, in seconds, for the time when the token may be sent again. If it is longer, the refresh fails.
    private static let shortWait = 10.0
    /// The longest time, in seconds, for which an answer keeps the token from being sent.
    private static let longestWait = 3600.0

    /// - Parameters:
    ///   - reading: which reading of the stored session this is.
    ///   - finished: the earlier attempt that the previous reading waited for.
    func run(
        under lock: consuming AccountLock, reading: Int = 1, after finished: RotationIntent? = nil
    ) async throws -> (RefreshFlow.Outcome, Session) {
        let store = environment.accounts
        let stored = try store.session(profile.id)
        if let identity { try environment.follow(identity, of: profile, under: lock) }
        if stored.hasOtherTokens(than: seen), stored.state == .ok {
            try await environment.catchUpMirror(for: profile, under: lock)
            return (.adopted, stored)
        }
        try stored.checkUsable(profile, isForced: isForced)
        guard let token = stored.refreshToken else {
            throw CoreError.sessionEnded(AccountLogin(profile, stored), .notRefreshable)
        }
        // Whether an earlier attempt got no answer. The intent or the state of the session shows that.
        let unclear: [String?] = [SessionEnding.unansweredName, SessionEnding.unreadableName]
        var isRetry = stored.state == .uncertain && unclear.contains(stored.lastError)
        if let earlier = try store.intent(of: profile.id, under: lock),
            earlier.tokenFingerprint == token.fingerprint
        {
            isRetry = isRetry || earlier.answer?.isUnseen != true
            if !isForced, serves(stored), !mayRetry(after: earlier) {
                try await environment.catchUpMirror(for: profile, under: lock)
                return (.fresh, stored)
            }
            // An attempt is waited for once.
            if earlier != finished, let answer = earlier.answer {
                if let time = try wait(after: answer, to: earlier, stored, reading: reading) {
                    return try await runLater(time, under: lock, reading: reading + 1, after: earlier)
                }
            } else if earlier != finished, try await hasWaited(forAnswerTo: earlier, stored) {
                return try await runAgain(under: lock, reading: reading + 1, after: earlier)
            }
        }
        environment.criticalSection.enter()
        defer { environment.criticalSection.leave() }
        try await environment.mirror?
            .store(profile, .before, from: store, under: lock)
        // No token is spent yet. A signal may have been waiting for other rotations of this process.
        guard !environment.criticalSection.isInterrupted else { throw CoreError.cancelled }
        let permit = try store.beginRotation(
            of: profile, under: lock, token, at: environment.network.wallClock.now)
        return try await exchange(permit, token, stored, isRetry: isRetry)
    }

    /// Handles an earlier attempt with the same token that got no answer. While the access token is valid, it is used.
    /// After that, one more attempt is made when the first can no longer be answered.
    ///
    /// - Throws: ``CoreError/refreshPostponed(_:status:retryAt:)`` instead of waiting, unless ``awaitsRefresh``.
    private func hasWaited(forAnswerTo earlier: RotationIntent, _ stored: Session) async throws -> Bool {
        // If the intent is from the future, the clock was set back. Never wait longer than an answer can take.
        let now = environment.network.wallClock.now
        let until = min(earlier.startedAt, now).addingTimeInterval(Self.answerTime)
        guard until > now else { return false }
        guard awaitsRefresh else {
            throw CoreError.refreshPostponed(AccountLogin(profile, stored), status: nil, retryAt: until)
        }
        let seconds = Int(until.timeIntervalSince(now).rounded(.up))
        environment.network.log.notice(
            "an earlier refresh of \(profile.name) got no answer yet; waiting up to \(seconds) s for it")
        try await environment.network.wallClock.wait(until: until)
        return true
    }

    /// Whether the token can be sent again while the access token is valid: the server did not use it, and the time to
    /// wait is over.
    private func mayRetry(after earlier: RotationIntent) -> Bool {
        guard let answer = earlier.answer, !answer.mayHideRotation else { return false }
        return answer.notBefore <= environment.network.wallClock.now
    }

    /// The time until the token may be sent again after an answer that said nothing about it; nil if that time is over.
    ///
    /// - Throws: ``CoreError/refreshPostponed(_:status:retryAt:)`` if it is far away, or if another process got another
    ///   such answer during a wait.
    private func wait(
        after answer: RotationIntent.Answer, to earlier: RotationIntent, _ stored: Session, reading: Int
    ) throws -> Date? {
        let now = environment.network.wallClock.now
        let until = answer.notBefore
        // If the attempt is from the future, the clock was set back, and nothing is known of the time.
        if until <= now || earlier.startedAt > now { return nil }
        if isForced, !answer.mayHideRotation { return nil }
        guard awaitsRefresh, reading == 1, until.timeIntervalSince(now) <= Self.shortWait else {
            throw CoreError.refreshPostponed(
                AccountLogin(profile, stored), status: answer.status, retryAt: until)
        }
        return until
    }

    /// Starts over at a time. Until then, other processes may have the lock.
    private func runLater(
        _ time: Date, under lock: consuming AccountLock, reading: Int, after finished: RotationIntent
    ) async throws -> (RefreshFlow.Outcome, Session) {
        _ = consume lock
        let seconds = Int(time.timeIntervalSince(environment.network.wallClock.now).rounded(.up))
        environment.network.log.notice(
            "the server could not refresh the session of \(profile.name); waiting \(seconds) s before the next try"
        )
        try await environment.network.wallClock.wait(until: time)
        let another = try await environment.accounts.lock(profile.id, timeout: lockTimeout)
        return try await run(under: another, reading: reading, after: finished)
    }

    /// Starts over after a wait, since the lock file may have been removed and the session replaced meanwhile.
    private func runAgain(
        under lock: consuming AccountLock, reading: Int, after finished: RotationIntent
    ) async throws -> (RefreshFlow.Outcome, Session) {
        guard reading <= Self.readings else { throw VaultError.busy(holder: nil) }
        if try environment.accounts.isCurrent(lock) {
            return try await run(under: lock, reading: reading, after: finished)
        }
        _ = consume lock
        let another = try await environment.accounts.lock(profile.id, timeout: lockTimeout)
        return try await run(under: another, reading: reading, after: finished)
    }

    /// Sends the request and handles its answer. It runs to the end even if the calling task is cancelled.
    private func exchange(
        _ permit: consuming RotationPermit, _ token: RefreshToken, _ stored: Session, isRetry: Bool
    ) async throws -> (RefreshFlow.Outcome, Session) {
        let server = server
        // Hold back writes to the cache, so that nothing delays the durable record after the answer.
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
        let session = answer.stored
        // Make the session durable before any check, because the server has spent the old token.
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

    /// Updates the intent and the session after a failed request.
    private func settle(
        _ permit: consuming RotationPermit, after failure: RotationFailure, _ stored: Session, isRetry: Bool
    ) throws -> any KnownError {
        switch failure.verdict {
        case .invalidGrant where isRetry, .unknownToken where isRetry:
            // After an unclear attempt, this error shows that the server had completed that attempt.
            let status = permit.earlier?.answer?.unclearStatus
            try commit(permit, stored, .expired, SessionEnding.lostRotationName)
            return CoreError.sessionEnded(AccountLogin(profile, stored), .lostRotation(after: status))
        case .invalidGrant:
            try commit(permit, stored, .expired, "invalid_grant")
            return CoreError.sessionEnded(
                AccountLogin(profile, stored), .expired(said: failure.error.serverWords))
        case .refused where isRetry && !serves(stored), .unexplained where !serves(stored),
            .unknownToken where !serves(stored):
            let reason = isRetry ? SessionEnding.unansweredName : "refresh_refused"
            let known = stored.lastError == SessionEnding.unreadableName ? stored.lastError : nil
            try commit(permit, stored, .uncertain, known ?? reason)
            return CoreError.sessionEnded(AccountLogin(profile, stored), .uncertain)
        case .clientRefused(let answer) where !isRetry:
            let wait = max(answer.retryAfter.map(Double.init) ?? 0, 60)
            return postpone(permit, answer.status, for: wait, failure.error, isUnseen: true)
        case .notNow(let answer) where isRetry, .clientRefused(let answer):
            let usual = permit.intent.attempt <= 10 ? 60 : Self.longestWait
            return postpone(
                permit, answer.status, for: max(answer.retryAfter.map(Double.init) ?? 0, usual), failure.error
            )
        case .failed(let answer):
            let usual = Double(min(5 << min(permit.intent.attempt - 1, 6), 300))
            return postpone(
                permit, answer.status, for: answer.retryAfter.map(Double.init) ?? usual, failure.error)
        case .unreadable(let tokens):
            do { try permit.keep(tokens.body) } catch let error {
                // The token must not be sent again in any case.
                environment.network.note("the answer could not be kept", error)
            }
            try commit(permit, stored, .uncertain, SessionEnding.unreadableName)
            return CoreError.sessionEnded(AccountLogin(profile, stored), .unreadable)
        case .nothingSent, .refused, .unexplained, .unknownToken, .notNow:
            // The intent of an earlier attempt stays.
            try environment.accounts.abandon(permit)
            return failure.error
        case .unanswered:
            permit.leaveUncertain()
            return failure.error
        }
    }

    /// Keeps the intent with an answer that says nothing about the token, and for how many seconds no process sends the
    /// token.
    private func postpone(
        _ permit: consuming RotationPermit, _ status: Int, for seconds: Double, _ error: any KnownError,
        isUnseen: Bool = false
    ) -> any KnownError {
        let wait = max(1, min(seconds, Self.longestWait))
        let until = environment.network.wallClock.now.addingTimeInterval(wait)
        let unclear = permit.earlier?.answer?.unclearStatus
        permit.postpone(
            RotationIntent.Answer(
                status: status, notBefore: until, earlierUnclearStatus: unclear, isUnseen: isUnseen))
        return CoreError.refreshFailed(error, retryAt: until)
    }

    /// Whether the access token can still be used.
    private func serves(_ session: Session) -> Bool {
        !isRefused && session.lives(at: environment.network.wallClock.now)
    }

    private func commit(
        _ permit: consuming RotationPermit, _ stored: Session, _ state: SessionState, _ lastError: String
    ) throws {
        // If the lock file was removed, another process may have replaced the session. An answer about the old token
        // says nothing about the new one.
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
