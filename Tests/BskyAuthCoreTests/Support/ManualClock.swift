import ATProtoSessions
import BskyAuthTestSupport
import Foundation
import Synchronization

@testable import BskyAuthCore

/// A clock that moves when it is told to. Who sleeps wakes at the time that was asked for, or stays asleep
/// until ``wake()`` where the test wants to look around meanwhile.
final class ManualClock: WallClock {
    private struct State {
        var now: Date
        var isHeld = false
        var wishes: [Date] = []
        var sleepers: [UUID: CheckedContinuation<Void, any Error>] = [:]
    }

    private let state: Mutex<State>
    /// Opens when somebody goes to sleep.
    let asleep = Gate()

    init(_ now: Date) {
        state = Mutex(State(now: now))
    }

    var now: Date { state.withLock(\.now) }
    /// The times that were slept until.
    var wishes: [Date] { state.withLock(\.wishes) }

    func advance(_ seconds: Double) {
        state.withLock { $0.now = $0.now.addingTimeInterval(seconds) }
    }

    /// From now on who sleeps is not woken but by ``wake()`` or by being cancelled.
    func hold() {
        state.withLock { $0.isHeld = true }
    }

    /// Wakes everybody at the time they asked for.
    func wake() {
        let sleepers = state.withLock { state in
            state.now = max(state.now, state.wishes.max() ?? state.now)
            defer { state.sleepers = [:] }
            return state.sleepers.values
        }
        for sleeper in sleepers { sleeper.resume() }
    }

    func sleep(until date: Date) async throws {
        let id = UUID()
        defer { asleep.open() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isOver = state.withLock { state in
                    state.wishes.append(date)
                    if Task.isCancelled { return true }
                    if state.isHeld {
                        state.sleepers[id] = continuation
                        return false
                    }
                    state.now = max(state.now, date)
                    return true
                }
                if isOver { continuation.resume() } else { asleep.open() }
            }
            try Task.checkCancellation()
        } onCancel: {
            let sleeper = state.withLock { $0.sleepers.removeValue(forKey: id) }
            sleeper?.resume(throwing: CancellationError())
        }
    }
}
