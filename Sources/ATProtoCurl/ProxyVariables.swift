internal import ATPNetworking

/// The proxy variables that curl obeys (curl(1), ENVIRONMENT).
///
/// libcurl does not read them, because it does not tell which connections are direct. The network policy checks the
/// addresses of direct connections.
struct ProxyVariables: Sendable {
    private let proxy: String?
    private let exceptions: [String]

    init(environment: [String: String]) {
        func value(_ names: String...) -> String? {
            names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        }
        proxy = value("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
        exceptions = (value("no_proxy", "NO_PROXY") ?? "").lowercased()
            .split { $0 == "," || $0 == " " }.map(String.init)
    }

    /// Whether a proxy is used for any server.
    var isSet: Bool { proxy != nil && !exceptions.contains("*") }

    /// The proxy without the user name and password that it may contain; nil if none is used.
    var shown: String? {
        guard isSet, let proxy else { return nil }
        let scheme = proxy.firstRange(of: "://").map { proxy[..<$0.upperBound] } ?? ""
        let authority = proxy.dropFirst(scheme.count).prefix { $0 != "/" }
        return "\(scheme)\(authority.split(separator: "@", omittingEmptySubsequences: false).last ?? "")"
    }

    /// The proxy for a server; nil for a direct connection, as always to this machine's own names.
    func proxy(for origin: Origin) -> String? {
        let isOwn = origin.host == "localhost" || origin.host.hasSuffix(".localhost")
        return isOwn || exceptions.contains { Self.matches($0, origin.host) } ? nil : proxy
    }

    /// Whether an exception covers a host. It is `*`, a domain with its subdomains, an address, or a network
    /// (`10.0.0.0/8`).
    private static func matches(_ exception: String, _ host: String) -> Bool {
        if exception == "*" { return true }
        if let address = LiteralAddress(host: host) { return contains(exception, address.bytes) }
        var domain = exception[...]
        if domain.hasPrefix(".") { domain = domain.dropFirst() }
        if domain.hasSuffix(".") { domain = domain.dropLast() }
        return !domain.isEmpty && (host == domain || host.hasSuffix("." + domain))
    }

    private static func contains(_ network: String, _ address: [UInt8]) -> Bool {
        let parts = network.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let text = parts.first else { return false }
        let isBare = text.contains(":") && !text.hasPrefix("[")
        guard let start = LiteralAddress(host: isBare ? "[\(text)]" : String(text))?.bytes,
            start.count == address.count, let length = parts.count == 1 ? start.count * 8 : Int(parts[1]),
            (0...start.count * 8).contains(length)
        else { return false }
        return start.indices.allSatisfy { index in
            let bits = min(8, max(0, length - index * 8))
            return (start[index] ^ address[index]) & ~UInt8(truncatingIfNeeded: 0xff >> bits) == 0
        }
    }
}
