internal import CATPPlatform

/// Asks for TXT records with the system's resolver (resolver(3)) or with one named server.
package struct DNSResolver: Sendable {
    /// The outcome of one query.
    package enum Answer: Sendable, Hashable {
        /// A DNS message that answers the query. Its records are not checked.
        case message([UInt8])
        /// The name does not exist or has no TXT records.
        case noRecords
        /// No server answered, or every server failed or refused.
        case noAnswer
    }

    private let server: String?
    private let port: Int

    /// - Parameter server: an IPv4 address with an optional port, such as `127.0.0.1:5353`, or nil for the
    ///   system's resolvers. Any other text makes the initializer return nil.
    package init?(server: String? = nil) {
        guard let server else {
            self.server = nil
            port = 53
            return
        }
        let parts = server.split(separator: ":", omittingEmptySubsequences: false)
        let bytes = parts.first?.split(separator: ".", omittingEmptySubsequences: false) ?? []
        guard (1...2).contains(parts.count), !server.contains("+"),
            bytes.count == 4, bytes.allSatisfy({ UInt8($0) != nil }),
            let port = parts.count == 2 ? Int(parts[1]) : 53, (1...65535).contains(port)
        else { return nil }
        self.server = String(parts[0])
        self.port = port
    }

    /// Asks for the TXT records of a name.
    package func textRecords(of name: String) async -> Answer {
        let (server, port) = (server, port)
        return await BlockingWork.run {
            var buffer = [UInt8](repeating: 0, count: 65536)
            let length = unsafe bskyauth_dns_text_records(
                name, server, Int32(port), &buffer, Int32(buffer.count))
            return switch length {
            case ..<0: .noAnswer
            case 0: .noRecords
            default: .message(Array(buffer.prefix(Int(length))))
            }
        }
    }
}
