package import ATPNetworking

/// A decentralised identifier with a method that AT Protocol accounts use (atproto.com/specs/did; protocol:R13).
/// It is case-sensitive and kept byte for byte.
public struct DID: Sendable, Hashable, LosslessStringConvertible {
    /// How the identifier is resolved.
    package enum Method: Sendable, Hashable {
        case plc
        /// A host name. Only `localhost` may have a port, for development (protocol:R15).
        case web(host: String, port: Int?)
    }

    /// How the identifier is resolved.
    package let method: Method
    /// The identifier, byte for byte.
    public let description: String

    /// Reads an identifier. Nil for a text that is no DID, and for a method that AT Protocol accounts don't use.
    public init?(_ description: String) {
        try? self.init(validating: description)
    }

    /// Reads an identifier.
    ///
    /// - Throws: ``InvalidDID``, with separate reasons for bad syntax and for an unsupported method.
    package init(validating text: some StringProtocol) throws(InvalidDID) {
        try self.init(checking: String(text))
    }

    private init(checking text: String) throws(InvalidDID) {
        guard text.utf8.count <= 2048 else { throw InvalidDID(.tooLong) }
        let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "did", !parts[1].isEmpty,
            parts[1].utf8.allSatisfy({ (0x61...0x7a).contains($0) }), Self.isIdentifier(parts[2])
        else { throw InvalidDID(.syntax) }
        switch parts[1] {
        case "plc":
            guard Self.isPLCIdentifier(parts[2]) else { throw InvalidDID(.plcIdentifier) }
            method = .plc
        case "web": method = try Self.webMethod(parts[2])
        default: throw InvalidDID(.unsupportedMethod(String(parts[1])))
        }
        description = text
    }

    /// The `did:web` of a host whose name is known to be valid.
    init(webHost host: String) {
        method = .web(host: host, port: nil)
        description = "did:web:\(host)"
    }

    /// The generic grammar of the part after the method. `:` and `%` may not come last.
    private static func isIdentifier(_ text: some StringProtocol) -> Bool {
        guard let last = text.last, last != ":", last != "%" else { return false }
        return text.utf8.allSatisfy { $0.isASCIIAlphanumeric || identifierMarks.contains($0) }
    }

    private static let identifierMarks = Set("._:%-".utf8)

    /// 24 characters of base32 (protocol:R14).
    private static func isPLCIdentifier(_ text: some StringProtocol) -> Bool {
        text.utf8.count == 24
            && text.utf8.allSatisfy { (0x61...0x7a).contains($0) || (0x32...0x37).contains($0) }
    }

    private static func webMethod(_ text: some StringProtocol) throws(InvalidDID) -> Method {
        guard !text.contains(":") else { throw InvalidDID(.webPath) }
        let host = text.prefix { $0 != "%" }
        guard host == "localhost" || (try? Handle(validating: host)) != nil else {
            throw InvalidDID(.webHost)
        }
        let afterHost = text.dropFirst(host.count)
        if afterHost.isEmpty { return .web(host: host.lowercased(), port: nil) }
        let digits = afterHost.dropFirst(3)
        guard afterHost.lowercased().hasPrefix("%3a"), (1...5).contains(digits.count),
            digits.utf8.allSatisfy(\.isASCIIDigit), let port = Int(digits), (1...65535).contains(port)
        else { throw InvalidDID(.webHost) }
        return .web(host: host.lowercased(), port: port)
    }
}

extension Origin {
    /// The `did:web` of the server at this origin, whose port has an escape (w3c-ccg.github.io/did-method-web). It is the name
    /// of most servers, but no DID of AT Protocol if the host is an address or has a port.
    package var webDID: String { "did:web:\(authority.replacing(":", with: "%3A"))" }
}

/// Why a text is not the DID of an account.
package struct InvalidDID: Error, Sendable, Hashable {
    /// Why the text is not valid.
    package enum Reason: Sendable, Hashable {
        case tooLong
        case syntax
        /// A well-formed identifier of a method other than `plc` and `web`.
        case unsupportedMethod(String)
        case plcIdentifier
        case webHost
        /// The identifier has a path. AT Protocol does not allow paths in `did:web`.
        case webPath
    }

    /// Why the text is not valid.
    package let reason: Reason

    /// An error for one reason.
    package init(_ reason: Reason) {
        self.reason = reason
    }
}
