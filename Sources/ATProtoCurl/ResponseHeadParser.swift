internal import HTTPTypes

/// Collects the header lines that libcurl passes on one by one.
///
/// It drops interim (1xx) heads, and trailers, which are the lines after the head is complete.
struct ResponseHeadParser {
    private(set) var isComplete = false
    private var status = 0
    private var fields = HTTPFields()
    private var size = 0
    private var lines = 0

    /// The most bytes of a head.
    private static let limit = 256 * 1024
    /// The most lines of a head. `HTTPFields` traps beyond 65,535 fields, and that many short lines are within ``limit``.
    private static let mostLines = 1000

    enum Step {
        case more
        case complete(status: Int, fields: HTTPFields)
        case tooLarge
    }

    mutating func take(_ line: String) -> Step {
        guard !isComplete else { return .more }
        size += line.utf8.count
        lines += 1
        guard size <= Self.limit, lines <= Self.mostLines else { return .tooLarge }
        if line.hasPrefix("HTTP/") {
            let parts = line.split(separator: " ", maxSplits: 2)
            status = parts.count > 1 ? Int(parts[1].prefix(3)) ?? 0 : 0
            fields = HTTPFields()
        } else if line.utf8.allSatisfy({ $0 == 0x0d || $0 == 0x0a }) {
            guard status >= 200 else { return .more }
            isComplete = true
            return .complete(status: status, fields: fields)
        } else if let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) {
            // A name that is not a token is left out, because no code can ask for it.
            if let name = HTTPField.Name(String(line[..<colon])) {
                let value = line.utf8[line.utf8.index(after: colon)...]
                fields.append(HTTPField(name: name, value: Self.trimmed(value)))
            }
        }
        return .more
    }

    private static func trimmed(_ value: Substring.UTF8View) -> String {
        let space: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0d || $0 == 0x0a }
        let start = value.drop(while: space)
        guard let end = start.lastIndex(where: { !space($0) }) else { return "" }
        return String(Substring(start[...end]))
    }
}
