import Foundation
import Synchronization

/// The sandbox's clock: the machine's clock plus an offset that tests set.
///
/// Token expiry, `iat` windows, nonce ages and the `Date` header all read it, so that no test sleeps.
final class SandboxClock: Sendable {
    private struct State {
        var offset: TimeInterval = 0
        /// The machine's time when this clock was stopped.
        var stopped: Date?
    }

    private let state = Mutex(State())

    var now: Date {
        state.withLock { ($0.stopped ?? Date()).addingTimeInterval($0.offset) }
    }

    /// Whole seconds since 1970, the unit of JWT claims.
    var seconds: Int {
        Int(now.timeIntervalSince1970.rounded(.down))
    }

    func advance(by duration: Duration) {
        state.withLock { $0.offset += duration.timeInterval }
    }

    /// Stops the clock. After that only ``advance(by:)`` moves it.
    func stop() {
        state.withLock { $0.stopped = $0.stopped ?? Date() }
    }

    func reset() {
        state.withLock { $0 = State() }
    }

    /// The difference to the machine's clock, in seconds.
    var advance: TimeInterval {
        state.withLock { state in
            state.offset + (state.stopped ?? Date()).timeIntervalSinceNow
        }
    }

    /// The time in the form of the `Date` header (RFC 9110 §5.6.7).
    var httpDate: String {
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents(
            [.year, .month, .day, .weekday, .hour, .minute, .second], from: now)
        let weekday = days[((parts.weekday ?? 1) - 1) % 7]
        let month = months[((parts.month ?? 1) - 1) % 12]
        let day = Self.padded(parts.day)
        let time = [parts.hour, parts.minute, parts.second].map(Self.padded).joined(separator: ":")
        return "\(weekday), \(day) \(month) \(parts.year ?? 1970) \(time) GMT"
    }

    private static func padded(_ number: Int?) -> String {
        let text = String(number ?? 0)
        return text.count < 2 ? "0" + text : text
    }
}

extension Date {
    /// ISO 8601 in UTC with milliseconds, the form of AT Protocol datetimes.
    var timestamp: String {
        formatted(
            .iso8601.year().month().day().time(includingFractionalSeconds: true).timeZone(separator: .omitted)
        )
    }
}
