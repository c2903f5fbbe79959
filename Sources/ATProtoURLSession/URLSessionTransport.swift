public import ATPNetworking

/// The `HTTPTransport` of `URLSession`. It was built and tested on Linux only. It is meant for Apple's systems too, but it
/// was never built there.
///
/// Each request has a session and a connection of its own. So `URLSession` has no older connection on which it could lose a
/// request and send it a second time. The price is a TCP and a TLS handshake for every request.
///
/// **Addresses.** `URLSession` does not tell which address it connects to. So this transport asks
/// `NetworkPolicy.refusal(of:)` about the URL, and can't refuse a name that resolves to a private address. A server that
/// sends requests to hosts that strangers name must use `CurlTransport` of `ATProtoCurl`, which checks each address.
///
/// **Limits.**
/// - `URLSession` does not tell when it is connected, so `Timeouts.connect` has no effect. The other limits include the time
///   to connect. The idle limit has whole seconds.
/// - `TransportError.requestWasSent` is true whenever `URLSession` does not prove the contrary. That includes a
///   refused connection, because one address of a name may refuse before another one takes the request.
/// - A field that comes several times is one field whose values are joined by `, `, in both directions. The fields of a
///   response have no order.
/// - `URLSession` can't wait for a body to send, so a streamed body is read into memory before. It can be at most 64 MiB
///   long. A body without `Content-Type` is sent as `application/octet-stream`.
/// - `URLSession` can't hold a server back. A response with more than 64 MiB that the caller has not read yet ends as
///   `TransportError.Code.tooLarge(limit:)`.
/// - A URL that `URLSession` would change is refused as `TransportError.Code.unavailable`. An example is a path with `..`.
/// - Redirects are returned as answers. On Linux `URLSession` reads the body of a redirect into memory before.
///
/// **On Linux a server can end the process.** Foundation stops with a fatal error if a server closes the connection in the
/// middle of a response head, or sends a trailer after a chunked body (RFC 9112 §7.1.2). Code in front of `URLSession` can't
/// prevent this.
///
/// **On Linux a server can hold all requests up.** All sessions of a process share one queue. A server that sends without
/// end, and fast enough, keeps this queue busy: then no request of the process goes on, and none can be cancelled.
///
/// On Linux `URLSession` is libcurl, which obeys the proxy variables of the environment. Foundation itself reads
/// `URLSessionDebug`, `URLSessionDebugLibcurl` and the language. `URLSessionDebugLibcurl` prints requests with their tokens.
/// A transport can prevent none of this.
public struct URLSessionTransport: HTTPTransport {
    private let policy: NetworkPolicy
    private let userAgent: String
    private let timeout: Duration?

    /// A transport without cookies, credentials and cache.
    ///
    /// - Parameters:
    ///   - policy: which URLs may be contacted. It is not asked about the addresses of names.
    ///   - userAgent: the `User-Agent` field of every request that has none (RFC 9110 §10.1.5).
    ///   - timeout: the longest time for a whole answer, or for a pause in the answer to a call. A refresh keeps its own limit. Nil
    ///     keeps the limits of each request.
    public init(policy: NetworkPolicy, userAgent: String, timeout: Duration? = nil) {
        self.policy = policy
        self.timeout = timeout
        self.userAgent = userAgent
    }

    /// Sends one request once, on a new connection.
    ///
    /// - Throws: `TransportError`.
    public func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let url = request.url.withoutQuery
        if let refusal = policy.refusal(of: request.url) {
            throw TransportError(.refused(refusal), requestWasSent: false, url: url)
        }
        var request = request
        if let timeout { request.timeouts = request.timeouts.lasting(timeout) }
        let exchange = SessionExchange(try await request.withBodyInMemory())
        guard let transfer = SessionTransfer(exchange, userAgent: userAgent) else {
            throw TransportError(
                .unavailable, requestWasSent: false, url: url,
                detail: "URLSession would change this URL")
        }
        let head = await withTaskCancellationHandler {
            await exchange.head { transfer.start() }
        } onCancel: {
            transfer.cancel()
        }
        let (status, fields) = try head.get()
        return TransportResponse(
            status: status, headerFields: fields, body: ResponseBody(SessionResponseBody(exchange, transfer)))
    }
}

extension TransportRequest {
    /// The same request with its streamed body in memory.
    fileprivate func withBodyInMemory() async throws(TransportError) -> TransportRequest {
        guard case .stream(let source) = body else { return self }
        var request = self
        do {
            let bytes = try await source.collect(upTo: SessionExchange.mostInMemory)
            guard let bytes, source.length.map({ $0 == bytes.count }) ?? true else { throw UnfitBody() }
            request.body = .bytes(bytes)
        } catch {
            throw TransportError(
                error is CancellationError && Task.isCancelled ? .cancelled : .bodyUnreadable,
                requestWasSent: false, url: url.withoutQuery)
        }
        return request
    }
}

/// A body is too long, or has another length than it announced.
private struct UnfitBody: Error {}

/// The response body of one exchange. Releasing it ends the exchange.
private final class SessionResponseBody: ResponseBodySource {
    private let exchange: SessionExchange
    private let transfer: SessionTransfer

    init(_ exchange: SessionExchange, _ transfer: SessionTransfer) {
        self.exchange = exchange
        self.transfer = transfer
    }

    deinit {
        cancel()
    }

    func next() async throws(TransportError) -> [UInt8]? {
        let chunk = await withTaskCancellationHandler {
            await exchange.chunk()
        } onCancel: {
            transfer.cancel()
        }
        return try chunk.get()
    }

    func cancel() {
        exchange.dropBody()
        transfer.cancel()
    }
}
