internal import FoundationEssentials

/// Times as people and as programs read them.
enum TimeText {
    /// RFC 3339 in UTC, to the second; within the years that it can write, since servers name some of these
    /// times.
    static func rfc3339(_ date: Date) -> String {
        let seconds = min(max(date.timeIntervalSince1970, 0), 253_402_300_799)
        return Date(timeIntervalSince1970: seconds).formatted(.iso8601)
    }

    /// RFC 3339 in UTC, to the millisecond, as records have it.
    static func inRecord(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// The time that comes these many seconds from now.
    static func rfc3339(after seconds: Int64) -> String {
        rfc3339(Date(timeIntervalSinceNow: Double(seconds)))
    }

    /// The distance from now in its largest sensible unit: `in 13 days`, `42 min ago`.
    static func relative(_ date: Date, to now: Date) -> String {
        let seconds = date.timeIntervalSince(now)
        let text = length(abs(seconds))
        return seconds >= 0 ? "in \(text)" : "\(text) ago"
    }

    /// A length of time that a person chose, with nothing left out: `1 h 30 min`.
    static func exact(_ seconds: Double) -> String {
        let seconds = Int(seconds)
        let parts = [(seconds / 3600, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s")]
        let text = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: " ")
        return text.isEmpty ? "0 s" : text
    }

    /// A length of time to the nearest of its largest sensible unit.
    static func length(_ seconds: Double) -> String {
        let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86400)
        return switch seconds.rounded() {
        case ..<60: "\(Int(seconds.rounded())) s"
        case _ where minutes.rounded() < 60: "\(Int(minutes.rounded())) min"
        case _ where hours.rounded() < 48: "\(Int(hours.rounded())) h"
        case _ where days.rounded() < 600: "\(Int(days.rounded())) days"
        default: "\(Int((days / 365.25).rounded())) years"
        }
    }
}
