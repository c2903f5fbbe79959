internal import ATProto

/// The methods of the public lexicons, as they were when this version was made. Any other method can be called as well.
///
/// The list is text in the program, and only the line of the method in question is read. A program start reads nothing.
enum PublicMethods {
    /// All names. Reads the whole list.
    static var names: [String] {
        authorities.flatMap { authority in
            lines(of: authority).map { "\(authority).\(Substring($0.prefix { $0 != space }.dropFirst()))" }
        }
    }

    /// The method of a name; nil if the lexicons have none.
    static func method(_ nsid: NSID) -> PublicMethod? {
        lines(of: nsid.authority).lazy.compactMap { PublicMethod(line: $0, named: nsid) }.first
    }

    /// Whether the lexicons would have a method of this domain, such as `app.bsky` or `com.atproto`.
    static func cover(_ nsid: NSID) -> Bool {
        let domain = nsid.domain
        return authorities.contains { $0.hasPrefix(domain) }
    }

    /// The method that was probably meant by the name of one that the lexicons don't have; nil if no name is similar.
    static func nearest(to nsid: NSID) -> String? {
        let domain = nsid.domain
        // A part that is missing or wrong, as in app.bsky.getTimeline.
        let namesake = names.first { $0.hasPrefix(domain) && $0.hasSuffix(".\(nsid.name)") }
        // Long names of other domains resemble each other by their usual parts, so few letters may differ.
        return namesake ?? nsid.description.nearest(of: names, within: nsid.description.count / 5)
    }

    /// The method that a word without dots is the last part of; nil for several or none.
    static func method(endingIn name: String) -> String? {
        let found = names.filter { $0.hasSuffix(".\(name)") }
        return found.count == 1 ? found[0] : nil
    }

    private static let space = UInt8(ascii: " ")

    private static func lines(of authority: String) -> [Substring.UTF8View] {
        list(of: authority)?.utf8.split(separator: UInt8(ascii: "\n")) ?? []
    }
}

extension NSID {
    /// The first two parts of the name with their dots, which tell whose method it is.
    fileprivate var domain: String {
        authority.split(separator: ".").prefix(2).map { "\($0)." }.joined()
    }
}
