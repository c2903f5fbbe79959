public import HTTPTypes

/// Sends HTTP requests. `send` returns as soon as the response header has arrived.
///
/// A transport never follows redirects, adds credentials, keeps cookies or retries. It refuses every URL and address
/// that ``NetworkPolicy`` refuses. Cancelling the calling task cancels the transfer.
public protocol HTTPTransport: Sendable {
    /// Sends one request once.
    ///
    /// - Returns: the response of any status, whose body is read later.
    /// - Throws: ``TransportError``. Its ``TransportError/requestWasSent`` is false only if no byte of the request can
    ///   have reached the server, because a refresh token that was not sent is used again.
    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse
}

/// One HTTP request.
public struct TransportRequest: Sendable {
    /// The method, such as `GET` (RFC 9110 §9).
    public var method: HTTPRequest.Method
    /// Where the request goes. Path and query are sent byte for byte.
    public var url: HTTPURL
    /// The header fields. The transport adds the framing fields (`Host`, `Content-Length`, `Transfer-Encoding`).
    public var headerFields: HTTPFields
    /// The body, if the method has one.
    public var body: RequestBody
    /// The time limits. Passing one of them is ``TransportError/Code/timedOut``.
    public var timeouts: Timeouts
    /// Whether to use a new connection. libcurl resends a POST by itself when a reused connection ends without a
    /// response, so a request that must not be sent twice needs a fresh connection.
    public var needsFreshConnection: Bool
    /// When the request must have begun to go out at the latest, on the clock that also runs while the machine sleeps. Passing
    /// it is ``TransportError/Code/timedOut``, and nothing was sent. Nil for no such moment. Only `ATProtoCurl` looks again
    /// when its connection stands.
    package var sentBy: ContinuousClock.Instant?
    /// The certificate for this request. No other request presents it. Only `ATProtoCurl` knows it.
    package var clientCertificate: ClientCertificate?

    /// A request that uses any connection and has no time limit while bytes move.
    public init(
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

/// The time limits of an exchange.
public struct Timeouts: Sendable, Hashable {
    /// The time to connect, including TLS.
    public var connect: Duration
    /// The time until the last byte of the response. Nil allows any time while bytes move.
    public var total: Duration?
    /// The longest time without a byte in either direction.
    public var idle: Duration?
    /// Whether the user's choice does not change these limits.
    private var isFixed = false

    /// Limits for one exchange.
    public init(connect: Duration = .seconds(10), total: Duration?, idle: Duration? = nil) {
        self.connect = connect
        self.total = total
        self.idle = idle
    }

    private init(fixed total: Duration) {
        self.init(total: total)
        isFixed = true
    }

    /// For metadata and identity documents.
    package static let metadata = Timeouts(total: .seconds(15))
    /// For token, PAR and revocation requests.
    package static let authorizationServer = Timeouts(total: .seconds(30))
    /// For refresh requests, which have their own deadline.
    package static let rotation = Timeouts(fixed: .seconds(90))
    /// For a refresh request that must be sent by a moment: its answer has 60 seconds after that moment.
    package static func rotation(sentBy: ContinuousClock.Instant?) -> Timeouts {
        guard let sentBy else { return .rotation }
        return Timeouts(fixed: max(.zero, ContinuousClock.now.duration(to: sentBy)) + .seconds(60))
    }
    /// For XRPC calls. There is no limit while bytes move.
    public static let call = Timeouts(total: nil, idle: .seconds(120))

    /// These limits with a length that the user chose: to connect, for a whole answer, and for a pause in the answer to a call. A
    /// refresh keeps its own limit: a process that finds an unanswered refresh must know how long a response can still arrive.
    ///
    /// - Parameter length: at least one millisecond; less counts as one.
    public func lasting(_ length: Duration) -> Timeouts {
        guard !isFixed else { return self }
        let length = max(length, .milliseconds(1))
        return Timeouts(connect: length, total: total.map { _ in length }, idle: idle.map { _ in length })
    }
}

/// A response whose body streams.
public struct TransportResponse: Sendable {
    /// The status code (RFC 9110 §15).
    public let status: Int
    /// The header fields in the order of their arrival. A repeated field stays repeated.
    public let headerFields: HTTPFields
    /// The body, which can be read once.
    public let body: ResponseBody

    /// A response whose header has arrived.
    public init(status: Int, headerFields: HTTPFields, body: ResponseBody) {
        self.status = status
        self.headerFields = headerFields
        self.body = body
    }
}

extension TransportResponse {
    /// The same response with the beginning of its body, which was read.
    package func with(body: [UInt8]) -> TransportResponse {
        var fields = headerFields
        if fields.contains(.contentLength) { fields[.contentLength] = String(body.count) }
        return TransportResponse(
            status: status, headerFields: fields, body: ResponseBody(body))
    }
}

/// A response with its whole body.
package struct FetchedResponse: Sendable {
    package let status: Int
    package let headerFields: HTTPFields
    package let body: [UInt8]

    package init(status: Int, headerFields: HTTPFields, body: [UInt8]) {
        self.status = status
        self.headerFields = headerFields
        self.body = body
    }

    /// The media type in lower case without its parameters, such as `application/json`.
    package var mediaType: String? { headerFields.mediaType }
}

extension HTTPFields {
    /// The media type of `Content-Type` in lower case without its parameters. Nil without the field.
    package var mediaType: String? {
        guard let value = onlyValue(of: .contentType) else { return nil }
        var type = value.prefix { $0 != ";" }
        while type.last == " " || type.last == "\t" { type.removeLast() }
        return type.lowercased()
    }
}

extension HTTPFields {
    /// The length of the body in bytes. Nil if it is unknown, or if it is the length of an encoded form.
    package var bodyLength: Int64? {
        guard !contains(.contentEncoding) else { return nil }
        return onlyValue(of: .contentLength).flatMap { Int64($0) }.flatMap { $0 < 0 ? nil : $0 }
    }
}

extension HTTPTransport {
    /// Sends a request and reads the whole response.
    ///
    /// - Parameter limit: the longest body to accept, in bytes. A longer body is
    ///   ``TransportError/Code/tooLarge``.
    package func fetch(
        _ request: TransportRequest, limit: Int
    ) async throws(TransportError) -> FetchedResponse {
        let response = try await send(request)
        let bytes = try await response.body.collect(upTo: limit)
        return FetchedResponse(status: response.status, headerFields: response.headerFields, body: bytes)
    }
}
