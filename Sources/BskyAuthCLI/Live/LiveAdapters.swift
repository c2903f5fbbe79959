internal import ATPPlatform
internal import ATProtoIdentity
internal import ATProtoSessions
internal import BskyAuthCore
internal import FoundationEssentials

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
