import ATProtoSessions
import FoundationEssentials
import OAuthDPoP
import Synchronization

/// What every session store has to keep: order and exclusion. It runs against a store, and tells which rules the store
/// breaks.
struct StoreConformance: Sendable {
    enum Rule: String, CaseIterable, Sendable {
        case oneSpends = "of fifty callers one spends the token, and the others get the new session"
        case busy = "a caller that does not wait is told that the session is busy"
        case rotated = "a new session is stored, and no attempt is left"
        case otherTokens = "a caller that holds other tokens gets the stored session and no permit"
        case notSpent = "a token that was not spent leaves nothing behind"
        case unanswered = "an attempt without an answer is known to the next caller"
        case counted = "attempts with one token are counted"
        case answered = "an answer that says nothing about the token is kept"
        case earlierStays = "an attempt stays known after a later one that sent nothing"
        case ended = "the end of a session is stored"
        case cancelled = "a caller that is cancelled while the token is out does not lose the answer"
        case cancelledWait = "a caller that is cancelled while it waits goes away"
        case waitEnds = "a wait ends at its limit"
        case claimed = "a result of a token that was not taken is refused"
        case unknownAccount = "an account that the store does not have is an error"
    }

    /// Makes a store with this session.
    let make: @Sendable (Session) async throws -> (any RotationStore, UUID)

    static let date = Date(timeIntervalSince1970: 1_795_212_231)

    func broken() async throws -> Set<Rule> {
        var broken: Set<Rule> = []
        for rule in Rule.allCases {
            // A rule that can't be tried to its end is broken too.
            var isKept = false
            do { isKept = try await keeps(rule) } catch is StoreError {}
            if !isKept { broken.insert(rule) }
        }
        return broken
    }

    private func keeps(_ rule: Rule) async throws -> Bool {
        let first = try Sessions.session("first")
        let (store, id) = try await make(first)
        let subject = Subject(store: store, id: id, first: first)
        switch rule {
        case .oneSpends: return await subject.oneSpends()
        case .busy: return await subject.busy()
        case .rotated: return try await subject.rotated()
        case .otherTokens: return try await subject.otherTokens()
        case .notSpent: return try await subject.notSpent()
        case .unanswered: return try await subject.unanswered()
        case .counted: return try await subject.counted()
        case .answered: return try await subject.answered()
        case .earlierStays: return try await subject.earlierStays()
        case .ended: return try await subject.ended()
        case .cancelled: return try await subject.cancelled()
        case .cancelledWait: return await subject.endOfWait(cancels: true) == .cancelled
        case .waitEnds: return await subject.endOfWait(cancels: false) == .busy
        case .claimed: return try await subject.claimed()
        case .unknownAccount: return await subject.unknownAccount()
        }
    }
}

/// A store with one session, and what can be done to it.
private struct Subject: Sendable {
    let store: any RotationStore
    let id: UUID
    let first: Session

    private var second: Session { first.renewed("second") }

    /// The attempt that a permit tells of.
    private func earlier() async throws -> RotationIntent? {
        let seen = Mutex<RotationIntent?>(nil)
        _ = try await store.rotate(id, holding: first.tokenFingerprint, waiting: .zero) { permit in
            seen.withLock { $0 = permit.earlier }
            return .notSpent
        }
        return seen.withLock { $0 }
    }

    /// Spends the token with this result.
    @discardableResult
    private func spend(_ result: RotationResult) async throws -> Session {
        try await store.rotate(id, holding: first.tokenFingerprint, waiting: .zero) { permit in
            do { _ = try await permit.spend(at: StoreConformance.date) } catch { return .notSpent }
            return result
        }
    }

    func oneSpends() async -> Bool {
        let spent = Spent()
        let second = second
        let results = await withTaskGroup(of: Session?.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try? await store.rotate(id, holding: first.tokenFingerprint, waiting: .seconds(60)) {
                        permit in
                        guard let token = try? await permit.spend(at: StoreConformance.date).token else {
                            return .notSpent
                        }
                        spent.tokens.withLock { $0.append(token.fingerprint) }
                        // While the answer is on its way, everybody else has time to come in.
                        for _ in 0..<200 { await Task.yield() }
                        return .rotated(second)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        return spent.tokens.withLock { $0 } == [first.refreshToken?.fingerprint]
            && results.allSatisfy { $0?.tokenFingerprint == second.tokenFingerprint }
    }

    func busy() async -> Bool {
        let isBusy = Mutex(false)
        let second = second
        _ = try? await store.rotate(id, holding: first.tokenFingerprint, waiting: .zero) { permit in
            do { _ = try await permit.spend(at: StoreConformance.date) } catch { return .notSpent }
            do throws(StoreError) {
                _ = try await store.rotate(id, holding: first.tokenFingerprint, waiting: .zero) { _ in
                    .notSpent
                }
            } catch { isBusy.withLock { $0 = error.code == .busy } }
            return .rotated(second)
        }
        return isBusy.withLock { $0 }
    }

    func rotated() async throws -> Bool {
        let returned = try await spend(.rotated(second))
        let stored = try await store.session(id)
        let attempt = try await laterAttempt()
        return returned.tokenFingerprint == second.tokenFingerprint
            && stored.tokenFingerprint == second.tokenFingerprint
            && stored.refreshToken == second.refreshToken && attempt == nil
    }

    /// The attempt that is known after the first session was rotated.
    private func laterAttempt() async throws -> RotationIntent? {
        let seen = Mutex<RotationIntent?>(nil)
        _ = try await store.rotate(id, holding: second.tokenFingerprint, waiting: .zero) { permit in
            seen.withLock { $0 = permit.earlier }
            return .notSpent
        }
        return seen.withLock { $0 }
    }

    func otherTokens() async throws -> Bool {
        try await spend(.rotated(second))
        let isCalled = Mutex(false)
        let returned = try await store.rotate(id, holding: first.tokenFingerprint, waiting: .zero) { _ in
            isCalled.withLock { $0 = true }
            return .notSpent
        }
        return returned.tokenFingerprint == second.tokenFingerprint && !isCalled.withLock { $0 }
    }

    func notSpent() async throws -> Bool {
        let returned = try await spend(.notSpent)
        let earlier = try await earlier()
        return returned.tokenFingerprint == first.tokenFingerprint && earlier == nil
    }

    func unanswered() async throws -> Bool {
        try await spend(.unknown(nil))
        let earlier = try await earlier()
        return earlier?.attempt == 1 && earlier?.startedAt == StoreConformance.date && earlier?.answer == nil
    }

    func counted() async throws -> Bool {
        try await spend(.unknown(nil))
        try await spend(.unknown(nil))
        return try await earlier()?.attempt == 2
    }

    func answered() async throws -> Bool {
        let answer = RotationIntent.Answer(
            status: 502, notBefore: StoreConformance.date.addingTimeInterval(60), earlierUnclearStatus: nil)
        try await spend(.unknown(answer))
        return try await earlier()?.answer == answer
    }

    func earlierStays() async throws -> Bool {
        try await spend(.unknown(nil))
        try await spend(.notSpent)
        return try await earlier()?.attempt == 1
    }

    func ended() async throws -> Bool {
        var ended = first
        ended.state = .expired
        ended.lastError = "invalid_grant"
        let returned = try await spend(.ended(ended))
        let stored = try await store.session(id)
        return returned.state == .expired && stored.state == .expired && stored.lastError == "invalid_grant"
    }

    func cancelled() async throws -> Bool {
        let (sent, answered) = (Signal(), Signal())
        let second = second
        let caller = Task {
            _ = try? await store.rotate(id, holding: first.tokenFingerprint, waiting: .zero) { permit in
                do { _ = try await permit.spend(at: StoreConformance.date) } catch { return .notSpent }
                await sent.give()
                await answered.wait()
                return .rotated(second)
            }
            await sent.give()
        }
        await sent.wait()
        caller.cancel()
        await answered.give()
        _ = await caller.value
        return try await store.session(id).tokenFingerprint == second.tokenFingerprint
    }

    /// How the wait of a second caller ends, while a first one has the token.
    func endOfWait(cancels: Bool) async -> StoreError.Code? {
        let (sent, ended) = (Signal(), Signal())
        let second = second
        async let holder: Void = {
            _ = try? await store.rotate(id, holding: first.tokenFingerprint, waiting: .zero) { permit in
                do { _ = try await permit.spend(at: StoreConformance.date) } catch { return .notSpent }
                await sent.give()
                await ended.wait()
                return .rotated(second)
            }
            await sent.give()
        }()
        await sent.wait()
        let waiter = Task {
            let limit = cancels ? Duration.seconds(60) : .milliseconds(1)
            do throws(StoreError) {
                _ = try await store.rotate(id, holding: first.tokenFingerprint, waiting: limit) { _ in
                    .notSpent
                }
                return StoreError.Code?.none
            } catch { return error.code }
        }
        if cancels { waiter.cancel() }
        let code = await waiter.value
        await ended.give()
        await holder
        return code
    }

    func claimed() async throws -> Bool {
        let second = second
        do {
            _ = try await store.rotate(id, holding: first.tokenFingerprint, waiting: .zero) { _ in
                .rotated(second)
            }
            return false
        } catch {
            return try await store.session(id).tokenFingerprint == first.tokenFingerprint
        }
    }

    func unknownAccount() async -> Bool {
        do {
            _ = try await store.rotate(UUID(), holding: "", waiting: .zero) { _ in .notSpent }
            return false
        } catch { return error.code == .noSuchSession }
    }
}

/// The fingerprints of the tokens that were spent.
private final class Spent: Sendable {
    let tokens = Mutex<[String]>([])
}

/// Lets one task wait for another.
private actor Signal {
    private var isGiven = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func give() {
        isGiven = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    func wait() async {
        if !isGiven { await withCheckedContinuation { waiting.append($0) } }
    }
}
