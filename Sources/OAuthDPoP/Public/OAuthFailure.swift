internal import ATPCryptography
public import ATPNetworking

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Why a step of OAuth failed. It holds facts, and no secret. Texts of a server are bounded and safe to display.
public struct OAuthFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// A kind of failure. More codes may come, so a `switch` over them needs a default.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private let name: String

        private init(_ name: String) {
            self.name = name
        }

        /// The name of the code, such as `invalidIssuer`, for logs.
        public var description: String { name }

        /// The issuer is no https URL in its canonical form (RFC 8414 §2).
        public static let invalidIssuer = Code("invalidIssuer")
        /// The server's metadata is missing or not acceptable (RFC 8414 §3.3).
        public static let metadata = Code("metadata")
        /// The network failed. ``OAuthFailure/network`` has the reason.
        public static let network = Code("network")
        /// The server answered with an error. ``OAuthFailure/error`` has its code.
        public static let refused = Code("refused")
        /// The server's answer can't be read.
        public static let unreadableAnswer = Code("unreadableAnswer")
        /// The redirect does not answer this authorization, or went to another redirect URI. Keep waiting, because anyone
        /// can send one (RFC 6749 §10.12, RFC 9700 §4.4.2).
        public static let foreignRedirect = Code("foreignRedirect")
        /// The redirect answers this authorization but comes from another server, or lacks its code (RFC 9207 §2.4).
        public static let invalidRedirect = Code("invalidRedirect")
        /// The person or the server denied the authorization (RFC 6749 §4.1.2.1).
        public static let denied = Code("denied")
        /// The tokens are not bound to the key. They were revoked, or the description says why not (RFC 9449 §5).
        public static let unacceptableTokens = Code("unacceptableTokens")
        /// A resource server refused the access token (RFC 6750 §3.1). New tokens may work.
        public static let accessTokenRefused = Code("accessTokenRefused")
        /// There is no refresh token.
        public static let noRefreshToken = Code("noRefreshToken")
        /// The server can't do this, such as revoke tokens.
        public static let unsupported = Code("unsupported")
        /// Tokens or an authorization are of another server or client, so they were not sent.
        public static let otherServer = Code("otherServer")
        /// The access token names another key than the one it came with, so it was not sent (RFC 9449 §6.1).
        public static let otherKey = Code("otherKey")
        /// An archive can't be read.
        public static let unreadableArchive = Code("unreadableArchive")
        /// The key could not sign, or is no key.
        public static let cryptography = Code("cryptography")
    }

    /// The kind of the failure, to decide by.
    public let code: Code
    /// The failure in plain English, to show or to log.
    public internal(set) var description: String
    /// The HTTP status of the server's answer. Nil without an answer.
    public let status: Int?
    /// The server's error code, such as `invalid_grant` (RFC 6749 §5.2).
    public let error: String?
    /// The server's message for people.
    public let errorDescription: String?
    /// Seconds to wait before a retry (RFC 9110 §10.2.3). Nil if the server gives none.
    public let retryAfter: Int64?
    /// Whether any byte of the request may have reached the server. False if only its preparation failed.
    public internal(set) var requestWasSent: Bool
    /// Why the network failed. Nil if it did not.
    public let network: TransportError?

    init(
        _ code: Code, _ description: String, status: Int? = nil, error: String? = nil,
        errorDescription: String? = nil,
        retryAfter: Int64? = nil, requestWasSent: Bool = false, network: TransportError? = nil
    ) {
        self.code = code
        self.description = description
        self.status = status
        self.error = error
        self.errorDescription = errorDescription
        self.retryAfter = retryAfter
        self.requestWasSent = requestWasSent
        self.network = network
    }

    /// The failure of a preparation, after which nothing that works once was sent.
    var withNothingSent: OAuthFailure {
        var failure = self
        failure.requestWasSent = false
        return failure
    }
}

extension OAuthFailure: LocalizedError {
    /// The description, for `localizedDescription`. The name `errorDescription` of `LocalizedError` is taken by the server's
    /// message, so another member does its work.
    @_implements(LocalizedError,errorDescription) @_disfavoredOverload
    public var localizedWords: String? { description }
}
