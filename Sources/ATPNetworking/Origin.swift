/// A web origin: scheme, host and port (RFC 6454 §4). Nonces and credentials belong to one origin.
public struct Origin: Sendable, Hashable, CustomStringConvertible {
    /// The schemes that OAuth uses. The enumeration is closed.
    public enum Scheme: String, Sendable, Hashable {
        /// Without TLS; only for the loopback addresses of a test.
        case http
        /// With TLS.
        case https

        /// The port of a URL without a port.
        package var defaultPort: Int { self == .https ? 443 : 80 }
    }

    /// The scheme of all URLs of this origin.
    public let scheme: Scheme
    /// A name or address in lower case. An IPv6 address keeps its brackets.
    public let host: String
    /// The port, which is the scheme's default one if a URL names none.
    public let port: Int

    /// An origin from its parts, which are taken as they are.
    package init(scheme: Scheme, host: String, port: Int? = nil) {
        self.scheme = scheme
        self.host = host.lowercased()
        self.port = port ?? scheme.defaultPort
    }

    /// Reads the part of a URL between `//` and the path.
    init(scheme: Scheme, authority: Substring.UTF8View) throws(InvalidURL) {
        let end: Substring.UTF8View.Index
        if authority.first == UInt8(ascii: "[") {
            guard let bracket = authority.firstIndex(of: UInt8(ascii: "]")) else { throw InvalidURL(.host) }
            end = authority.index(after: bracket)
            guard Self.isLiteral(authority[..<bracket].dropFirst()) else { throw InvalidURL(.host) }
        } else {
            end = authority.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
            guard Self.isName(authority[..<end]) else { throw InvalidURL(.host) }
        }
        let host = String(Substring(authority[..<end]))
        let afterHost = authority[end...]
        guard !afterHost.isEmpty else {
            self.init(scheme: scheme, host: host)
            return
        }
        let digits = afterHost.dropFirst()
        guard afterHost.first == UInt8(ascii: ":"), (1...5).contains(digits.count),
            digits.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = Int(Substring(digits)), (1...65535).contains(port)
        else { throw InvalidURL(.port) }
        self.init(scheme: scheme, host: host, port: port)
    }

    /// Reads the URL of a server, which has neither a path nor a query: `https://pds.example.com`. Nil for any other text.
    package init?(server text: String) {
        guard let url = try? HTTPURL(validating: text), url.path == "/", url.query == nil else { return nil }
        self = url.origin
    }

    /// Host and port as in the `Host` field, without a default port.
    package var authority: String {
        port == scheme.defaultPort ? host : "\(host):\(port)"
    }

    /// The origin as text, such as `https://example.com`, without a default port.
    public var description: String { "\(scheme.rawValue)://\(authority)" }

    /// Whether the host is this machine, by name or address.
    package var isLoopback: Bool {
        if host == "localhost" || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// Whether a text has only the characters of an IPv6 address.
    private static func isLiteral(_ text: Substring.UTF8View) -> Bool {
        !text.isEmpty
            && text.allSatisfy { byte in
                Character(Unicode.Scalar(byte)).isHexDigit || byte == UInt8(ascii: ":")
                    || byte == UInt8(ascii: ".")
            }
    }

    private static func isName(_ host: Substring.UTF8View) -> Bool {
        let hyphen = UInt8(ascii: "-")
        guard (1...253).contains(host.count) else { return false }
        return host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy {
            label in
            !label.isEmpty && label.first != hyphen && label.last != hyphen
                && label.allSatisfy { byte in
                    (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte)
                        || (0x61...0x7a).contains(byte) || byte == hyphen || byte == 0x5f
                }
        }
    }
}
