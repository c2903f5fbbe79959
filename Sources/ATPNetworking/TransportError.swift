/// Why an exchange failed. The error holds facts, no advice and no secrets. So its URLs have no query.
package struct TransportError: Error, Sendable, Hashable {
    package enum Code: Sendable, Hashable {
        /// ``NetworkPolicy`` refused the URL. Nothing was sent.
        case refused(NetworkPolicy.Refusal)
        case nameNotResolved
        case notConnected
        /// The server has no trusted certificate for its name.
        case untrusted
        /// The TLS handshake failed: no common version or cipher, a wrong signature, or an early end.
        case handshakeFailed
        case timedOut
        /// The response was longer than the caller accepts.
        case tooLarge(limit: Int)
        /// The connection ended, or the response was not HTTP.
        case connectionLost
        /// The request body could not be read.
        case bodyUnreadable
        case cancelled
        /// The transport library could not start. `detail` has its message.
        case unavailable
    }

    package let code: Code
    /// Whether any byte of the request may have reached the server. Only `false` proves that the server did not act.
    package let requestWasSent: Bool
    /// The requested URL without its query.
    package var url: String?
    /// The transport library's own message, for `--verbose`.
    package var detail: String?

    package init(_ code: Code, requestWasSent: Bool, url: String? = nil, detail: String? = nil) {
        self.code = code
        self.requestWasSent = requestWasSent
        self.url = url
        self.detail = detail
    }

    /// Whether the network failed in a way that may pass.
    package var isPassing: Bool {
        switch code {
        case .nameNotResolved, .notConnected, .timedOut, .connectionLost: true
        default: false
        }
    }
}
