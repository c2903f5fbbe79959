internal import ATProtoIdentity
internal import ATProtoXRPC

/// Methods that a user may have meant.
extension PublicMethods {
    /// Whether the lexicons would have a method of this domain, such as `app.bsky` or `com.atproto`.
    static func cover(_ nsid: NSID) -> Bool {
        let domain = nsid.domain
        return authorities.contains { $0.hasPrefix(domain) }
    }

    /// The method that was probably meant by the name of one that the lexicons don't have; nil if no name is similar.
    static func nearest(to nsid: NSID) -> String? {
        // What a space keeps is not public: a method with a similar name would write it into the public repository.
        let names = nsid.isOfSpaces ? names.filter { $0.hasPrefix("\(nsid.authority).") } : names
        return nsid.nearest(of: names)
    }

    /// The methods that a word without dots is the last part of, in upper or lower case.
    static func methods(endingIn name: String) -> [String] {
        let ending = ".\(name.lowercased())"
        return names.filter { $0.lowercased().hasSuffix(ending) }
    }
}

extension NSID {
    /// The name that was probably meant by this one; nil if none is similar.
    func nearest(of names: [String]) -> String? {
        // A part that is missing or wrong, as in app.bsky.getTimeline.
        let namesake = names.first { $0.hasPrefix(domain) && $0.hasSuffix(".\(name)") }
        // Long names of other domains resemble each other by their usual parts, so few letters may differ.
        return namesake ?? description.nearest(of: names, within: description.count / 5)
    }

    /// Whether it is a method for permissioned data, which the proposal keeps in spaces.
    fileprivate var isOfSpaces: Bool {
        ["com.atproto.space", "com.atproto.simplespace"].contains(where: isBelow)
    }

    /// The first two parts of the name with their dots, which tell whose method it is.
    fileprivate var domain: String {
        authority.split(separator: ".").prefix(2).map { "\($0)." }.joined()
    }
}
