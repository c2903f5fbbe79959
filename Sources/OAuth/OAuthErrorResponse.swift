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
        // The resource servers of atproto say `message` (protocol:12).
        let read = RefusalBody(
            body, mediaType: headerFields.mediaType, wordsIn: ["error_description", "message"])
        error = read.code
        description = read.words.map { UntrustedText.harmless($0) }
        retryAfter = headerFields.onlyValue(of: .retryAfter).flatMap { Int64($0) }
            .flatMap { (0...Self.longestWait).contains($0) ? $0 : nil }
    }

    /// An error whose parts are known already.
    package init(status: Int, error: String?, description: String?) {
        self.status = status
        self.error = error
        self.description = description.map { UntrustedText.harmless($0) }
        retryAfter = nil
    }

    /// More seconds than any rate limit lasts: a year.
    private static let longestWait: Int64 = 366 * 86400
}
