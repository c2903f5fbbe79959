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
        guard text.utf8.count <= 317,
            text.utf8.allSatisfy({ $0.isASCIIAlphanumeric || $0 == 0x2d || $0 == 0x2e })
        else { throw InvalidNSID() }
        let segments = text.split(separator: ".", omittingEmptySubsequences: false)
        guard segments.count >= 3, let first = segments.first?.utf8.first, let name = segments.last,
            first.isASCIILetter, segments.dropLast().allSatisfy({ isDomainLabel($0) }), Self.isName(name)
        else { throw InvalidNSID() }
        authority = text.dropLast(name.count + 1).lowercased()
        self.name = String(name)
    }

    private init(authority: String, name: String) {
        self.authority = authority
        self.name = name
    }

    /// The method that returns the account of the session.
    package static let getSession = NSID(authority: "com.atproto.server", name: "getSession")

    /// The method that returns a token for another service.
    package static let getServiceAuth = NSID(authority: "com.atproto.server", name: "getServiceAuth")

    /// Authority and name with a dot between.
    package var description: String { "\(authority).\(name)" }

    private static func isName(_ name: some StringProtocol) -> Bool {
        guard (1...63).contains(name.utf8.count), let first = name.utf8.first else { return false }
        return first.isASCIILetter && name.utf8.allSatisfy(\.isASCIIAlphanumeric)
    }
}

/// The text is not an NSID.
package struct InvalidNSID: Error, Sendable, Hashable {}
