internal import CurlTransport
internal import Logging
internal import Networking

/// The way to the servers: libcurl, and what it may reach.
struct LiveNetwork: Sendable {
    let policy: NetworkPolicy
    let configuration: CurlConfiguration
    let log: Logger
    /// How long a request may wait; nil for what is usual for each.
    let timeout: Duration?

    /// The proxy that connects in our place, without its name and password; nil where we connect ourselves.
    var proxy: String? { policy.devNetwork == nil ? configuration.proxy : nil }

    /// A transport under a policy that may differ from that of the calls.
    func transport(_ policy: NetworkPolicy) -> any HTTPTransport {
        let transport = LoggedTransport(CurlTransport(policy: policy, configuration: configuration), log: log)
        return if let timeout { TimedTransport(transport: transport, timeout: timeout) } else { transport }
    }
}

/// A transport that waits for as long as somebody chose.
private struct TimedTransport: HTTPTransport {
    let transport: any HTTPTransport
    let timeout: Duration

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        var request = request
        request.timeouts = request.timeouts.lasting(timeout)
        return try await transport.send(request)
    }
}
