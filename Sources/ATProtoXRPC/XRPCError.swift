internal import ATPJSON
internal import ATPNetworking
package import HTTPTypes

/// An error response of a server. The body may be an error of XRPC or OAuth, a proxy's page, or empty (protocol:X6; protocol:PDS-errors;
/// protocol:XRPC-errors).
///
/// Texts are bounded and have no control characters. Pages are not quoted.
package struct XRPCError: Error, Sendable, Hashable {
    /// The HTTP status.
    package let status: Int
    /// The error name, such as `InvalidRequest`. Nil if the server sends none.
    package let name: String?
    /// The server's message for people.
    package let message: String?
    /// The missing permission of a `ScopeMissingError` or `insufficient_scope`.
    package let missingScope: String?
    /// Whether the server does not know the method (atproto.com/specs/xrpc, Error Responses). A response that is not JSON
    /// says nothing about methods: it may be a proxy's.
    package let saysUnknownMethod: Bool
    /// The rate limit. Nil if the response has none.
    package let rateLimit: RateLimit?

    /// Where a redirect leads; nil for another response. No redirect is followed (protocol:R62).
    package let redirectTarget: String?

    /// Reads a response whose status is not 2xx.
    ///
    /// - Parameter body: the beginning of the body. A body over ``longestBody`` bytes is ignored.
    package init(status: Int, headerFields: HTTPFields, body: [UInt8]) {
        self.status = status
        rateLimit = RateLimit(headerFields: headerFields)
        redirectTarget =
            (300..<400).contains(status) ? headerFields[.location].map { UntrustedText.harmless($0) } : nil
        let read = ErrorBody(
            body, mediaType: headerFields.mediaType, messageIn: ["message", "error_description"])
        name = read.code
        message = read.message.map { UntrustedText.harmless($0) }
        missingScope = read.message.flatMap(Self.scope(in:))
        saysUnknownMethod = Self.namesUnknownMethod(name) || status == 501 && read.isJSON
    }

    /// An error from its parts.
    package init(status: Int, name: String?, message: String?) {
        self.status = status
        self.name = name
        self.message = message.map { UntrustedText.harmless($0) }
        missingScope = message.flatMap(Self.scope(in:))
        saysUnknownMethod = Self.namesUnknownMethod(name)
        rateLimit = nil
        redirectTarget = nil
    }

    /// The longest body that is read, in bytes.
    package static let longestBody = ErrorBody.longest

    /// Whether the same request may succeed later (protocol:XRPC-errors). ``XRPCRequest/isIdempotent`` says whether it may
    /// be sent again.
    package var isTransient: Bool {
        !saysUnknownMethod && [408, 425, 429, 500, 502, 503, 504, 522, 524].contains(status)
    }

    /// How long the server asks the client to wait: `Retry-After`, or the rest of a rate limit's window. Nil if
    /// the server asks for no wait or the wait is over.
    ///
    /// - Parameter now: seconds since 1970, by the server's clock if that is known.
    package func requestedWait(from now: Int64) -> Duration? {
        // Other responses also have the fields of a window. They don't ask for a wait.
        guard status == 429 || rateLimit?.retryAfter != nil else { return nil }
        return rateLimit?.wait(from: now).flatMap { $0 > .zero ? $0 : nil }
    }

    /// Whether a query was sent as a procedure or a procedure as a query (protocol:X1).
    package var saysWrongMethod: Bool {
        status == 405 || message?.hasPrefix("Incorrect HTTP method") == true
    }

    private static func namesUnknownMethod(_ name: String?) -> Bool {
        name == "MethodNotImplemented" || name == "XRPCNotSupported"
    }

    /// The scope after `Missing required scope`. It is in quotes, except at cocoon (case 460).
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
