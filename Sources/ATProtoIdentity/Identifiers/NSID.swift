/// The name of an XRPC method or record type (atproto.com/specs/nsid; protocol:X1).
///
/// The authority, a reversed domain name, is kept in lower case. The name after it is case-sensitive.
package struct NSID: Sendable, Hashable, CustomStringConvertible {
    /// `com.atproto.repo` of `com.atproto.repo.getRecord`.
    package let authority: String
    /// `getRecord` of `com.atproto.repo.getRecord`.
    package let name: String

    /// Checks the syntax and lower-cases the authority.
    package init(validating text: some StringProtocol) throws(InvalidNSID) {
        try self.init(String(text))
    }

    private init(_ text: String) throws(InvalidNSID) {
        guard Self.isValid(text.utf8), let dot = text.lastIndex(of: ".") else { throw InvalidNSID() }
        authority = text[..<dot].lowercased()
        name = String(text[dot...].dropFirst())
    }

    /// Whether the bytes of a text have the syntax of an NSID, in any case.
    package static func isValid(_ text: some Collection<UInt8>) -> Bool {
        guard text.count <= 317, text.first?.isASCIILetter == true else { return false }
        let segments = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard segments.count >= 3, let name = segments.last else { return false }
        return segments.dropLast().allSatisfy { isDomainLabel($0) } && isName(name)
    }

    private init(authority: String, name: String) {
        self.authority = authority
        self.name = name
    }

    /// The method that returns the account of the session.
    package static let getSession = NSID(authority: "com.atproto.server", name: "getSession")

    /// The method by which a PDS describes itself. It needs no session.
    package static let describeServer = NSID(authority: "com.atproto.server", name: "describeServer")

    /// The method that returns whether a server has an account, and whether it is active there. It needs no session.
    package static let getRepoStatus = NSID(authority: "com.atproto.sync", name: "getRepoStatus")

    /// The method that returns a token for another service.
    package static let getServiceAuth = NSID(authority: "com.atproto.server", name: "getServiceAuth")

    /// Whether the name is in the namespace of a domain, such as `app.bsky`: in that of the domain itself or below it.
    package func isBelow(_ domain: String) -> Bool {
        authority == domain || authority.hasPrefix("\(domain).")
    }

    /// Authority and name with a dot between.
    package var description: String { "\(authority).\(name)" }

    /// The domain name of the authority: `repo.atproto.com` of `com.atproto.repo.getRecord`.
    package var authorityDomain: String {
        authority.split(separator: ".").reversed().joined(separator: ".")
    }

    private static func isName(_ name: some Collection<UInt8>) -> Bool {
        guard (1...63).contains(name.count), let first = name.first else { return false }
        return first.isASCIILetter && name.allSatisfy(\.isASCIIAlphanumeric)
    }
}

/// The text is not an NSID.
package struct InvalidNSID: Error, Sendable, Hashable {}
