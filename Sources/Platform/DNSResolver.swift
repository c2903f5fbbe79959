internal import CPlatform

/// Looks up TXT records with the system's resolver, or with one server that is named.
package struct DNSResolver: Sendable {
    package enum Failure: Error, Sendable, Hashable {
        /// No answer, or one that says neither yes nor no.
        case noAnswer
        /// An answer that is no DNS message.
        case malformed
    }

    private let server: String?
    private let port: Int

    /// - Parameter server: an IPv4 address with an optional port, as `127.0.0.1:5353`; nil for the system's
    ///   resolvers. nil is returned for anything else.
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

    /// The texts of the TXT records of a name, the strings of one record joined; empty where there are none.
    package func textRecords(for name: String) async throws(Failure) -> [String] {
        let (server, port) = (server, port)
        let answer: [UInt8]? = await BlockingWork.run {
            var buffer = [UInt8](repeating: 0, count: 65536)
            let length = unsafe bskyauth_dns_text_records(
                name, server, Int32(port), &buffer, Int32(buffer.count))
            return length < 0 ? nil : Array(buffer.prefix(Int(length)))
        }
        guard let answer else { throw .noAnswer }
        if answer.isEmpty { return [] }
        guard let records = DNSMessage.textRecords(in: answer) else { throw .malformed }
        return records
    }
}
