internal import Networking

/// Which proxy connects in our place, by the variables that curl obeys (curl(1), ENVIRONMENT).
///
/// They are read here and not by libcurl, which does not say where it connects by itself: there, the address
/// has to be judged.
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

    /// Whether any server is reached through a proxy.
    var isSet: Bool { proxy != nil && !exceptions.contains("*") }

    /// The proxy without the name and the password that may be in it; nil where none is used.
    var shown: String? {
        guard isSet, let proxy else { return nil }
        let scheme = proxy.firstRange(of: "://").map { proxy[..<$0.upperBound] } ?? ""
        let authority = proxy.dropFirst(scheme.count).prefix { $0 != "/" }
        return "\(scheme)\(authority.split(separator: "@", omittingEmptySubsequences: false).last ?? "")"
    }

    /// The proxy before a server; nil where we connect ourselves, to this machine's own names always.
    func proxy(for origin: Origin) -> String? {
        let isOwn = origin.host == "localhost" || origin.host.hasSuffix(".localhost")
        return isOwn || exceptions.contains { Self.matches($0, origin.host) } ? nil : proxy
    }

    /// Whether an exception is about a host: `*`, a domain with all in it, an address, or a network
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
