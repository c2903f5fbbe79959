internal import ATProto
internal import BskyAuthCore
internal import FoundationEssentials
internal import Platform

/// The machine's clock.
struct SystemClock: WallClock {
    var now: Date { Date() }

    func sleep(until date: Date) async throws {
        let seconds = max(0, date.timeIntervalSince(now))
        try await Task.sleep(for: .milliseconds(Int64(seconds * 1000)))
    }
}

/// Signals wait until the stretch is over.
struct SignalSafeSection: CriticalSection {
    let console: Console

    func enter() { SignalHold.begin() }
    func leave() { SignalHold.end() }
    var isInterrupted: Bool { SignalHold.endsProcess }
    func tell(_ failure: CoreError) { console.report(ErrorPresenter.failure(failure)) }
}

extension CacheDirectory: CacheStore {}

/// TXT records by the system's resolver.
struct SystemTextRecords: TextRecordResolver {
    let resolver: DNSResolver

    func textRecords(for name: String) async throws(TextRecordError) -> [String] {
        do throws(DNSResolver.Failure) {
            return try await resolver.textRecords(for: name)
        } catch {
            throw TextRecordError(reading: error)
        }
    }
}

extension TextRecordError {
    /// What the reader of DNS answers says, of the server at `url` or of the system's resolver.
    init(reading failure: DNSResolver.Failure, url: String? = nil) {
        let code: Code =
            switch failure {
            case .noAnswer: .noAnswer
            case .malformed: .malformed
            }
        self.init(code, url: url)
    }
}
