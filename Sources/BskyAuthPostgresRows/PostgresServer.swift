#if PostgreSQL
    package import ATPCryptography
    internal import ATPNetworking
    public import FoundationEssentials

    /// Where a PostgreSQL server is, and how this machine proves who it is.
    package struct PostgresServer: Sendable {
        /// One place where the server may be, for example one of two machines of which one is the primary.
        package struct Host: Sendable, Hashable, CustomStringConvertible {
            /// A host name, an IP address, or the absolute path of the folder of a Unix socket.
            package let name: String
            package let port: UInt16
            /// The loopback address to connect to. Empty for other hosts, and for sockets.
            let loopbackAddress: String

            var isLocal: Bool { !loopbackAddress.isEmpty || name.hasPrefix("/") }

            package var description: String {
                if name.hasPrefix("/") { return name }
                return name.contains(":") ? "[\(name)]:\(port)" : "\(name):\(port)"
            }
        }

        /// They are tried in this order. A standby is passed over.
        package let hosts: [Host]
        package let database: String
        /// Empty: the name that libpq chooses, which is that of the user of this machine.
        package let user: String
        /// Nil: the password that libpq finds in the user's password file, or none.
        package let password: SecretBytes?
        /// Where the table is. Nil: in the one schema that has it, or in ``PostgresSchema/usual`` if none has.
        let schema: PostgresSchema?
        /// Whether TLS is needed, with a certificate for the host's name. It is, unless all hosts are on this machine.
        package let needsTLS: Bool
        /// A file with the certificates of the authorities to trust. Empty: the file of libpq, `~/.postgresql/root.crt`.
        package let authorities: String
        /// The beginning of the keys of the rows in the table.
        package let prefix: String
        /// The longest time for one call at one host. The lookup of a host's name is not cut short by it.
        package let timeLimit: Duration
    }

    /// Why the URL of a PostgreSQL server can't be used.
    public enum PostgresURLError: Error, Sendable, Hashable, CustomStringConvertible {
        /// It does not begin with `postgres://` or `postgresql://`, or a part of it is not in the form of a URL.
        case malformed
        /// It has a password, which other users of the machine could read among the arguments of the program.
        case password
        /// It names no host, or one that is neither a name nor an address.
        case host(String)
        /// It names no database.
        case database
        /// An option that is not known, or has a value that is not known.
        case option(String)
        /// A value of `sslmode` with which somebody else could read or answer.
        case weakTLS(String)

        /// What is wrong with the URL, in plain English. The URL is not repeated, because it may have a password.
        public var description: String {
            switch self {
            case .malformed: "it is not in the form postgres://USER@HOST/DATABASE?prefix=PREFIX"
            case .password: "it has a password, which other users could read; put the password into a file"
            case .host(let host): "\"\(host)\" is not a host"
            case .database: "it names no database after the host, for example /bskyauth"
            case .option(let name): "the option \"\(name)\" is unknown or has an unknown value"
            case .weakTLS(let mode):
                "with sslmode=\(mode) somebody else could answer; a server elsewhere needs verify-full"
            }
        }
    }

    extension PostgresServer {
        /// Reads `postgres://[USER@]HOST[:PORT][,HOST[:PORT]…]/DATABASE` or `postgres://[USER@]/DATABASE?host=/FOLDER`
        /// (libpq, "Connection URIs").
        ///
        /// The option `prefix` keeps several vaults apart; without it, it is `bskyauth`. The option `schema` names the schema of
        /// the table. Of libpq's options the URL may have
        /// `sslmode`, `sslrootcert`, and for a Unix socket `host` and `port`. The mode is `verify-full`. Only between programs
        /// of one machine may it also be `disable`, which is the default there.
        package init(
            url: String, password: SecretBytes? = nil, timeLimit: Duration = .seconds(5)
        ) throws(PostgresURLError) {
            guard let scheme = ["postgres://", "postgresql://"].first(where: url.hasPrefix),
                !url.contains("#")
            else { throw .malformed }
            let parts = url.dropFirst(scheme.count).split(
                separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            let path = parts[0].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            var options = try Self.options(parts.count > 1 ? parts[1] : "")
            let authority = path[0].split(separator: "@", omittingEmptySubsequences: false)
            guard authority.count <= 2, let places = authority.last else { throw .malformed }
            if authority.count == 2, authority[0].contains(":") { throw .password }

            user = authority.count == 2 ? try Self.decoded(authority[0]) : ""
            database = path.count > 1 ? try Self.decoded(path[1]) : ""
            guard !database.isEmpty, !database.contains("/") else { throw .database }
            if places.isEmpty {
                hosts = [
                    try Self.socket(options.removeValue(forKey: "host"), options.removeValue(forKey: "port"))
                ]
            } else {
                var hosts: [Host] = []
                for place in places.split(separator: ",", omittingEmptySubsequences: false) {
                    hosts.append(try Self.host(place))
                }
                self.hosts = hosts
            }
            needsTLS = try Self.needsTLS(options.removeValue(forKey: "sslmode"), hosts)
            authorities = options.removeValue(forKey: "sslrootcert") ?? ""
            let prefix = options.removeValue(forKey: "prefix") ?? "bskyauth"
            let isPrintable = prefix.utf8.allSatisfy { (0x21...0x7e).contains($0) }
            guard (1...100).contains(prefix.utf8.count), isPrintable else { throw .option("prefix") }
            self.prefix = prefix
            schema = try options.removeValue(forKey: "schema").map(Self.schema)
            if let other = options.keys.min() { throw .option(other) }
            self.password = password
            self.timeLimit = timeLimit
        }

        private static func options(_ query: Substring) throws(PostgresURLError) -> [String: String] {
            var options: [String: String] = [:]
            for option in query.split(separator: "&") {
                let pair = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                let name = try decoded(pair[0])
                if name == "password" { throw .password }
                guard pair.count == 2, options[name] == nil else { throw .option(name) }
                options[name] = try decoded(pair[1])
            }
            return options
        }

        private static func host(_ text: Substring) throws(PostgresURLError) -> Host {
            var (name, port) = (text, UInt16(5432))
            if let colon = text.lastIndex(of: ":"), !text[colon...].contains("]") {
                guard let number = UInt16(text[text.index(after: colon)...]), number > 0 else {
                    throw .host(String(text))
                }
                (name, port) = (text[..<colon], number)
            }
            let isAddress = name.hasPrefix("[") && name.hasSuffix("]")
            let bare = isAddress ? name.dropFirst().dropLast() : name
            let isValid = bare.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
                    UInt8(ascii: "_"):
                    true
                case UInt8(ascii: ":"): isAddress
                default: false
                }
            }
            guard !bare.isEmpty, isValid else { throw .host(String(text)) }
            return Host(name: String(bare), port: port, loopbackAddress: try loopback(name))
        }

        /// The loopback address that a host stands for, so that no name is looked up; empty for another host.
        private static func loopback(_ host: Substring) throws(PostgresURLError) -> String {
            if host.lowercased() == "localhost" { return "127.0.0.1" }
            guard let literal = LiteralAddress(host: String(host)) else { return "" }
            if literal.bytes.isEmpty { throw .host(String(host)) }
            guard AddressRange(of: literal.bytes) == .loopback else { return "" }
            if literal.bytes.count == 16, literal.bytes[15] == 1, literal.bytes[10] == 0 { return "::1" }
            return literal.bytes.suffix(4).map(String.init).joined(separator: ".")
        }

        private static func socket(_ folder: String?, _ port: String?) throws(PostgresURLError) -> Host {
            // libpq takes a comma for the end of one of several folders.
            guard let folder, folder.hasPrefix("/"), !folder.contains(",") else { throw .host(folder ?? "") }
            guard let number = UInt16(port ?? "5432"), number > 0 else { throw .option("port") }
            return Host(name: folder, port: number, loopbackAddress: "")
        }

        private static func needsTLS(_ mode: String?, _ hosts: [Host]) throws(PostgresURLError) -> Bool {
            let isLocal = hosts.allSatisfy(\.isLocal)
            switch mode {
            case nil: return !isLocal
            case "verify-full": return true
            case "disable" where isLocal: return false
            case "disable", "allow", "prefer", "require", "verify-ca": throw .weakTLS(mode ?? "")
            default: throw .option("sslmode")
            }
        }

        /// PostgreSQL would cut a longer name, and keeps names with `pg_` for itself.
        private static func schema(_ name: String) throws(PostgresURLError) -> PostgresSchema {
            guard (1...63).contains(name.utf8.count), !name.hasPrefix("pg_") else { throw .option("schema") }
            return PostgresSchema(name: name)
        }

        private static func decoded(_ text: Substring) throws(PostgresURLError) -> String {
            guard let decoded = PercentEncoding.decode(text), !decoded.contains("\0") else {
                throw .malformed
            }
            return decoded
        }
    }

    extension PostgresURLError: LocalizedError {
        /// The description, for `localizedDescription`.
        public var errorDescription: String? { description }
    }
#endif
