/// An IP address in place of a host name, in every form that programs accept: `127.1`, `0x7f.0.0.1`,
/// `017700000001`, `2130706433`, `[::ffff:127.0.0.1]` (inet_aton(3), RFC 4291 §2.2, WHATWG URL §3.5).
package struct LiteralAddress: Sendable, Hashable {
    /// 4 or 16 bytes in network order. Empty if the text looks like an address but is invalid, such as `256.1`. Other
    /// programs may read such a text as an address.
    package let bytes: [UInt8]

    /// Reads a host in the form of ``Origin/host``. Nil for a name.
    package init?(host: String) {
        if host.hasPrefix("["), host.hasSuffix("]") {
            bytes = Self.ipv6(host.dropFirst().dropLast()) ?? []
            return
        }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        guard let last = parts.last, Self.isNumber(last) else { return nil }
        bytes = Self.ipv4(parts) ?? []
    }

    private static func isNumber(_ part: Substring) -> Bool {
        if part.lowercased().hasPrefix("0x") { return part.dropFirst(2).allSatisfy(\.isHexDigit) }
        return !part.isEmpty && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// One to four decimal, octal or hexadecimal numbers. The last number fills the remaining bytes.
    private static func ipv4(_ parts: [Substring]) -> [UInt8]? {
        let numbers = parts.filter(isNumber).compactMap { part in
            if part.lowercased().hasPrefix("0x") { return UInt32(part.dropFirst(2), radix: 16) }
            return part.hasPrefix("0") ? UInt32(part, radix: 8) : UInt32(part)
        }
        guard (1...4).contains(parts.count), numbers.count == parts.count, let last = numbers.last,
            numbers.dropLast().allSatisfy({ $0 <= 255 }), UInt64(last) < 1 << (8 * (5 - parts.count))
        else { return nil }
        let tail = (0..<(5 - parts.count)).reversed().map { UInt8(truncatingIfNeeded: last >> (8 * $0)) }
        return numbers.dropLast().map { UInt8($0) } + tail
    }

    private static func ipv6(_ text: Substring) -> [UInt8]? {
        let halves = text.split(separator: "::", omittingEmptySubsequences: false)
        guard let first = halves.first, let last = halves.last, let tail = groups(last) else { return nil }
        if halves.count == 1 { return tail.count == 16 ? tail : nil }
        guard halves.count == 2, let head = groups(first), head.count + tail.count <= 14 else { return nil }
        return head + [UInt8](repeating: 0, count: 16 - head.count - tail.count) + tail
    }

    /// The bytes of one side of `::`. An IPv4 address may stand for the last two groups.
    private static func groups(_ text: Substring) -> [UInt8]? {
        guard !text.isEmpty else { return [] }
        var bytes: [UInt8] = []
        var groups = text.split(separator: ":", omittingEmptySubsequences: false)
        var inner: [UInt8] = []
        if let last = groups.last, last.contains(".") {
            let parts = last.split(separator: ".", omittingEmptySubsequences: false)
            inner = parts.compactMap { UInt8($0) }
            guard parts.count == 4, inner.count == 4 else { return nil }
            groups.removeLast()
        }
        for group in groups {
            guard (1...4).contains(group.utf8.count), let value = UInt16(group, radix: 16) else { return nil }
            bytes += [UInt8(value >> 8), UInt8(truncatingIfNeeded: value)]
        }
        return bytes + inner
    }
}
