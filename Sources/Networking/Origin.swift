/// A web origin: scheme, host and port (RFC 6454 §4), the unit that nonces and credentials belong to.
package struct Origin: Sendable, Hashable, CustomStringConvertible {
    package enum Scheme: String, Sendable, Hashable {
        case http, https

        /// The port that goes without saying.
        package var defaultPort: Int { self == .https ? 443 : 80 }
    }

    package let scheme: Scheme
    /// A name or address in lower case; an IPv6 address keeps its brackets.
    package let host: String
    package let port: Int

    package init(scheme: Scheme, host: String, port: Int? = nil) {
        self.scheme = scheme
        self.host = host.lowercased()
        self.port = port ?? scheme.defaultPort
    }

    /// Reads the part of a URL between `//` and the path.
    init(scheme: Scheme, authority: Substring) throws(InvalidURL) {
        let host: Substring
        let afterHost: Substring
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { throw InvalidURL(.host) }
            host = authority[...end]
            afterHost = authority[authority.index(after: end)...]
            let inside = host.dropFirst().dropLast()
            guard !inside.isEmpty, inside.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else {
                throw InvalidURL(.host)
            }
        } else {
            host = authority.prefix { $0 != ":" }
            afterHost = authority.dropFirst(host.count)
            guard Self.isName(host) else { throw InvalidURL(.host) }
        }
        if afterHost.isEmpty {
            self.init(scheme: scheme, host: String(host))
        } else {
            let digits = afterHost.dropFirst()
            guard afterHost.first == ":", (1...5).contains(digits.count),
                digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let port = Int(digits), (1...65535).contains(port)
            else { throw InvalidURL(.port) }
            self.init(scheme: scheme, host: String(host), port: port)
        }
    }

    /// Host and port as the `Host` header has them: the default port is left out.
    package var authority: String {
        port == scheme.defaultPort ? host : "\(host):\(port)"
    }

    package var description: String { "\(scheme.rawValue)://\(authority)" }

    /// Whether the host is this machine by name or address, so that nothing leaves it.
    package var isLoopback: Bool {
        if host == "localhost" || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    private static func isName(_ host: Substring) -> Bool {
        guard (1...253).contains(host.utf8.count) else { return false }
        return host.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            !label.isEmpty && label.first != "-" && label.last != "-"
                && label.utf8.allSatisfy { byte in
                    (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte)
                        || (0x61...0x7a).contains(byte) || byte == 0x2d || byte == 0x5f
                }
        }
    }
}
