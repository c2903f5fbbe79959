internal import ATPNetworking
internal import FoundationEssentials
internal import Logging

/// Sends requests to other servers, and never to this one: a handle may name it as the server of an account. Answers must not drip.
/// The log says why a server can't be reached, once a minute for each server.
struct OutsideTransport: HTTPTransport {
    let transport: any HTTPTransport
    /// The origin of this server.
    let own: Origin
    let metrics: Metrics
    let log: Logger
    let now: @Sendable () -> Date
    private let told = RecentFailures<Origin, TransportError.Code>()

    /// How a request ended, for the metrics.
    enum Result: String, CaseIterable {
        case ok, refused
        /// No byte left this machine: there is no such name, no connection, or the address is one that is never contacted.
        case notSent = "not_sent"
        case serverError = "server_error"
        case noAnswer = "no_answer"
    }

    init(
        _ transport: any HTTPTransport, own: Origin, metrics: Metrics, log: Logger,
        now: @escaping @Sendable () -> Date
    ) {
        self.transport = transport
        self.own = own
        self.metrics = metrics
        self.log = log
        self.now = now
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        do throws(TransportError) {
            guard request.url.origin != own else {
                throw TransportError(
                    .refused(.privateAddress), requestWasSent: false, url: request.url.description)
            }
            let answer = try await transport.send(request)
            count(answer.status < 400 ? .ok : answer.status < 500 ? .refused : .serverError)
            return TransportResponse(
                status: answer.status, headerFields: answer.headerFields,
                body: ResponseBody(SteadyBody(answer.body)))
        } catch {
            tell(error, of: request.url.origin)
            throw error
        }
    }

    private func count(_ result: Result) { metrics.add(to: .outgoing, [("result", result.rawValue)]) }

    private func tell(_ error: TransportError, of origin: Origin) {
        // The client has left, or has waited long enough.
        guard error.code != .cancelled else { return }
        count(error.requestWasSent ? .noAnswer : .notSent)
        guard told.find(origin, at: now()) == nil else { return }
        told.note(error.code, of: origin, at: now())
        let detail = error.detail.map { " (\($0))" } ?? ""
        log.warning("a request failed: \(error)\(detail)")
    }
}
