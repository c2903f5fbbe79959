/// The handle of an account, a domain name in lower case (atproto.com/specs/handle; protocol:R2).
///
/// A handle can move to another account. Only the ``DID`` identifies an account for good.
public struct Handle: Sendable, Hashable, LosslessStringConvertible {
    /// The handle without `@`, in lower case.
    public let description: String

    /// Checks the syntax and makes the text lower case. Nil for a text that is no handle.
    public init?(_ description: String) {
        try? self.init(validating: description)
    }

    /// Checks the syntax and makes the text lower case. ``isReserved(onDevNetwork:)`` says whether the handle may
    /// be resolved.
    package init(validating text: some StringProtocol) throws(InvalidHandle) {
        try self.init(checking: String(text))
    }

    private init(checking text: String) throws(InvalidHandle) {
        guard text.utf8.count <= 253 else { throw InvalidHandle(.tooLong) }
        guard text.utf8.allSatisfy({ $0.isASCIIAlphanumeric || $0 == 0x2d || $0 == 0x2e }) else {
            throw InvalidHandle(.character)
        }
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.allSatisfy({ isDomainLabel($0.utf8) }) else { throw InvalidHandle(.label) }
        guard labels.count >= 2 else { throw InvalidHandle(.singleLabel) }
        guard let first = labels.last?.utf8.first, first.isASCIILetter else {
            throw InvalidHandle(.topLevelDomain)
        }
        description = text.lowercased()
    }

    /// The last label.
    package var topLevelDomain: Substring {
        description.split(separator: ".").last ?? ""
    }

    /// Whether the name must not be looked up (protocol:R3).
    ///
    /// - Parameter onDevNetwork: whether `.test` names are allowed, which exist only on a dev network.
    package func isReserved(onDevNetwork: Bool) -> Bool {
        if topLevelDomain == "test" { return !onDevNetwork }
        return Self.reservedTopLevelDomains.contains(topLevelDomain)
    }

    /// The text to display in place of a handle that does not resolve to its account (protocol:R9).
    package static let invalidPlaceholder = "handle.invalid"

    private static let reservedTopLevelDomains: Set<Substring> = [
        "alt", "arpa", "example", "internal", "invalid", "local", "localhost", "onion",
    ]
}

/// Why a text is not a handle.
package struct InvalidHandle: Error, Sendable, Hashable {
    /// Why the text is not valid.
    package enum Reason: Sendable, Hashable {
        case tooLong
        /// A character other than ASCII letters, digits, hyphens and dots.
        case character
        /// A label is empty, as after a trailing dot, or longer than 63, or has a hyphen at an end.
        case label
        case singleLabel
        /// The last label starts with a digit, as in an IP address.
        case topLevelDomain
    }

    /// Why the text is not valid.
    package let reason: Reason

    /// An error for one reason.
    package init(_ reason: Reason) {
        self.reason = reason
    }
}
