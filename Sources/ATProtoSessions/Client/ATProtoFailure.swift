#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Why a login, a call or another step failed. It holds facts, and no secret. Texts of a server are bounded and safe to
/// display.
public struct ATProtoFailure: Error, Sendable, CustomStringConvertible {
    /// What failed. More codes may come, so a `switch` over them needs a default.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private let name: String

        private init(_ name: String) {
            self.name = name
        }

        /// The name of the code, such as `sessionEnded`, for logs.
        public var description: String { name }

        /// The text is no handle, DID, address of a server, method, service or labeler.
        public static let invalidArgument = Code("invalidArgument")
        /// No account has this handle or DID.
        public static let noSuchAccount = Code("noSuchAccount")
        /// The handle or the DID could not be looked up, or the answers contradict each other.
        public static let identity = Code("identity")
        /// The network failed. ``ATProtoFailure/requestWasSent`` says whether the request may have arrived.
        public static let network = Code("network")
        /// The server's metadata is missing or not acceptable.
        public static let metadata = Code("metadata")
        /// The authorization server, or the backend of an app, answered with an error. ``ATProtoFailure/error`` has its code.
        public static let refused = Code("refused")
        /// The person or the server denied the login (RFC 6749 §4.1.2.1), or granted nothing of the scope that it asked for.
        public static let denied = Code("denied")
        /// The redirect does not answer this login. Keep waiting, because anyone can send one.
        public static let foreignRedirect = Code("foreignRedirect")
        /// The redirect answers this login but comes from another server, or lacks its code (RFC 9207 §2.4).
        public static let invalidRedirect = Code("invalidRedirect")
        /// The tokens are not those of the expected account, or not from its server. They were revoked, and nothing was saved.
        public static let verification = Code("verification")
        /// There was a proof of a record, and it failed.
        public static let notProven = Code("notProven")
        /// The session has ended. Only a new login helps.
        public static let sessionEnded = Code("sessionEnded")
        /// The session could not be refreshed now. It still exists, so try again later, but not before
        /// ``ATProtoFailure/retryAt``.
        public static let notRefreshed = Code("notRefreshed")
        /// The session is of a client whose key is not here.
        public static let clientKeyMissing = Code("clientKeyMissing")
        /// The store has no such account, or the account is of another network.
        public static let unknownAccount = Code("unknownAccount")
        /// The store failed. ``ATProtoFailure/cause`` has its error.
        public static let store = Code("store")
        /// The server of the account answered a call with an error. ``ATProtoFailure/error`` has its name.
        public static let xrpc = Code("xrpc")
        /// A server's answer can't be read.
        public static let unreadableAnswer = Code("unreadableAnswer")
        /// An archive can't be read.
        public static let unreadableArchive = Code("unreadableArchive")
        /// The key could not sign, or the system can't make keys.
        public static let cryptography = Code("cryptography")
        /// The user agent failed. ``ATProtoFailure/cause`` has its error.
        public static let userAgent = Code("userAgent")
        /// The login was not completed within its time limit.
        public static let timedOut = Code("timedOut")
        /// The task was cancelled. A refresh or a login whose request was sent goes on, and its result is saved.
        public static let cancelled = Code("cancelled")
        /// A defect of this library.
        public static let unexpected = Code("unexpected")
    }

    /// What failed.
    public let code: Code
    /// What failed, in plain English.
    public package(set) var description: String
    /// The HTTP status of the server's answer. Nil without an answer.
    public package(set) var status: Int?
    /// The server's name of the error: an OAuth error code such as `invalid_grant`, or an XRPC error such as
    /// `InvalidRequest`.
    public package(set) var error: String?
    /// The server's message for people.
    public package(set) var errorDescription: String?
    /// The permission that the session lacks for a call, as the server names it.
    public package(set) var missingScope: String?
    /// When the same call may work. Nil if it is not known.
    public package(set) var retryAt: Date?
    /// Whether the same call may work later, without a new login or any other change.
    public package(set) var mayPass = false
    /// Whether any byte of the request may have reached a server.
    public package(set) var requestWasSent = false
    /// The error of the store (``StoreError``), of the user agent, or of the transport (`TransportError`). Nil for others.
    public package(set) var cause: (any Error)?

    package init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}

extension ATProtoFailure: LocalizedError {
    /// The description, for `localizedDescription`. The name `errorDescription` of `LocalizedError` is taken by the server's
    /// message, so another member does its work.
    @_implements(LocalizedError,errorDescription) @_disfavoredOverload
    public var localizedWords: String? { description }
}
