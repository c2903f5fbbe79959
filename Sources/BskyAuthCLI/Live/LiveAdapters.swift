internal import ATPPlatform
internal import ATProtoIdentity
internal import ATProtoSessions
internal import BskyAuthCore
internal import FoundationEssentials

/// The machine's clock.
struct SystemClock: WallClock {
    var now: Date { Date() }

    func sleep(until date: Date) async throws {
        let seconds = max(0, date.timeIntervalSince(now))
        try await Task.sleep(for: .milliseconds(Int64(seconds * 1000)))
    }
}

/// Holds signals back until the section ends.
struct SignalSafeSection: CriticalSection {
    let console: Console

    func enter() { SignalHold.begin(.all) }
    func leave() { SignalHold.end(.all) }
    var isInterrupted: Bool { SignalHold.endsProcess }
    func report(_ failure: any KnownError) { console.report(ErrorPresenter.failure(for: failure)) }

    func uncancelled<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value {
        await BlockingWork.run(work)
    }
}

extension CacheDirectory: CacheStore {}
