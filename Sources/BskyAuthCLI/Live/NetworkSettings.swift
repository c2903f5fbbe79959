internal import ATPNetworking
internal import ATPPlatform

/// The environment variables of the network. Only ``ServerAccess`` creates this value, so a command that asks no server
/// reads none of these variables.
struct NetworkSettings: Sendable {
    enum Variable: String, CaseIterable {
        case devNetwork = "BSKYAUTH_DEV_NETWORK"
        case allowPrivateNetwork = "BSKYAUTH_ALLOW_PRIVATE_NETWORK"
        case plcURL = "BSKYAUTH_PLC_URL"
        case dnsServer = "BSKYAUTH_DNS_SERVER"
        case resolver = "BSKYAUTH_RESOLVER"
        case httpTimeout = "BSKYAUTH_HTTP_TIMEOUT"
        case lexicons = "BSKYAUTH_LEXICONS"
    }

    let environment: [String: String]

    /// A variable; nil when it is not set or empty.
    func value(_ variable: Variable) -> String? { Settings.value(variable.rawValue, in: environment) }

    private func isOn(_ variable: Variable) -> Bool { Settings.isOn(variable.rawValue, in: environment) }

    /// `BSKYAUTH_HTTP_TIMEOUT`; nil when it is not set.
    func httpTimeout() throws -> TimeLength? {
        try Settings.timeLength(Variable.httpTimeout.rawValue, value(.httpTimeout))
    }

    /// Whether the publishers of lexicons may be asked: not with `BSKYAUTH_LEXICONS=off`, and on the dev network only with a name server
    /// of its own, because others don't know its names.
    var asksForLexicons: Bool {
        value(.lexicons) != Self.noLexicons && (value(.devNetwork) == nil || value(.dnsServer) != nil)
    }

    /// The folder of lexicons that `BSKYAUTH_LEXICONS` names; nil if it names none.
    var lexiconFolder: String? { value(.lexicons).flatMap { $0 == Self.noLexicons ? nil : $0 } }

    private static let noLexicons = "off"

    /// The policy of allowed servers. The dev network is loopback only, and every command that uses it says so.
    ///
    /// - Parameter allowsPrivateNetwork: whether the command line allows private addresses. The environment can allow
    ///   them too.
    func policy(allowsPrivateNetwork: Bool = false) throws -> NetworkPolicy {
        guard let devNetwork = value(.devNetwork) else {
            return NetworkPolicy(allowsPrivateNetwork: allowsPrivateNetwork || isOn(.allowPrivateNetwork))
        }
        guard let url = try? HTTPURL(validating: devNetwork), url.origin.isLoopback, url.path == "/" else {
            throw Failure.usage(
                "BSKYAUTH_DEV_NETWORK is \"\(devNetwork.escapedForTerminal)\", which is not a URL of this machine "
                    + "such as http://127.0.0.1:2583")
        }
        return NetworkPolicy(devNetwork: url.origin)
    }

    /// The resolver of TXT records.
    enum NameServer {
        /// The system's resolver, or a server that the resolver is told to ask.
        case resolver(DNSResolver)
        /// A server that is asked over https (RFC 8484).
        case https(HTTPURL)
    }

    /// `BSKYAUTH_DNS_SERVER`: an IPv4 address with an optional port, or the URL of a server over https; without it, the
    /// system's resolver.
    func nameServer() throws -> NameServer {
        let dnsServer = value(.dnsServer)
        if let dnsServer, let url = try? HTTPURL(validating: dnsServer), url.origin.scheme == .https {
            return .https(url)
        }
        guard let resolver = DNSResolver(server: dnsServer) else {
            throw Failure.usage(
                "BSKYAUTH_DNS_SERVER takes an IPv4 address and a port, for example 127.0.0.1:5353, or an https URL, "
                    + "for example https://dns.example/dns-query")
        }
        return .resolver(resolver)
    }
}
