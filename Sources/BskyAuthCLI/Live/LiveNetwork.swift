internal import CurlTransport
internal import Logging
internal import Networking

/// The way to the servers: libcurl, and what it may reach.
struct LiveNetwork: Sendable {
    let policy: NetworkPolicy
    let configuration: CurlConfiguration
    let log: Logger

    /// The proxy that connects in our place, without its name and password; nil where we connect ourselves.
    var proxy: String? { policy.devNetwork == nil ? configuration.proxy : nil }

    /// A transport under a policy that may differ from that of the calls.
    func transport(_ policy: NetworkPolicy) -> any HTTPTransport {
        LoggedTransport(CurlTransport(policy: policy, configuration: configuration), log: log)
    }
}
