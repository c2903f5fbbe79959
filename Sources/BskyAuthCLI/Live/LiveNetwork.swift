internal import ATPNetworking
internal import ATProtoCurl
internal import Logging

/// The network: libcurl, with the policy of allowed servers.
struct LiveNetwork: Sendable {
    let policy: NetworkPolicy
    let configuration: CurlConfiguration
    let log: Logger
    /// The time limit of a request; nil for the usual limits.
    let timeout: Duration?
    /// Where a person sees which server is waited for.
    let progress: ProgressLine

    /// The proxy without its user name and password; nil without a proxy.
    var proxy: String? { policy.devNetwork == nil ? configuration.proxy : nil }

    /// Starts the transport's thread before the first request; false if the system has no thread for it.
    func start() -> Bool { CurlTransport(policy: policy, configuration: configuration).start() }

    /// A transport under a policy that may differ from that of the calls.
    func transport(_ policy: NetworkPolicy) -> any HTTPTransport {
        let transport = PatientTransport(
            transport: LoggedTransport(CurlTransport(policy: policy, configuration: configuration), log: log),
            progress: progress)
        return if let timeout { TimedTransport(transport: transport, timeout: timeout) } else { transport }
    }
}

/// A transport that says after three seconds which server does not answer yet.
private struct PatientTransport: HTTPTransport {
    let transport: any HTTPTransport
    let progress: ProgressLine

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        try await progress.showing("waiting for \(request.url.origin.host)", after: .seconds(3)) {
            () async throws(TransportError) -> TransportResponse in try await transport.send(request)
        }
    }
}

/// A transport with the user's time limit.
private struct TimedTransport: HTTPTransport {
    let transport: any HTTPTransport
    let timeout: Duration

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        var request = request
        request.timeouts = request.timeouts.lasting(timeout)
        return try await transport.send(request)
    }
}
