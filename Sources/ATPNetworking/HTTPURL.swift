#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An absolute `http` or `https` URL whose path and query are kept byte for byte.
///
/// User information, fragments and characters outside ASCII are refused (RFC 3986 §3). Only the case of scheme
/// and host is normalized. Nothing is percent-decoded, because a DPoP proof is bound to these bytes (RFC 9449 §4.3).
public struct HTTPURL: Sendable, Hashable, CustomStringConvertible {
    /// The scheme, host and port.
    public let origin: Origin
    /// The path, at least `/`.
    public package(set) var path: String
    /// The text after `?`. Nil without a `?`.
    public package(set) var query: String?

    /// A URL from its parts, which are taken as they are.
    package init(origin: Origin, path: String = "/", query: String? = nil) {
        self.origin = origin
        self.path = path.isEmpty ? "/" : path
        self.query = query
    }

    /// Reads an absolute URL.
    ///
    /// - Throws: ``InvalidURL`` with the reason.
    public init(validating text: String) throws(InvalidURL) {
        guard text.utf8.count <= 8192 else { throw InvalidURL(.tooLong) }
        guard text.utf8.allSatisfy(Self.isAllowed) else { throw InvalidURL(.character) }
        let scheme: Origin.Scheme
        let rest: Substring.UTF8View
        if let found = text.utf8.dropping("https://") {
            (scheme, rest) = (.https, found)
        } else if let found = text.utf8.dropping("http://") {
            (scheme, rest) = (.http, found)
        } else {
            throw InvalidURL(.scheme)
        }
        guard !rest.contains(UInt8(ascii: "#")) else { throw InvalidURL(.fragment) }
        let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        guard !authority.contains(UInt8(ascii: "@")) else { throw InvalidURL(.userInformation) }
        let target = rest[authority.endIndex...]
        let path = target.prefix { $0 != UInt8(ascii: "?") }
        self.origin = try Origin(scheme: scheme, authority: authority)
        self.path = path.isEmpty ? "/" : String(Substring(path))
        self.query =
            path.endIndex == target.endIndex ? nil : String(Substring(target[path.endIndex...].dropFirst()))
    }

    /// The URL as text, with the scheme and host in lower case and no default port.
    public var description: String {
        query.map { "\(withoutQuery)?\($0)" } ?? withoutQuery
    }

    /// Scheme, host, port and path: the `htu` of a DPoP proof (RFC 9449 §4.2).
    public var withoutQuery: String { "\(origin)\(path)" }

    /// The same origin with another path and no query.
    package func replacing(path: String, query: String? = nil) -> HTTPURL {
        HTTPURL(origin: origin, path: path, query: query)
    }

    /// Printable ASCII without `"<>\^`{|}`.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x22, 0x3c, 0x3e, 0x5c, 0x5e, 0x60, 0x7b...0x7d: false
        default: byte > 0x20 && byte < 0x7f
        }
    }
}

extension String.UTF8View {
    /// The text after a prefix. The prefix is given in lower case and matches any case. Nil if the text has another
    /// beginning.
    fileprivate func dropping(_ beginning: StaticString) -> Substring.UTF8View? {
        let expected = beginning.description.utf8
        let found = prefix(expected.count)
        let isLetter = { (byte: UInt8) in (0x41...0x5a).contains(byte) }
        guard found.map({ isLetter($0) ? $0 | 0x20 : $0 }).elementsEqual(expected) else { return nil }
        return self[found.endIndex...]
    }
}

/// Why a text is not a URL that this library accepts.
public struct InvalidURL: Error, Sendable, Hashable, CustomStringConvertible {
    /// Why a text is refused as a URL. More reasons may come, so a `switch` over them needs a default.
    public struct Reason: Sendable, Hashable, CustomStringConvertible {
        /// The reason in plain English, such as `has a fragment`.
        public let description: String

        /// The text does not begin with `http://` or `https://`.
        public static let scheme = Reason(description: "does not begin with http:// or https://")
        /// The text has a character that RFC 3986 §2 does not allow.
        public static let character = Reason(description: "has a character that URLs must not have")
        /// The text has a fragment, which no server sees (RFC 3986 §3.5).
        public static let fragment = Reason(description: "has a fragment")
        /// The text has a user name or a password (RFC 3986 §3.2.1).
        public static let userInformation = Reason(description: "has a user name")
        /// The host is no name and no address.
        public static let host = Reason(description: "has no valid host")
        /// The port is no number from 1 to 65535.
        public static let port = Reason(description: "has no valid port")
        /// The text is longer than 8192 bytes.
        public static let tooLong = Reason(description: "is too long")
    }

    /// What is wrong with the text.
    public let reason: Reason

    package init(_ reason: Reason) {
        self.reason = reason
    }

    /// The reason as a sentence. It does not quote the text.
    public var description: String { "the URL \(reason)" }
}

extension InvalidURL: LocalizedError {
    /// The description, for `localizedDescription`.
    public var errorDescription: String? { description }
}
