package import HTTPTypes

/// The preferred date format of HTTP, `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7, IMF-fixdate).
package enum HTTPDate {
    /// The date as seconds since 1970. Nil for any other format, including the obsolete ones.
    package static func seconds(in text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count == 29, text.hasSuffix(" GMT"), bytes[3] == comma, bytes[4] == space,
            bytes[7] == space, bytes[11] == space, bytes[16] == space, bytes[19] == colon,
            bytes[22] == colon,
            days.contains(String(decoding: bytes[0..<3], as: UTF8.self)),
            let month = months.firstIndex(of: String(decoding: bytes[8..<11], as: UTF8.self)),
            let day = number(bytes[5..<7]), let year = number(bytes[12..<16]),
            let hour = number(bytes[17..<19]), let minute = number(bytes[20..<22]),
            let second = number(bytes[23..<25]),
            (1...31).contains(day), year >= 1970, hour < 24, minute < 60, second <= 60
        else { return nil }
        let date = daysSince1970(year: year, month: Int64(month) + 1, day: day)
        return ((date * 24 + hour) * 60 + minute) * 60 + second
    }

    /// Counts years from March, so that a leap day comes last.
    private static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
        let marchYear = month <= 2 ? year - 1 : year
        let monthsSinceMarch = (month + 9) % 12
        let dayOfYear = (153 * monthsSinceMarch + 2) / 5 + day - 1
        return marchYear * 365 + marchYear / 4 - marchYear / 100 + marchYear / 400 + dayOfYear - 719_468
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    private static let comma = UInt8(ascii: ",")
    private static let space = UInt8(ascii: " ")
    private static let colon = UInt8(ascii: ":")
    private static let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}

extension HTTPFields {
    /// The time of the response in seconds since 1970. Nil for a response from a cache (RFC 9111 §5.1).
    package var serverTime: Int64? {
        guard !contains(.age) else { return nil }
        return onlyValue(of: .date).flatMap(HTTPDate.seconds(in:))
    }
}
