internal import ATPJSON
internal import ATPNetworking
package import HTTPTypes

/// An error response of an authorization server (RFC 6749 §5.2). Also reads sentences in place of a code and plain
/// text, and tolerates the error pages of proxies (protocol:12.5).
///
/// Texts are bounded and safe to display. Pages are not quoted.
package struct OAuthErrorResponse: Error, Sendable, Hashable {
    /// The HTTP status.
    package let status: Int
    /// The error code, such as `invalid_grant`. Nil if the server sends none.
    package let error: String?
    /// The server's message for people.
    package let description: String?
    /// Whether the server sent JSON with a sentence in place of a code.
    package let isSentence: Bool
    /// Seconds to wait before a retry (RFC 9110 §10.2.3). Nil if the server does not give seconds.
    package let retryAfter: Int64?

    /// Reads a response whose status is not 2xx.
    package init(status: Int, headerFields: HTTPFields, body: [UInt8]) {
        self.status = status
        // The resource servers of atproto use `message` (protocol:Differences-between-servers).
        let read = ErrorBody(
            body, mediaType: headerFields.mediaType, messageIn: ["error_description", "message"])
        error = read.code
        isSentence = read.isSentence
        description = read.message.map { UntrustedText.harmless($0) }
        retryAfter = headerFields.onlyValue(of: .retryAfter).flatMap { Int64($0) }
            .flatMap { (0...Self.longestWait).contains($0) ? $0 : nil }
    }

    /// An error from its parts.
    package init(status: Int, error: String?, description: String?) {
        self.status = status
        self.error = error
        self.description = description.map { UntrustedText.harmless($0) }
        isSentence = false
        retryAfter = nil
    }

    /// A year in seconds. No rate limit lasts longer.
    private static let longestWait: Int64 = 366 * 86400
}
