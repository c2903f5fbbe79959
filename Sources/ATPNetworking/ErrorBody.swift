internal import ATPJSON

/// The body of an error response: a code and a message. It also reads plain text, and sentences in place of a code. It
/// tolerates the error pages of proxies (protocol:12.5).
package struct ErrorBody: Sendable, Hashable {
    /// The error code. Nil if the body has no code or has a sentence in its place.
    package let code: String?
    /// The server's message for people, unchanged. Nil for a page.
    package let message: String?

    /// Whether the body is JSON with a sentence in place of a code.
    package let isSentence: Bool
    /// Whether the body is a JSON object.
    package let isJSON: Bool

    /// The longest body that is read, in bytes.
    package static let longest = 65536

    /// - Parameter members: the JSON members that may hold the message, such as `message` of XRPC and
    ///   `error_description` of OAuth. The first one present counts.
    package init(_ body: [UInt8], mediaType: String?, messageIn members: [String]) {
        guard !body.isEmpty, body.count <= Self.longest else {
            (code, message, isSentence, isJSON) = (nil, nil, false, false)
            return
        }
        // A message with half a character must not hide the code.
        if let json = try? JSONParser.parse(body, leniency: .halfSurrogates) {
            let error = json["error"]?.string
            let said = members.lazy.compactMap { json[$0]?.string }.first
            let isCode = error.map(Self.isCode) ?? false
            code = isCode ? error : nil
            message = said ?? (isCode ? nil : error)
            isSentence = error != nil && !isCode
            isJSON = json.object != nil
            return
        }
        (code, isSentence, isJSON) = (nil, false, false)
        guard mediaType == nil || mediaType == "text/plain",
            let text = String(validating: body, as: UTF8.self),
            text.first(where: { !$0.isWhitespace }) != "<"
        else {
            message = nil
            return
        }
        message = text.split(whereSeparator: \.isNewline).first { !$0.allSatisfy(\.isWhitespace) }
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
