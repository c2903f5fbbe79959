internal import CurlTransport
internal import Logging
internal import Networking

/// The way to the servers: libcurl, and what it may reach.
struct LiveNetwork: Sendable {
    let policy: NetworkPolicy
    let configuration: CurlConfiguration
    let log: Logger

    /// A transport under a policy that may differ from that of the calls.
    func transport(_ policy: NetworkPolicy) -> any HTTPTransport {
        LoggedTransport(CurlTransport(policy: policy, configuration: configuration), log: log)
    }
}
