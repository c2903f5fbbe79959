package import ATPCryptography
internal import ATPNetworking
public import FoundationEssentials

/// Why the URL of an etcd cluster can't be used.
public enum EtcdURLError: Error, Sendable, Hashable, CustomStringConvertible {
    /// It does not begin with `etcd://` or `etcd+http://`, or a part of it is not in the form of a URL.
    case malformed
    /// It has a password, which other users of the machine could read among the arguments of the program.
    case password
    /// It names no node, or one that is neither a name nor an address.
    case node(String)
    /// It names no prefix.
    case prefix
    /// It has no TLS, and names a node that is not on this machine.
    case noTLS(String)
    /// It names a user without a password, or the other way round.
    case credentials

    /// What is wrong with the URL, in plain English. The URL is not repeated, because it may have a password.
    public var description: String {
        switch self {
        case .malformed: "it is not in the form etcd://NODE,NODE/PREFIX"
        case .password: "it has a password, which other users could read; put the password into a file"
        case .node(let node): "\"\(node)\" is not a node"
        case .prefix:
            "it names no prefix of letters, digits and -._/ after the nodes, for example /bskyauth"
        case .noTLS(let host): "etcd+http has no TLS and works on this machine only, not with \(host)"
        case .credentials:
            "a user needs a password from a file, and a password needs a user: etcd://USER@NODE/PREFIX"
        }
    }
}

extension EtcdCluster {
    /// The port of etcd's clients.
    private static let port = 2379

    /// Reads `etcd://[USER@]NODE[:PORT][,NODE[:PORT]…]/PREFIX`, which uses TLS, or `etcd+http://…` for nodes on this machine.
    ///
    /// - Parameter password: the password of the user in the URL.
    package init(url: String, password: SecretBytes? = nil) throws(EtcdURLError) {
        let scheme: Origin.Scheme = url.hasPrefix("etcd+http://") ? .http : .https
        let start = scheme == .http ? "etcd+http://" : "etcd://"
        guard url.hasPrefix(start), !url.contains("?"), !url.contains("#") else { throw .malformed }
        let parts = url.dropFirst(start.count).split(
            separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let authority = parts[0].split(separator: "@", omittingEmptySubsequences: false)
        guard authority.count <= 2, let places = authority.last else { throw .malformed }
        var user: String?
        if authority.count == 2 {
            if authority[0].contains(":") { throw .password }
            guard let decoded = PercentEncoding.decode(authority[0]), !decoded.isEmpty else {
                throw .malformed
            }
            user = decoded
        }
        guard (user == nil) == (password == nil) else { throw .credentials }
        guard parts.count == 2, let prefix = Self.prefix(parts[1]) else { throw .prefix }
        var nodes: [Origin] = []
        for place in places.split(separator: ",", omittingEmptySubsequences: false) {
            nodes.append(try Self.node(place, scheme))
        }
        let credentials = user.flatMap { user in password.map { Credentials(user: user, password: $0) } }
        self.init(nodes: nodes, prefix: prefix, credentials: credentials)
    }

    private static func node(
        _ place: Substring, _ scheme: Origin.Scheme
    ) throws(EtcdURLError) -> Origin {
        let bracket = place.lastIndex(of: "]") ?? place.startIndex
        let hasPort = place[bracket...].contains(":")
        guard let url = try? HTTPURL(validating: "\(scheme)://\(place)\(hasPort ? "" : ":\(port)")/"),
            url.path == "/"
        else { throw .node(String(place)) }
        guard scheme == .https || url.origin.isLoopback else { throw .noTLS(url.origin.host) }
        return url.origin
    }

    /// A prefix of letters, digits and `-._/`, which etcd's commands take without quotes; nil for another one.
    private static func prefix(_ text: Substring) -> String? {
        let name = text.hasSuffix("/") ? text.dropLast() : text
        let isValid = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "/"):
                true
            default: false
            }
        }
        return isValid && !name.isEmpty ? String(name) : nil
    }
}

extension EtcdURLError: LocalizedError {
    /// The description, for `localizedDescription`.
    public var errorDescription: String? { description }
}
