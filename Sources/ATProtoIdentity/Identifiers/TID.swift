#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A timestamp identifier, the usual key of a record (atproto.com/specs/tid): microseconds since 1970 and the number of a clock,
/// in 13 characters that sort by time.
package struct TID: Sendable, Hashable, CustomStringConvertible {
    private let value: UInt64

    /// - Parameter clock: tells programs apart that make an identifier in the same microsecond. Only its lowest ten bits count.
    package init(at time: Date, clock: UInt16 = .random(in: .min ... .max)) {
        let microseconds = UInt64(max(0, time.timeIntervalSince1970) * 1_000_000)
        value = microseconds << 10 | UInt64(clock) & 0x3ff
    }

    private static let digits = Array("234567abcdefghijklmnopqrstuvwxyz")

    /// Whether a text is an identifier: 13 digits, of which the first has no highest bit.
    package static func isValid(_ text: some StringProtocol) -> Bool {
        text.count == 13 && text.allSatisfy(digits.contains)
            && text.first.flatMap(digits.firstIndex).map { $0 < 16 } == true
    }

    package var description: String {
        let digits = Self.digits
        return String((0..<13).reversed().map { digits[Int(value >> UInt64($0 * 5) & 31)] })
    }
}
