#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension Date {
    /// A date from a file, in seconds since 1970; nil outside the years 1970 to 9999. A file may come from an untrusted
    /// source, and a date too far away can't be converted back to a number.
    package init?(recorded seconds: Int64) {
        guard (0...253_402_300_799).contains(seconds) else { return nil }
        self.init(timeIntervalSince1970: Double(seconds))
    }

    /// The date as it is read back from a file.
    var asRecorded: Date { Date(timeIntervalSince1970: timeIntervalSince1970.rounded(.down)) }
}

extension UUID {
    /// The UUID in lower case, as RFC 9562 §4 writes it. Foundation formats it by `snprintf`, which took a tenth of the time of a long
    /// list of accounts.
    package var text: String {
        var digits = Hexadecimal.digits(bytes)
        for place in [8, 13, 18, 23] { digits.insert(UInt8(ascii: "-"), at: place) }
        return String(decoding: digits, as: UTF8.self)
    }

    /// The 16 bytes, in the order of the text.
    package var bytes: [UInt8] {
        let b = uuid
        return [
            b.0, b.1, b.2, b.3, b.4, b.5, b.6, b.7, b.8, b.9, b.10, b.11, b.12, b.13, b.14, b.15,
        ]
    }
}

/// Bytes as lower-case hexadecimal digits.
package enum Hexadecimal {
    package static func text(_ bytes: [UInt8]) -> String { String(decoding: digits(bytes), as: UTF8.self) }

    static func digits(_ bytes: [UInt8]) -> [UInt8] {
        var digits: [UInt8] = []
        digits.reserveCapacity(2 * bytes.count)
        for byte in bytes {
            digits.append(digit(byte >> 4))
            digits.append(digit(byte & 15))
        }
        return digits
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value + (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
    }
}
