internal import ATProtoIdentity

/// A format of strings in lexicons, read as widely as the specification allows (atproto.com/specs/lexicon#string-formats).
package enum StringFormat: String, Sendable, Hashable {
    case identifier = "at-identifier"
    case atURI = "at-uri"
    case cid, datetime, did, handle, nsid, tid, uri, language
    case recordKey = "record-key"

    /// A text of the format, to be shown where another one is refused.
    package var example: String {
        switch self {
        case .identifier, .handle: "alice.example.com"
        case .atURI: "at://alice.example.com/app.bsky.feed.post/3l6oveex3ii2l"
        case .cid: "bafyreiclp443lavogvhj3d2ob2cxbfuscni2k5jk7bebjzg7khl3esabwq"
        case .datetime: "2026-01-02T03:04:05.000Z"
        case .did: "did:plc:z72i7hdynmk6r22z27h6tvur"
        case .nsid: "app.bsky.feed.post"
        case .tid, .recordKey: "3l6oveex3ii2l"
        case .uri: "https://example.com/"
        case .language: "pt-BR"
        }
    }

    func accepts(_ text: String) -> Bool {
        switch self {
        case .identifier: Self.isIdentifier(text)
        case .atURI: Self.isATURI(text)
        case .cid: Self.isCID(text)
        case .datetime: Self.isDatetime(text)
        case .did: Self.isDID(text)
        case .handle: (try? Handle(validating: text)) != nil
        case .nsid: (try? NSID(validating: text)) != nil
        case .tid: TID.isValid(text)
        case .uri: Self.isURI(text)
        case .language: Self.isLanguage(text)
        case .recordKey: RecordPath.isKey(text.utf8)
        }
    }

    private static func isIdentifier(_ text: String) -> Bool {
        text.hasPrefix("did:") ? isDID(text) : (try? Handle(validating: text)) != nil
    }

    /// Of any method (atproto.com/specs/did), not only of those that have accounts.
    private static func isDID(_ text: String) -> Bool {
        let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        return text.utf8.count <= 2048 && parts.count == 3 && parts[0] == "did" && !parts[1].isEmpty
            && parts[1].utf8.allSatisfy { (0x61...0x7a).contains($0) } && !parts[2].isEmpty
            && parts[2].utf8.allSatisfy { $0.isASCIIAlphanumeric || "._:%-".utf8.contains($0) }
            && !":%".utf8.contains(parts[2].utf8.last ?? 0x3a)
    }

    /// `at://AUTHORITY[/COLLECTION[/RKEY]][#FRAGMENT]`
    private static func isATURI(_ text: String) -> Bool {
        guard text.utf8.count <= longest, text.hasPrefix("at://") else { return false }
        let whole = text.dropFirst("at://".count).split(
            separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let parts = whole[0].split(separator: "/", omittingEmptySubsequences: false)
        guard isIdentifier(String(parts[0])) else { return false }
        let path = parts.dropFirst()
        guard path.first == "space" ? isSpacePath(path.dropFirst()) : path.count < 3 && isPath(path) else {
            return false
        }
        return whole.count == 1
            || whole[1].hasPrefix("/")
                && whole[1].utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != 0x23 }
    }

    /// A collection, and a key if there is one.
    private static func isPath(_ parts: ArraySlice<Substring>) -> Bool {
        guard let collection = parts.first else { return true }
        return (try? NSID(validating: collection)) != nil
            && parts.dropFirst().allSatisfy { RecordPath.isKey($0.utf8) }
    }

    /// What follows `space/`: `TYPE/KEY` names a space, and `TYPE/KEY/AUTHOR/COLLECTION/RKEY` a record in it.
    private static func isSpacePath(_ parts: ArraySlice<Substring>) -> Bool {
        guard [2, 5].contains(parts.count), isPath(parts.prefix(2)) else { return false }
        guard let author = parts.dropFirst(2).first else { return true }
        return isIdentifier(String(author)) && isPath(parts.dropFirst(3))
    }

    /// Version 1 in any base. What the letters mean is not looked at.
    private static func isCID(_ text: String) -> Bool {
        (8...256).contains(text.utf8.count) && !text.hasPrefix("Qmb")
            && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "+=".utf8.contains($0) }
    }

    /// What RFC 3339 and ISO 8601 have in common: a `T`, seconds, and a zone that is not `-00:00`.
    private static func isDatetime(_ text: String) -> Bool {
        var reader = DigitReader(rest: text.utf8[...])
        guard text.utf8.count <= 64, let year = reader.number(4, after: nil),
            let month = reader.number(2, after: "-"), let day = reader.number(2, after: "-"),
            let hour = reader.number(2, after: "T"), let minute = reader.number(2, after: ":"),
            let second = reader.number(2, after: ":"), (1...12).contains(month), day > 0,
            day <= days(in: month, of: year), hour < 24, minute < 60, second < 61, reader.skipFraction()
        else { return false }
        if reader.rest.elementsEqual("Z".utf8) { return true }
        let isAhead = reader.rest.first == UInt8(ascii: "+")
        guard let zone = reader.number(2, after: isAhead ? "+" : "-"),
            let zoneMinute = reader.number(2, after: ":"), zone < 24, zoneMinute < 60, reader.rest.isEmpty
        else { return false }
        // A zone that is ahead of the first hours of the year 0 is before all years.
        return isAhead ? year > 0 || month > 1 || day > 1 || hour >= zone : zone + zoneMinute > 0
    }

    /// In the calendar of ISO 8601, which has leap years before it was made, too.
    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// A scheme, a colon and something without spaces (RFC 3986 §3.1).
    private static func isURI(_ text: String) -> Bool {
        let scheme = text.utf8.prefix { $0 != 0x3a }
        let rest = text.utf8.dropFirst(scheme.count + 1)
        return text.utf8.count <= longest && scheme.first?.isASCIIAlphanumeric == true
            && scheme.allSatisfy { $0.isASCIIAlphanumeric || "+-.".utf8.contains($0) }
            && !"0123456789".utf8.contains(scheme.first ?? 0) && !rest.isEmpty
            && rest.allSatisfy { $0 > 0x20 && $0 != 0x7f }
    }

    /// A language and subtags (RFC 5646, without its registry).
    private static func isLanguage(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let first = parts[0]
        let isKnown = first == "i" || first == "x" || first == "X" || (2...3).contains(first.utf8.count)
        return text.utf8.count <= 128 && isKnown
            && (first.count == 1 || first.utf8.allSatisfy { (0x61...0x7a).contains($0) })
            && (first.count > 1 || parts.count > 1)
            && parts.dropFirst().allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(\.isASCIIAlphanumeric) }
    }

    /// In bytes, of a URI.
    private static let longest = 8192
}

/// Reads numbers of a fixed length.
private struct DigitReader {
    var rest: Substring.UTF8View

    mutating func number(_ digits: Int, after sign: Unicode.Scalar?) -> Int? {
        if let sign {
            guard rest.first == UInt8(ascii: sign) else { return nil }
            rest = rest.dropFirst()
        }
        let text = rest.prefix(digits)
        guard text.count == digits, text.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        rest = rest.dropFirst(digits)
        return Int(Substring(text))
    }

    /// Skips a point and the digits after it, at most twenty.
    mutating func skipFraction() -> Bool {
        guard rest.first == UInt8(ascii: ".") else { return true }
        let digits = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
        rest = rest.dropFirst(digits.count + 1)
        return (1...20).contains(digits.count)
    }
}
