internal import ATPNetworking

/// Sends requests to other servers, and never to this one: a handle may name it as the server of an account. Answers must not drip.
struct OutsideTransport: HTTPTransport {
    let transport: any HTTPTransport
    /// The origin of this server.
    let own: Origin

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        guard request.url.origin != own else {
            throw TransportError(
                .refused(.privateAddress), requestWasSent: false, url: request.url.description)
        }
        let answer = try await transport.send(request)
        return TransportResponse(
            status: answer.status, headerFields: answer.headerFields,
            body: ResponseBody(SteadyBody(answer.body)))
    }
}
