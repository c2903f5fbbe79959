package import HTTPTypes

/// The one way to the network: sends a request and answers as soon as the response head is there.
///
/// A transport never follows a redirect, never adds credentials, never retries, and refuses what
/// ``NetworkPolicy`` refuses. Cancelling the calling task cancels the transfer.
package protocol HTTPTransport: Sendable {
    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse
}

/// One request as the transport needs it.
package struct TransportRequest: Sendable {
    package var method: HTTPRequest.Method
    package var url: HTTPURL
    /// Framing fields (`Host`, `Content-Length`, `Transfer-Encoding`) are the transport's own.
    package var headerFields: HTTPFields
    package var body: RequestBody
    package var timeouts: Timeouts
    /// Whether to use a connection that has carried nothing yet. libcurl resends a POST by itself when a
    /// reused connection dies unanswered, so whatever must not be sent twice asks for a fresh one.
    package var needsFreshConnection: Bool

    package init(
        method: HTTPRequest.Method,
        url: HTTPURL,
        headerFields: HTTPFields = [:],
        body: RequestBody = .none,
        timeouts: Timeouts = .call,
        needsFreshConnection: Bool = false
    ) {
        self.method = method
        self.url = url
        self.headerFields = headerFields
        self.body = body
        self.timeouts = timeouts
        self.needsFreshConnection = needsFreshConnection
    }
}

/// How long the parts of an exchange may take.
package struct Timeouts: Sendable, Hashable {
    /// Until the connection stands, TLS included.
    package var connect: Duration
    /// Until the last byte of the answer; nil where a transfer may take as long as it makes progress.
    package var total: Duration?
    /// The longest stretch without a byte in either direction.
    package var idle: Duration?

    package init(connect: Duration = .seconds(10), total: Duration?, idle: Duration? = nil) {
        self.connect = connect
        self.total = total
        self.idle = idle
    }

    /// For metadata and identity documents.
    package static let metadata = Timeouts(total: .seconds(15))
    /// For token, PAR and revocation requests.
    package static let authorizationServer = Timeouts(total: .seconds(30))
    /// For the refresh request, which has a deadline of its own.
    package static let rotation = Timeouts(total: .seconds(90))
    /// For XRPC calls: no limit while bytes move.
    package static let call = Timeouts(total: nil, idle: .seconds(120))

    /// The same limits with the length that somebody chose. A refresh keeps its own: who finds one that was not
    /// answered has to know for how long it still may be.
    package func lasting(_ length: Duration) -> Timeouts {
        guard self != .rotation else { return self }
        return Timeouts(connect: length, total: total.map { _ in length }, idle: idle.map { _ in length })
    }
}

/// A response whose body is still on its way.
package struct TransportResponse: Sendable {
    package let status: Int
    package let headerFields: HTTPFields
    package let body: ResponseBody

    package init(status: Int, headerFields: HTTPFields, body: ResponseBody) {
        self.status = status
        self.headerFields = headerFields
        self.body = body
    }
}

/// A response whose body has been read whole.
package struct FetchedResponse: Sendable {
    package let status: Int
    package let headerFields: HTTPFields
    package let body: [UInt8]

    package init(status: Int, headerFields: HTTPFields, body: [UInt8]) {
        self.status = status
        self.headerFields = headerFields
        self.body = body
    }

    /// The media type in lower case without its parameters, as `application/json`.
    package var mediaType: String? { headerFields.mediaType }
}

extension HTTPFields {
    /// The media type of `Content-Type` in lower case without its parameters; nil where there is none.
    package var mediaType: String? {
        guard let value = onlyValue(of: .contentType) else { return nil }
        var type = value.prefix { $0 != ";" }
        while type.last == " " || type.last == "\t" { type.removeLast() }
        return type.lowercased()
    }
}

extension HTTPFields {
    /// How many bytes the body will have; nil where that is not said, or said of a coded form of it.
    package var bodyLength: Int64? {
        guard !contains(.contentEncoding) else { return nil }
        return onlyValue(of: .contentLength).flatMap { Int64($0) }.flatMap { $0 < 0 ? nil : $0 }
    }
}

extension HTTPTransport {
    /// Sends a request and reads its whole answer.
    ///
    /// - Parameter limit: the most bytes to accept; a longer body is ``TransportError/Code/tooLarge``.
    package func fetch(
        _ request: TransportRequest, limit: Int
    ) async throws(TransportError) -> FetchedResponse {
        let response = try await send(request)
        let bytes = try await response.body.collect(upTo: limit)
        return FetchedResponse(status: response.status, headerFields: response.headerFields, body: bytes)
    }
}
