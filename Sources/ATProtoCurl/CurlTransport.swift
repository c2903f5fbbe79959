public import ATPNetworking

/// The `HTTPTransport` of libcurl, with TLS, HTTP/2 and the certificates of the system.
///
/// Each address is checked by the `NetworkPolicy` when its socket opens, so a name that resolves to a private address is
/// refused, also when it resolved to a public one before.
public struct CurlTransport: HTTPTransport {
    private let policy: NetworkPolicy
    let configuration: CurlConfiguration
    /// The limit for a request; nil leaves each request its own.
    private let timeout: Duration?

    /// A transport that connects directly. It reads no environment variable, so it uses no proxy.
    ///
    /// - Parameters:
    ///   - policy: which URLs and addresses may be contacted.
    ///   - userAgent: the `User-Agent` field of every request (RFC 9110 §10.1.5).
    ///   - certificates: the path of a PEM file with the only authorities to trust; nil trusts those of the system.
    ///   - timeout: the longest time to connect, for a whole answer, or for a pause in the answer to a call. A refresh keeps its own
    ///     limit. Nil keeps the limits of each request.
    public init(
        policy: NetworkPolicy, userAgent: String, certificates: String? = nil, timeout: Duration? = nil
    ) {
        self.init(
            policy: policy,
            configuration: certificates.map {
                CurlConfiguration(
                    userAgent: userAgent, environment: ["SSL_CERT_FILE": $0],
                    system: TrustStores.Store(file: nil, directory: nil))
            } ?? CurlConfiguration(userAgent: userAgent, environment: [:]), timeout: timeout)
    }

    package init(policy: NetworkPolicy, configuration: CurlConfiguration, timeout: Duration? = nil) {
        self.policy = policy
        self.timeout = timeout
        self.configuration = configuration
    }

    /// Starts what requests need. Without it they do so themselves.
    ///
    /// - Returns: false if libcurl or its thread can't be started.
    package func start() -> Bool { CurlThread.serving(policy) != nil }

    /// Sends one request once, on a connection that may be an older one unless the request needs a fresh one.
    ///
    /// - Throws: `TransportError`.
    public func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let url = request.url.withoutQuery
        if let refusal = policy.refusal(of: request.url) {
            throw TransportError(.refused(refusal), requestWasSent: false, url: url)
        }
        guard let thread = CurlThread.serving(policy) else {
            throw TransportError(
                .unavailable, requestWasSent: false, url: url, detail: "libcurl did not start")
        }
        var request = request
        if let timeout { request.timeouts = request.timeouts.lasting(timeout) }
        var trust = firstTrust(for: request.url.origin)
        var isSecondAttempt = false
        let begin = ContinuousClock.now
        while true {
            let exchange = CurlExchange(request, policy: policy, configuration: configuration, trust: trust)
            let head = await withTaskCancellationHandler {
                await exchange.head { thread.start(exchange) }
            } onCancel: {
                thread.cancel(exchange)
            }
            switch head {
            case .success((let status, let fields)):
                if isSecondAttempt { configuration.trust.settle(on: trust) }
                return TransportResponse(
                    status: status, headerFields: fields,
                    body: ResponseBody(CurlResponseBody(exchange: exchange, thread: thread)))
            case .failure(let error):
                // Only the handshake took place. The second attempt gets the rest of the time.
                guard exchange.isUntrusted, !error.requestWasSent,
                    let wider = configuration.trust.wider(than: trust)
                else { throw error }
                let spent = begin.duration(to: .now)
                request.timeouts.connect = max(.milliseconds(1), request.timeouts.connect - spent)
                request.timeouts.total = request.timeouts.total.map { max(.milliseconds(1), $0 - spent) }
                (trust, isSecondAttempt) = (wider, true)
            }
        }
    }

    /// The certificates to trust first. Through a proxy there is no second attempt, because the request to the proxy counts
    /// as sent.
    private func firstTrust(for origin: Origin) -> TrustStores.Store {
        let mayAskAgain = origin.scheme == .https && configuration.proxy(for: origin, under: policy) == nil
        return mayAskAgain ? configuration.trust.first : configuration.trust.whole
    }
}

/// The response body of one exchange. Releasing it ends the exchange.
private final class CurlResponseBody: ResponseBodySource {
    private let exchange: CurlExchange
    private let thread: CurlThread

    init(exchange: CurlExchange, thread: CurlThread) {
        self.exchange = exchange
        self.thread = thread
    }

    deinit {
        cancel()
    }

    func next() async throws(TransportError) -> [UInt8]? {
        let result = await withTaskCancellationHandler {
            await exchange.chunk { thread.resume(exchange) }
        } onCancel: {
            thread.cancel(exchange)
        }
        return try result.get()
    }

    func cancel() {
        if exchange.abandon() { thread.cancel(exchange) }
    }
}
