package import FoundationEssentials
internal import OAuthDPoP
internal import Synchronization

/// Sessions in the memory of this process. They are lost when it ends, and so is an attempt that got no answer.
package final class MemorySessionStore: SessionStore {
    private struct Entry {
        var session: Session
        var intent: RotationIntent?
        var isTaken = false
        /// Whoever waits for the session, in order.
        var waiting: [(number: Int, continuation: CheckedContinuation<Bool, Never>)] = []
    }

    /// No session has this UUID.
    package struct Unknown: Error {
        package let id: UUID
    }

    /// Another task uses the session.
    package struct Busy: Error {}

    private struct State {
        var entries: [UUID: Entry] = [:]
        var lastNumber = 0
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
        guard try await take(id, waiting: limit) else { throw StoreError(.busy, Busy()) }
        defer { give(id) }
        let entry = try entry(id)
        guard entry.session.tokenFingerprint == holding, let token = entry.session.refreshToken else {
            return entry.session
        }
        let earlier = entry.intent.flatMap { $0.tokenFingerprint == token.fingerprint ? $0 : nil }
        let permit = RotationPermit(session: entry.session, earlier: earlier) { now in
            let attempt = (earlier?.attempt ?? 0) + 1
            self.note(
                RotationIntent(tokenFingerprint: token.fingerprint, startedAt: now, attempt: attempt), of: id)
        }
        return try keep(await spend(permit), of: id, entry.session, earlier)
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
            guard isKept else { throw StoreError(.overtaken, Busy()) }
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

    /// Waits for the session; false if somebody else uses it for longer than the limit.
    private func take(_ id: UUID, waiting limit: Duration) async throws(StoreError) -> Bool {
        _ = try entry(id)
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let timer = limit > .zero ? Task { await self.giveUp(id, number, after: limit) } : nil
        defer { timer?.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isMine: Bool? = state.withLock { state in
                    guard state.entries[id]?.isTaken == true else {
                        state.entries[id]?.isTaken = true
                        return true
                    }
                    guard limit > .zero, !Task.isCancelled else { return false }
                    state.entries[id]?.waiting.append((number, continuation))
                    return nil
                }
                if let isMine { continuation.resume(returning: isMine) }
            }
        } onCancel: {
            self.giveUp(id, number)
        }
    }

    private func giveUp(_ id: UUID, _ number: Int, after limit: Duration) async {
        do { try await Task.sleep(for: limit) } catch { return }
        giveUp(id, number)
    }

    private func giveUp(_ id: UUID, _ number: Int) {
        let waiter = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard let place = state.entries[id]?.waiting.firstIndex(where: { $0.number == number }) else {
                return nil
            }
            return state.entries[id]?.waiting.remove(at: place).continuation
        }
        waiter?.resume(returning: false)
    }

    private func give(_ id: UUID) {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard let waiting = state.entries[id]?.waiting, !waiting.isEmpty else {
                state.entries[id]?.isTaken = false
                return nil
            }
            return state.entries[id]?.waiting.removeFirst().continuation
        }
        next?.resume(returning: true)
    }
}
