import Foundation

/// Timestamp identifiers: 13 characters, later ones sort behind earlier ones (atproto.com/specs/tid).
enum TimestampIdentifier {
    static func text(microseconds: Int64) -> String {
        let digits = Array("234567abcdefghijklmnopqrstuvwxyz")
        // The last ten bits are the clock's identifier, 0.
        let number = UInt64(microseconds) << 10
        return String(stride(from: 60, through: 0, by: -5).map { digits[Int(number >> UInt64($0) & 31)] })
    }

    static func text(at date: Date) -> String {
        text(microseconds: microseconds(of: date))
    }

    static func microseconds(of date: Date) -> Int64 {
        Int64(date.timeIntervalSince1970 * 1_000_000)
    }
}
