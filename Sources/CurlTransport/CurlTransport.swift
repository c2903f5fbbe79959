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
        let trust = request.url.origin.scheme == .https ? configuration.trust.first : .none
        do throws(TransportError) {
            return try await send(request, on: thread, trusting: trust)
        } catch {
            // No byte of the request has left: the server's certificate was refused, or there is nobody.
            guard error.code == .insecure, !error.requestWasSent,
                let wider = configuration.trust.wider(than: trust)
            else { throw error }
            let response = try await send(request, on: thread, trusting: wider)
            configuration.trust.widen()
            return response
        }
    }

    private func send(
        _ request: TransportRequest, on thread: CurlThread, trusting trust: TrustStores.Store
    ) async throws(TransportError) -> TransportResponse {
        let transfer = CurlTransfer(request, policy: policy, configuration: configuration, trust: trust)
        let head = await withTaskCancellationHandler {
            await transfer.head { thread.start(transfer) }
        } onCancel: {
            thread.cancel(transfer)
        }
        let (status, fields) = try head.get()
        return TransportResponse(
            status: status, headerFields: fields,
            body: ResponseBody(CurlResponseBody(transfer: transfer, thread: thread)))
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
