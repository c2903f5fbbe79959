internal import HTTPTypes

/// Collects the header lines libcurl hands over, one call a line.
///
/// Interim (1xx) heads are dropped, and lines after the head is complete are trailers, which nobody here
/// reads.
struct ResponseHeadParser {
    private(set) var isComplete = false
    private var status = 0
    private var fields = HTTPFields()
    private var size = 0
    private var lines = 0

    /// More header bytes than any server has reason to send.
    private static let limit = 256 * 1024
    /// More header lines than any server has reason to send. `HTTPFields` takes 65,535 and traps on the next,
    /// and that many short ones are few bytes.
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
            // A name that is no token can't be asked for either: it is left out.
            if let name = HTTPField.Name(String(line[..<colon])) {
                let value = line[line.utf8.index(after: colon)...]
                fields.append(HTTPField(name: name, value: Self.trimmed(value)))
            }
        }
        return .more
    }

    private static func trimmed(_ value: Substring) -> String {
        let space: (Character) -> Bool = {
            $0 == " " || $0 == "\t" || $0 == "\r\n" || $0 == "\r" || $0 == "\n"
        }
        let start = value.drop(while: space)
        guard let end = start.lastIndex(where: { !space($0) }) else { return "" }
        return String(start[...end])
    }
}
