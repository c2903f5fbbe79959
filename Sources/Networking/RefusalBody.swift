internal import JSON

/// The body of a refusal, read as well as it can be: a code and words for people, whatever the server meant by
/// them. Some write sentences where a code belongs, some plain text, and a proxy writes pages (protocol:12.5).
package struct RefusalBody: Sendable, Hashable {
    /// The name to tell errors apart by; nil where there is none, or a sentence stands in its place.
    package let code: String?
    /// What the server says to people, as it came; a page is not quoted at all.
    package let words: String?

    /// How much of a body is worth reading, in bytes.
    package static let longest = 65536

    /// - Parameter members: where the words may stand in JSON, first wins: `message` for XRPC,
    ///   `error_description` for OAuth.
    package init(_ body: [UInt8], mediaType: String?, wordsIn members: [String]) {
        guard !body.isEmpty, body.count <= Self.longest else {
            (code, words) = (nil, nil)
            return
        }
        if let json = try? JSONParser.parse(body) {
            let error = json["error"]?.string
            let said = members.lazy.compactMap { json[$0]?.string }.first
            let isCode = error.map(Self.isCode) ?? false
            code = isCode ? error : nil
            words = said ?? (isCode ? nil : error)
            return
        }
        code = nil
        guard mediaType == nil || mediaType == "text/plain",
            let text = String(validating: body, as: UTF8.self),
            text.first(where: { !$0.isWhitespace }) != "<"
        else {
            words = nil
            return
        }
        words = text.split(whereSeparator: \.isNewline).first { !$0.allSatisfy(\.isWhitespace) }
            .map(String.init)
    }

    private static func isCode(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x5f, 0x2d, 0x2e: true
                default: false
                }
            }
    }
}
