package import ATProtoIdentity

/// The methods of the public lexicons, as they were when this version was made. Any other method can be called as well.
///
/// The list is text in the program, and only the line of the method in question is read. A program start reads nothing.
package enum PublicMethods {
    /// All names. Reads the whole list.
    package static var names: [String] {
        authorities.flatMap { authority in
            (list(of: authority) ?? "").utf8.split(separator: newline).map { line in
                "\(authority).\(Substring(line.prefix { $0 != space }.dropFirst()))"
            }
        }
    }

    /// All methods with their kinds. Reads the whole list.
    package static var kinds: [(NSID, XRPCMethod)] {
        authorities.flatMap { authority in
            (list(of: authority) ?? "").utf8.split(separator: newline).compactMap { line in
                let name = Substring(line.prefix { $0 != space }.dropFirst())
                let nsid = try? NSID(validating: "\(authority).\(name)")
                return nsid.map { ($0, PublicMethod.kind(line: line)) }
            }
        }
    }

    /// The method of a name; nil if the lexicons have none.
    package static func method(_ nsid: NSID) -> PublicMethod? {
        line(of: nsid).map { PublicMethod(line: $0, named: nsid) }
    }

    /// Whether a method is a query or a procedure; nil if the lexicons don't have it.
    package static func kind(of nsid: NSID) -> XRPCMethod? {
        line(of: nsid).map { PublicMethod.kind(line: $0) }
    }

    private static func line(of nsid: NSID) -> Substring.UTF8View? {
        list(of: nsid.authority).flatMap { line(of: nsid.name, in: $0) }
    }

    /// The line of a method among those of its authority. Every call looks for one, so it reads bytes.
    private static func line(of name: String, in list: String) -> Substring.UTF8View? {
        let (bytes, wanted) = (list.utf8.span, name.utf8.span)
        var start = 0
        while start < bytes.count {
            var end = start
            while end < bytes.count, bytes[end] != newline { end += 1 }
            if isName(wanted, in: bytes.extracting(start..<end)) {
                let first = list.utf8.index(list.startIndex, offsetBy: start)
                return list[first..<list.utf8.index(first, offsetBy: end - start)].utf8
            }
            start = end + 1
        }
        return nil
    }

    /// Whether a name stands after the first character of a line, as a whole word.
    private static func isName(_ name: Span<UInt8>, in line: Span<UInt8>) -> Bool {
        guard line.count > name.count, line.count == name.count + 1 || line[name.count + 1] == space else {
            return false
        }
        return name.indices.allSatisfy { name[$0] == line[$0 + 1] }
    }

    private static let space = UInt8(ascii: " ")
    private static let newline = UInt8(ascii: "\n")
}
