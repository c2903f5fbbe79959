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

    private static let digits = Array("234567abcdefghijklmnopqrstuvwxyz".utf8)

    /// - Returns: nil for a text that is no identifier: 13 digits, of which the first has no highest bit.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count == 13 else { return nil }
        var value: UInt64 = 0
        for byte in text.utf8 {
            // 13 digits are 65 bits, of which the first is zero.
            guard let digit = Self.digits.firstIndex(of: byte), value >> 59 == 0 else { return nil }
            value = value << 5 | UInt64(digit)
        }
        self.value = value
    }

    package static func isValid(_ text: some StringProtocol) -> Bool { TID(text) != nil }

    /// The time that it names, since 1970.
    package var microseconds: UInt64 { value >> 10 }

    package var description: String {
        let digits = (0..<13).reversed().map { Self.digits[Int(value >> UInt64($0 * 5) & 31)] }
        return String(decoding: digits, as: UTF8.self)
    }
}
