import Foundation

/// Form fields. The last value of a repeated name counts, as on the reference server (case 188).
struct FormBody: Sendable {
    private(set) var fields: [(name: String, value: String)]

    /// Reads `application/x-www-form-urlencoded` text (WHATWG URL, "urlencoded parsing").
    init(urlencoded text: some StringProtocol) {
        fields = text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (
                name: Self.decoded(parts[0]),
                value: parts.count > 1 ? Self.decoded(parts[1]) : ""
            )
        }
    }

    /// Reads the string members of a JSON object: the reference server takes JSON as well (case 186).
    init(json: JSONValue) {
        fields = (json.members ?? []).compactMap { member in
            member.value.string.map { (name: member.name, value: $0) }
        }
    }

    subscript(name: String) -> String? {
        fields.last { $0.name == name }?.value
    }

    func all(_ name: String) -> [String] {
        fields.filter { $0.name == name }.map(\.value)
    }

    private static func decoded(_ text: some StringProtocol) -> String {
        let plus = UInt8(ascii: "+"), space = UInt8(ascii: " ")
        let spaced = String(decoding: text.utf8.map { $0 == plus ? space : $0 }, as: UTF8.self)
        return spaced.removingPercentEncoding ?? spaced
    }

    /// One value in form encoding; a space becomes `+` as in the recorded redirects.
    static func encoded(_ text: String) -> String {
        let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789*-._".utf8)
        return text.utf8.map { byte in
            if plain.contains(byte) { return String(UnicodeScalar(byte)) }
            if byte == UInt8(ascii: " ") { return "+" }
            let digits = String(byte, radix: 16, uppercase: true)
            return "%" + (digits.count < 2 ? "0" + digits : digits)
        }.joined()
    }

    /// Names and values joined into form encoding.
    static func encoded(_ pairs: [(String, String)]) -> String {
        pairs.map { encoded($0.0) + "=" + encoded($0.1) }.joined(separator: "&")
    }
}
