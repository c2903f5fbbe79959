/// Why an exchange brought no answer. Holds facts, no advice and no secret: the query of a URL is left out.
package struct TransportError: Error, Sendable, Hashable {
    package enum Code: Sendable, Hashable {
        /// ``NetworkPolicy`` does not allow this URL; nothing was sent.
        case refused(NetworkPolicy.Refusal)
        case nameNotResolved
        case notConnected
        /// No certificate of the server's is trusted for its name.
        case untrusted
        /// There was no TLS: the two have nothing in common, a signature was wrong, or the server stopped in the middle.
        case handshakeFailed
        case timedOut
        /// The answer was longer than the caller accepts.
        case tooLarge(limit: Int)
        /// The connection ended, or what arrived was not HTTP.
        case connectionLost
        /// The body to send could not be read.
        case bodyUnreadable
        case cancelled
        /// The library could not be set up; `detail` says what it answered.
        case unavailable
    }

    package let code: Code
    /// Whether any byte of the request may have reached the server. Only false proves that it has not acted.
    package let requestWasSent: Bool
    /// The origin and path that was asked.
    package var url: String?
    /// The transport library's own words, for `--verbose`.
    package var detail: String?

    package init(_ code: Code, requestWasSent: Bool, url: String? = nil, detail: String? = nil) {
        self.code = code
        self.requestWasSent = requestWasSent
        self.url = url
        self.detail = detail
    }

    /// Whether the network was in the way, and may not be the next time.
    package var isPassing: Bool {
        switch code {
        case .nameNotResolved, .notConnected, .timedOut, .connectionLost: true
        default: false
        }
    }
}
