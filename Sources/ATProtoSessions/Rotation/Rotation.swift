internal import Logging
internal import OAuthDPoP
internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// One rotation of an account's tokens. The store keeps others out of the session meanwhile (``SessionStore``).
struct Rotation: Sendable {
    let network: NetworkEnvironment
    let store: any RotationStore
    let work: any UncancelledWork
    let account: Account
    let server: any SessionServer
    /// The cache for the server's nonces and clock offset.
    let cache: SessionCache
    /// Whether the caller only wants a fresher token. It does not wait for another process.
    let mayGoOn: Bool
    let isForced: Bool
    /// Whether the server refused the access token. Then its expiry time does not count.
    let isRefused: Bool
    /// Whether to wait if an earlier refresh may still be answered, or must not be sent again yet.
    let awaitsRefresh: Bool
    /// How long to wait for another process that uses the account.
    let lockTimeout: Duration

    /// How often the stored session is read at most. Another process may change it before each reading.
    private static let readings = 3
    /// How long an unanswered rotation may still get its answer: the time limit of the request.
    private static let answerTime = 90.0
    /// The longest wait, in seconds, for the time when the token may be sent again. If it is longer, the refresh fails.
    private static let shortWait = 10.0
    /// The longest time, in seconds, for which an answer keeps the token from being sent.
    static let longestWait = 3600.0

    /// What is to be done after a reading of the stored session.
    private enum Step: Sendable {
        /// The tokens were rotated.
        case rotated(RotationAnswer)
        /// The access token is used as long as it is valid.
        case serves
        /// The session is read again at a time, because of an earlier attempt.
        case wait(Wait)
        case failed(any Error)
    }

    /// A wait for the time when an attempt has its answer, or may be repeated.
    private struct Wait: Sendable {
        let until: Date
        let attempt: RotationIntent
        let notice: String
    }

    /// - Parameter seen: the session that the caller has read.
    func run(seen: Session) async throws -> (RefreshOutcome, Session) {
        defer { cache.release() }
        var seen = seen
        // An attempt is waited for once.
        var finished: RotationIntent?
        for reading in 1...Self.readings {
            let (stored, step) = try await read(seen, reading, after: finished)
            switch step {
            case nil where stored.state == .ok: return (.adopted, stored)
            case nil:
                try stored.checkUsable(account, isForced: isForced)
                seen = stored
            case .serves: return (.fresh, stored)
            case .rotated(let answer):
                guard let problem = answer.problem else { return (.refreshed, stored) }
                await end(stored)
                throw SessionFailure.unverified(problem, AccountLogin(account, stored))
            case .wait(let wait):
                network.log.notice("\(wait.notice)")
                try await network.wallClock.wait(until: wait.until)
                finished = wait.attempt
            case .failed(let error): throw error
            }
        }
        throw StoreError.restless
    }

    /// Reads the stored session, and rotates its tokens if that is possible now.
    ///
    /// - Returns: the session that is stored then. The step is nil if somebody else has refreshed the session.
    private func read(
        _ seen: Session, _ reading: Int, after finished: RotationIntent?
    ) async throws -> (Session, Step?) {
        let step = Mutex<Step?>(nil)
        let waits = !mayGoOn || reading > 1
        do throws(StoreError) {
            let stored = try await store.rotate(
                account.id, holding: seen.tokenFingerprint, waiting: waits ? lockTimeout : .zero
            ) { permit in
                let (result, next) = await spend(permit, after: finished)
                step.withLock { $0 = next }
                return result
            }
            return (stored, step.withLock { $0 })
        } catch {
            switch step.withLock({ $0 }) {
            case nil where error.code == .busy && !waits: return (seen, .serves)
            case .rotated(let answer) where error.code == .overtaken: await end(answer.stored)
            // The rotation had failed before the store did. The first failure is reported.
            case .failed(let failure) where error.code == .failed: throw failure
            default: break
            }
            throw error
        }
    }

    private func spend(
        _ permit: consuming RotationPermit, after finished: RotationIntent?
    ) async -> (RotationResult, Step?) {
        let (stored, earlier) = (permit.session, permit.earlier)
        let token: RefreshToken
        let sentBy: ContinuousClock.Instant?
        do {
            try stored.checkUsable(account, isForced: isForced)
            if let earlier {
                if !isForced, serves(stored), !mayRetry(after: earlier) { return (.notSpent, .serves) }
                if earlier != finished, let wait = try wait(after: earlier, stored, isFirst: finished == nil)
                {
                    return (.notSpent, .wait(wait))
                }
            }
            (token, sentBy) = try await permit.spend(at: network.wallClock.now)
        } catch let error as StoreError where error.code == .overtaken {
            return (.notSpent, nil)
        } catch let error as StoreError {
            return (.notSpent, .failed(error))
        } catch {
            return (.notSpent, .failed(error))
        }
        // Hold back writes to the cache, so that nothing delays the durable record after the answer.
        cache.hold()
        // Once sent, the request is not cancelled.
        let answer = await work.uncancelled { [server] in
            await server.rotate(stored, token, sentBy: sentBy)
        }
        switch answer {
        case .success(let answer): return (.rotated(answer.stored), .rotated(answer))
        case .failure(let failure):
            let (result, error) = judge(failure, stored, after: earlier)
            return (result, .failed(error))
        }
    }

    // MARK: An earlier attempt

    /// Whether the token can be sent again while the access token is valid: the server did not use it, and the time to
    /// wait is over.
    private func mayRetry(after earlier: RotationIntent) -> Bool {
        guard let answer = earlier.answer, !answer.mayHideRotation else { return false }
        return answer.notBefore <= network.wallClock.now
    }

    /// The wait that an earlier attempt with the same token asks for; nil if there is none.
    ///
    /// - Throws: ``SessionFailure/refreshPostponed(_:status:retryAt:)`` instead of waiting, unless ``awaitsRefresh``.
    private func wait(after earlier: RotationIntent, _ stored: Session, isFirst: Bool) throws -> Wait? {
        if let answer = earlier.answer {
            return try wait(after: answer, to: earlier, stored, isFirst: isFirst)
        }
        // If the intent is from the future, the clock was set back. Never wait longer than an answer can take.
        let now = network.wallClock.now
        let until = min(earlier.startedAt, now).addingTimeInterval(Self.answerTime)
        guard until > now else { return nil }
        guard awaitsRefresh else {
            throw SessionFailure.refreshPostponed(AccountLogin(account, stored), status: nil, retryAt: until)
        }
        return Wait(
            until: until, attempt: earlier,
            notice: "an earlier refresh of \(account.name) got no answer yet; "
                + "waiting up to \(seconds(until: until)) s for it")
    }

    /// The wait after an answer that said nothing about the token.
    ///
    /// - Throws: ``SessionFailure/refreshPostponed(_:status:retryAt:)`` if it is long, or if another process got another such
    ///   answer during a wait.
    private func wait(
        after answer: RotationIntent.Answer, to earlier: RotationIntent, _ stored: Session, isFirst: Bool
    ) throws -> Wait? {
        let now = network.wallClock.now
        let until = answer.notBefore
        // If the attempt is from the future, the clock was set back, and nothing is known of the time.
        if until <= now || earlier.startedAt > now { return nil }
        if isForced, !answer.mayHideRotation { return nil }
        guard awaitsRefresh, isFirst, until.timeIntervalSince(now) <= Self.shortWait else {
            throw SessionFailure.refreshPostponed(
                AccountLogin(account, stored), status: answer.status, retryAt: until)
        }
        return Wait(
            until: until, attempt: earlier,
            notice: "the server could not refresh the session of \(account.name); "
                + "waiting \(seconds(until: until)) s before the next try")
    }

    private func seconds(until time: Date) -> Int {
        Int(time.timeIntervalSince(network.wallClock.now).rounded(.up))
    }

    /// Whether the access token can still be used.
    func serves(_ session: Session) -> Bool {
        !isRefused && session.lives(at: network.wallClock.now)
    }

    /// Revokes tokens that will not be used.
    private func end(_ session: Session) async {
        do { try await server.end(session) } catch let error {
            network.note("unused tokens could not be revoked", error)
        }
    }
}

extension StoreError {
    /// Others changed the session each time that it was read.
    static var restless: StoreError { StoreError(.busy, RestlessSession()) }
}

private struct RestlessSession: Error {}
