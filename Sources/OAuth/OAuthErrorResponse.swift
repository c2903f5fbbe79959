package import HTTPTypes
internal import JSON
internal import Networking

/// A refusal or failure of an authorization server, read as well as it can be (RFC 6749 §5.2): some write
/// sentences where a code belongs, some plain text, and a proxy writes pages (protocol:12.5).
///
/// Texts are bounded and harmless to show; a page is not quoted at all.
package struct OAuthErrorResponse: Error, Sendable, Hashable {
    /// The HTTP status.
    package let status: Int
    /// The code to tell errors apart by, as `invalid_grant`; nil where the server gives none.
    package let error: String?
    /// What the server says to people.
    package let description: String?
    /// Seconds to wait before asking again (RFC 9110 §10.2.3); nil where the server does not say in seconds.
    package let retryAfter: Int64?

    /// Reads an answer of a status other than 2xx.
    package init(status: Int, headerFields: HTTPFields, body: [UInt8]) {
        self.status = status
        let text = Self.text(in: body, mediaType: headerFields.mediaType)
        error = text.error
        description = text.description.map { UntrustedText.harmless($0) }
        retryAfter = headerFields[.retryAfter].flatMap { Int64($0) }
            .flatMap { (0...Self.longestWait).contains($0) ? $0 : nil }
    }

    /// An error whose parts are known already.
    package init(status: Int, error: String?, description: String?) {
        self.status = status
        self.error = error
        self.description = description.map { UntrustedText.harmless($0) }
        retryAfter = nil
    }

    /// How much of a body is looked at.
    static let longestBody = 65536
    /// More seconds than any rate limit lasts: a year.
    private static let longestWait: Int64 = 366 * 86400

    private static func text(
        in body: [UInt8], mediaType: String?
    ) -> (error: String?, description: String?) {
        guard !body.isEmpty, body.count <= longestBody else { return (nil, nil) }
        if let json = try? JSONParser.parse(body) {
            let error = json["error"]?.string
            // The resource servers of atproto say `message` (protocol:12).
            let description = json["error_description"]?.string ?? json["message"]?.string
            guard let error, isCode(error) else { return (nil, description ?? error) }
            return (error, description)
        }
        guard mediaType == nil || mediaType == "text/plain",
            let text = String(validating: body, as: UTF8.self),
            text.first(where: { !$0.isWhitespace }) != "<"
        else { return (nil, nil) }
        let line = text.split(whereSeparator: \.isNewline).first { !$0.allSatisfy(\.isWhitespace) }
        return (nil, line.map(String.init))
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
