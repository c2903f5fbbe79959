package import Networking

/// ``HTTPTransport`` over libcurl: TLS, HTTP/2, proxies and certificate stores as curl's users know them.
package struct CurlTransport: HTTPTransport {
    private let policy: NetworkPolicy
    private let configuration: CurlConfiguration

    package init(policy: NetworkPolicy, configuration: CurlConfiguration) {
        self.policy = policy
        self.configuration = configuration
    }

    package func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let url = request.url.withoutQuery
        if let refusal = policy.refusal(of: request.url) {
            throw TransportError(.refused(refusal), requestWasSent: false, url: url)
        }
        guard let thread = CurlThread.serving(policy) else {
            throw TransportError(
                .unavailable, requestWasSent: false, url: url, detail: "libcurl did not start")
        }
        var request = request
        var trust = firstTrust(for: request.url.origin)
        var isSecondLook = false
        let begin = ContinuousClock.now
        while true {
            let transfer = CurlTransfer(request, policy: policy, configuration: configuration, trust: trust)
            let head = await withTaskCancellationHandler {
                await transfer.head { thread.start(transfer) }
            } onCancel: {
                thread.cancel(transfer)
            }
            switch head {
            case .success((let status, let fields)):
                if isSecondLook { configuration.trust.settle(on: trust) }
                return TransportResponse(
                    status: status, headerFields: fields,
                    body: ResponseBody(CurlResponseBody(transfer: transfer, thread: thread)))
            case .failure(let error):
                // Nothing has been but the handshake, and the time it took is not given again.
                guard transfer.isUntrusted, !error.requestWasSent,
                    let wider = configuration.trust.wider(than: trust)
                else { throw error }
                let spent = begin.duration(to: .now)
                request.timeouts.connect = max(.milliseconds(1), request.timeouts.connect - spent)
                request.timeouts.total = request.timeouts.total.map { max(.milliseconds(1), $0 - spent) }
                (trust, isSecondLook) = (wider, true)
            }
        }
    }

    /// What to judge a server by. What a proxy is asked for counts as sent, so that there is no second time behind one.
    private func firstTrust(for origin: Origin) -> TrustStores.Store {
        let mayAskAgain = origin.scheme == .https && configuration.proxy(for: origin, under: policy) == nil
        return mayAskAgain ? configuration.trust.first : configuration.trust.whole
    }
}

/// The body of one transfer. Letting go of it ends the transfer.
private final class CurlResponseBody: ResponseBodySource {
    private let transfer: CurlTransfer
    private let thread: CurlThread

    init(transfer: CurlTransfer, thread: CurlThread) {
        self.transfer = transfer
        self.thread = thread
    }

    deinit {
        cancel()
    }

    func next() async throws(TransportError) -> [UInt8]? {
        let result = await withTaskCancellationHandler {
            await transfer.chunk { thread.resume(transfer) }
        } onCancel: {
            thread.cancel(transfer)
        }
        return try result.get()
    }

    func cancel() {
        if transfer.abandon() { thread.cancel(transfer) }
    }
}
