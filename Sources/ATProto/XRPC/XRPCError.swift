package import HTTPTypes
internal import JSON
internal import Networking

/// A server's refusal or failure, read as well as it can be: the body may be XRPC's, OAuth's, a page of a
/// proxy, or nothing (protocol:X6, 4c-4e).
///
/// Texts are bounded and without control characters; a page is not quoted at all.
package struct XRPCError: Error, Sendable, Hashable {
    /// The HTTP status.
    package let status: Int
    /// The name to tell errors apart by, as `InvalidRequest`; nil where the server gives none.
    package let name: String?
    /// What the server says to people.
    package let message: String?
    /// The permission that was missing, of a `ScopeMissingError` or `insufficient_scope`.
    package let missingScope: String?
    /// What the answer says about its rate limit; nil where nothing.
    package let rateLimit: RateLimit?

    /// Reads an answer of a status other than 2xx.
    ///
    /// - Parameter body: its beginning; more than ``longestBody`` bytes are not looked at.
    package init(status: Int, headerFields: HTTPFields, body: [UInt8]) {
        self.status = status
        rateLimit = RateLimit(headerFields: headerFields)
        let read = RefusalBody(
            body, mediaType: headerFields.mediaType, wordsIn: ["message", "error_description"])
        name = read.code
        message = read.words.map { UntrustedText.harmless($0) }
        missingScope = read.words.flatMap(Self.scope(in:))
    }

    /// An error whose parts are known already.
    package init(status: Int, name: String?, message: String?) {
        self.status = status
        self.name = name
        self.message = message.map { UntrustedText.harmless($0) }
        missingScope = message.flatMap(Self.scope(in:))
        rateLimit = nil
    }

    /// How much of a body is worth reading.
    package static let longestBody = RefusalBody.longest

    /// Whether the same request may succeed later (protocol:4e). Whether it may be *sent* again depends on
    /// what it does.
    package var isTransient: Bool {
        [408, 425, 429, 500, 502, 503, 504, 522, 524].contains(status)
    }

    /// How long the server asks to be left alone: what `Retry-After` says and, of a rate limit, the rest of the
    /// window; nil where it says nothing, or nothing that lies ahead.
    ///
    /// - Parameter now: seconds since 1970, by the server's clock where that is known.
    package func requestedWait(from now: Int64) -> Duration? {
        // The fields of a window go along with other answers too, and say nothing about them.
        guard status == 429 || rateLimit?.retryAfter != nil else { return nil }
        return rateLimit?.wait(from: now).flatMap { $0 > .zero ? $0 : nil }
    }

    /// Whether the method is a query and was sent as a procedure, or the other way round (protocol:X1).
    package var saysWrongMethod: Bool {
        status == 405 || message?.hasPrefix("Incorrect HTTP method") == true
    }

    /// The scope that follows `Missing required scope`, between quotes or, at cocoon (case 460), without.
    private static func scope(in message: String) -> String? {
        let phrase = "Missing required scope "
        guard message.hasPrefix(phrase) else { return nil }
        var scope = message.dropFirst(phrase.count)
        if scope.first == "\"" {
            scope = scope.dropFirst().prefix { $0 != "\"" }
            guard scope.endIndex < message.endIndex else { return nil }
        }
        guard (1...2048).contains(scope.utf8.count),
            scope.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "\"") })
        else { return nil }
        return String(scope)
    }
}
