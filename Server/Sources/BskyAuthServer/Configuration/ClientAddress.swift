internal import Glibc

/// The IP address of a client or a proxy.
package struct ClientAddress: Sendable, Hashable, CustomStringConvertible {
    /// Four or sixteen bytes in network order.
    private let bytes: [UInt8]
    package let description: String

    /// An address as text, such as `192.0.2.1` or `2001:db8::1`.
    package init?(_ text: String) {
        guard let bytes = Self.bytes(text, AF_INET, 4) ?? Self.bytes(text, AF_INET6, 16) else { return nil }
        // An IPv4 address that an IPv6 socket accepted (RFC 4291 §2.5.5.2).
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]
        self.bytes = bytes.starts(with: mapped) ? Array(bytes.dropFirst(mapped.count)) : bytes
        description = text
    }

    /// An address as a proxy writes it in `X-Forwarded-For`: also with a port, an IPv6 address in brackets, in quotation marks, or
    /// with `for=` before it.
    ///
    /// - Returns: nil for everything else, such as `unknown`, an identifier that stands for an address, or nothing.
    package init?(forwarded element: some StringProtocol) {
        let pattern =
            #/
            [\ \t]* (?i: for= )? (?<quote> "? )
            (?: \[ (?<bracketed> [0-9A-Fa-f:.]+ ) \] (?: :[0-9]{1,5} )?
                | (?<four> [0-9.]+ ) (?: :[0-9]{1,5} )?
                | (?<six> [0-9A-Fa-f:.]+ ) )
            \k<quote> [\ \t]*
            /#
        guard let match = String(element).wholeMatch(of: pattern),
            let text = match.bracketed ?? match.four ?? match.six,
            match.bracketed == nil || text.contains(":")
        else { return nil }
        self.init(String(text))
    }

    /// What limits count by: the address, and for IPv6 the network of /64, because one client has all of it.
    var network: [UInt8] { Array(bytes.prefix(8)) }

    var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
    }

    package static func == (one: Self, other: Self) -> Bool { one.bytes == other.bytes }
    package func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

    private static func bytes(_ text: String, _ family: CInt, _ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let isRead = unsafe bytes.withUnsafeMutableBytes { unsafe inet_pton(family, text, $0.baseAddress) }
        return isRead == 1 ? bytes : nil
    }
}
