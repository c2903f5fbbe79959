#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Why an exchange failed. The error holds facts, no advice and no secrets. So its URLs have no query.
public struct TransportError: Error, Sendable, Hashable {
    /// What failed.
    public let code: Code
    /// Whether any byte of the request may have reached the server. Only `false` proves that the server did not act.
    public let requestWasSent: Bool
    /// The requested URL without its query. Nil if the transport does not name it.
    public package(set) var url: String?
    /// The transport's own message, for a log. Nil if it has none.
    public package(set) var detail: String?

    /// An error of a transport.
    ///
    /// - Parameters:
    ///   - code: what failed.
    ///   - requestWasSent: false only if no byte of the request can have reached the server.
    ///   - url: the requested URL, whose query is dropped, because it may hold a secret.
    ///   - detail: a message without secrets.
    public init(_ code: Code, requestWasSent: Bool, url: String? = nil, detail: String? = nil) {
        self.code = code
        self.requestWasSent = requestWasSent
        self.url = url.map { String($0.prefix { $0 != "?" }) }
        self.detail = detail
    }

    /// Whether the network failed in a way that may pass.
    package var mayPass: Bool {
        switch code {
        case .nameNotResolved, .notConnected, .timedOut, .connectionLost: true
        default: false
        }
    }
}

extension TransportError {
    /// What failed. More codes may come, so a `switch` over them needs a default.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The codes as this library tells them apart.
        package enum Kind: Sendable, Hashable {
            case refused(NetworkPolicy.Refusal)
            case nameNotResolved
            case notConnected
            case untrusted
            case handshakeFailed
            case timedOut
            case tooLarge(limit: Int)
            case connectionLost
            case bodyUnreadable
            case cancelled
            case unavailable
        }

        package let kind: Kind

        private init(_ kind: Kind) {
            self.kind = kind
        }

        /// The name of the code, such as `timedOut`, for logs.
        public var description: String { "\(kind)" }

        /// ``NetworkPolicy`` refused the URL. Nothing was sent.
        public static func refused(_ refusal: NetworkPolicy.Refusal) -> Code { Code(.refused(refusal)) }
        /// The host has no address.
        public static let nameNotResolved = Code(.nameNotResolved)
        /// No connection came about.
        public static let notConnected = Code(.notConnected)
        /// The server has no trusted certificate for its name.
        public static let untrusted = Code(.untrusted)
        /// The TLS handshake failed: no common version or cipher, a wrong signature, or an early end.
        public static let handshakeFailed = Code(.handshakeFailed)
        /// A limit of ``Timeouts`` was passed.
        public static let timedOut = Code(.timedOut)
        /// The response was longer than the `limit` in bytes that the caller accepts.
        public static func tooLarge(limit: Int) -> Code { Code(.tooLarge(limit: limit)) }
        /// The connection ended, or the response was not HTTP.
        public static let connectionLost = Code(.connectionLost)
        /// The request body could not be read.
        public static let bodyUnreadable = Code(.bodyUnreadable)
        /// The calling task was cancelled.
        public static let cancelled = Code(.cancelled)
        /// The transport could not start. ``TransportError/detail`` has its message.
        public static let unavailable = Code(.unavailable)
    }
}

extension TransportError: CustomStringConvertible {
    /// What failed, in plain English.
    public var description: String {
        let place = url ?? "the server"
        return switch code.kind {
        case .refused(let refusal): "\(place) may not be contacted: \(refusal)"
        case .nameNotResolved: "the name of \(place) could not be resolved"
        case .notConnected: "there is no connection to \(place)"
        case .untrusted: "the certificate of \(place) is not trusted"
        case .handshakeFailed: "the TLS handshake with \(place) failed"
        case .timedOut: "\(place) did not answer in time"
        case .tooLarge(let limit): "the answer of \(place) is longer than \(limit) bytes"
        case .connectionLost: "\(place) ended the connection, or its answer was not HTTP"
        case .bodyUnreadable: "the body of the request could not be read"
        case .cancelled: "the request was cancelled"
        case .unavailable: "the transport could not start"
        }
    }
}

extension TransportError: LocalizedError {
    /// The description, for `localizedDescription`.
    public var errorDescription: String? { description }
}
