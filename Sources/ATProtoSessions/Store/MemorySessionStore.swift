package import FoundationEssentials
internal import OAuthDPoP
internal import Synchronization

/// Sessions in the memory of this process. They are lost when it ends, and so is an attempt that got no answer.
package final class MemorySessionStore: SessionStore {
    private struct Entry {
        var session: Session
        var intent: RotationIntent?
        /// The turn of the caller that uses the session; nil if none does.
        var turn: Int?
        /// Whether that caller has taken the token.
        var isSpent = false
        /// The callers that wait for the session, in order.
        var waiting: [Waiter] = []
    }

    private struct Waiter {
        let turn: Int
        let continuation: CheckedContinuation<Wait, Never>
        let timer: Task<Void, Never>
    }

    /// How a wait for the session ended.
    private enum Wait {
        case mine
        case over
        case cancelled
    }

    /// No session has this UUID.
    package struct Unknown: Error {
        package let id: UUID
    }

    /// Another task uses the session.
    package struct Busy: Error {}

    /// Another session was stored meanwhile.
    package struct Replaced: Error {}

    private struct State {
        var entries: [UUID: Entry] = [:]
        var lastTurn = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Stores the session of a login, in place of an earlier one.
    package func store(_ session: Session, for id: UUID) {
        state.withLock { state in
            if state.entries[id] == nil {
                state.entries[id] = Entry(session: session)
            } else {
                state.entries[id]?.session = session
                state.entries[id]?.intent = nil
            }
        }
    }

    package func session(_ id: UUID) async throws(StoreError) -> Session { try entry(id).session }

    package func rotate(
        _ id: UUID, holding: String, waiting limit: Duration,
        _ spend: @Sendable (consuming RotationPermit) async -> RotationResult
    ) async throws(StoreError) -> Session {
        let turn = try await take(id, waiting: limit)
        defer { give(id) }
        let entry = try entry(id)
        guard entry.session.tokenFingerprint == holding, let token = entry.session.refreshToken else {
            return entry.session
        }
        let earlier = entry.intent.flatMap { $0.tokenFingerprint == token.fingerprint ? $0 : nil }
        let permit = RotationPermit(session: entry.session, earlier: earlier) {
            (now: Date) async throws(StoreError) in
            let attempt = (earlier?.attempt ?? 0) + 1
            let intent = RotationIntent(
                tokenFingerprint: token.fingerprint, startedAt: now, attempt: attempt)
            try self.begin(intent, with: token, of: id, in: turn)
        }
        let result = await spend(permit)
        return try keep(result, of: id, entry.session, earlier)
    }

    /// Notes an attempt, as long as its caller has its turn and no other session was stored.
    private func begin(
        _ intent: RotationIntent, with token: RefreshToken, of id: UUID, in turn: Int
    ) throws(StoreError) {
        let isBegun = state.withLock { state in
            guard let entry = state.entries[id], entry.turn == turn, entry.session.refreshToken == token
            else {
                return false
            }
            state.entries[id]?.intent = intent
            state.entries[id]?.isSpent = true
            return true
        }
        guard isBegun else { throw StoreError(.notBegun, Replaced()) }
    }

    private func entry(_ id: UUID) throws(StoreError) -> Entry {
        guard let entry = state.withLock({ $0.entries[id] }) else {
            throw StoreError(.noSuchSession, Unknown(id: id))
        }
        return entry
    }

    private func note(_ intent: RotationIntent?, of id: UUID) {
        state.withLock { $0.entries[id]?.intent = intent }
    }

    /// Saves what became of the token, unless a login has replaced the session meanwhile.
    private func keep(
        _ result: RotationResult, of id: UUID, _ before: Session, _ earlier: RotationIntent?
    ) throws(StoreError) -> Session {
        guard try entry(id).isSpent else {
            guard case .notSpent = result else { throw StoreError(.failed, ResultWithoutSpending()) }
            return try entry(id).session
        }
        switch result {
        case .rotated(let session), .ended(let session, _):
            let isKept = state.withLock { state in
                guard state.entries[id]?.session.tokenFingerprint == before.tokenFingerprint else {
                    return false
                }
                state.entries[id]?.session = session
                state.entries[id]?.intent = nil
                return true
            }
            guard isKept else { throw StoreError(.overtaken, Replaced()) }
        case .notSpent: note(earlier, of: id)
        case .unknown(let answer):
            state.withLock { state in
                guard let intent = state.entries[id]?.intent else { return }
                state.entries[id]?.intent = RotationIntent(
                    tokenFingerprint: intent.tokenFingerprint, startedAt: intent.startedAt,
                    attempt: intent.attempt, answer: answer)
            }
        }
        return try entry(id).session
    }

    // MARK: Turns

    /// Waits for the session, and returns the number of the turn.
    private func take(_ id: UUID, waiting limit: Duration) async throws(StoreError) -> Int {
        _ = try entry(id)
        let turn = state.withLock { state in
            state.lastTurn += 1
            return state.lastTurn
        }
        let wait = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ended: Wait? = state.withLock { state in
                    guard state.entries[id]?.turn != nil else {
                        state.entries[id]?.turn = turn
                        return .mine
                    }
                    guard limit > .zero else { return .over }
                    guard !Task.isCancelled else { return .cancelled }
                    let timer = Task { await self.end(turn, of: id, after: limit) }
                    state.entries[id]?.waiting.append(
                        Waiter(turn: turn, continuation: continuation, timer: timer))
                    return nil
                }
                if let ended { continuation.resume(returning: ended) }
            }
        } onCancel: {
            self.end(turn, of: id, .cancelled)
        }
        switch wait {
        case .mine: return turn
        case .over: throw StoreError(.busy, Busy())
        case .cancelled: throw StoreError(.cancelled, CancellationError())
        }
    }

    private func end(_ turn: Int, of id: UUID, after limit: Duration) async {
        do { try await Task.sleep(for: limit) } catch { return }
        end(turn, of: id, .over)
    }

    /// Ends the wait of a caller, unless it has its turn already.
    private func end(_ turn: Int, of id: UUID, _ wait: Wait) {
        let waiter = state.withLock { state -> Waiter? in
            guard let place = state.entries[id]?.waiting.firstIndex(where: { $0.turn == turn }) else {
                return nil
            }
            return state.entries[id]?.waiting.remove(at: place)
        }
        waiter?.timer.cancel()
        waiter?.continuation.resume(returning: wait)
    }

    /// Ends a turn, and begins that of the next caller.
    private func give(_ id: UUID) {
        let next = state.withLock { state -> Waiter? in
            state.entries[id]?.isSpent = false
            state.entries[id]?.turn = nil
            guard let waiting = state.entries[id]?.waiting, !waiting.isEmpty else { return nil }
            let next = state.entries[id]?.waiting.removeFirst()
            state.entries[id]?.turn = next?.turn
            return next
        }
        next?.timer.cancel()
        next?.continuation.resume(returning: .mine)
    }
}
