/// An absolute `http` or `https` URL whose path and query are kept byte for byte.
///
/// Only what the protocol needs is accepted: no user information, no fragment, ASCII throughout (RFC 3986
/// §3). Nothing is percent-decoded or normalised beyond the case of scheme and host, because a DPoP proof is
/// bound to these very bytes (RFC 9449 §4.3).
package struct HTTPURL: Sendable, Hashable, CustomStringConvertible {
    /// The scheme, host and port.
    package let origin: Origin
    /// The path, at least `/`.
    package var path: String
    /// What follows `?`, without it; nil where there is no `?`.
    package var query: String?

    package init(origin: Origin, path: String = "/", query: String? = nil) {
        self.origin = origin
        self.path = path.isEmpty ? "/" : path
        self.query = query
    }

    /// Reads an absolute URL.
    ///
    /// - Throws: ``InvalidURL`` naming what is wrong with it.
    package init(validating text: String) throws(InvalidURL) {
        let bytes = Array(text.utf8)
        guard bytes.count <= 8192 else { throw InvalidURL(.tooLong) }
        guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7f && !Self.refused.contains($0) }) else {
            throw InvalidURL(.character)
        }
        let rest: Substring
        let scheme: Origin.Scheme
        if text.lowercased().hasPrefix("https://") {
            scheme = .https
            rest = text.dropFirst(8)
        } else if text.lowercased().hasPrefix("http://") {
            scheme = .http
            rest = text.dropFirst(7)
        } else {
            throw InvalidURL(.scheme)
        }
        guard !rest.contains("#") else { throw InvalidURL(.fragment) }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else { throw InvalidURL(.userInformation) }
        let target = rest.dropFirst(authority.count)
        let path = target.prefix { $0 != "?" }
        self.origin = try Origin(scheme: scheme, authority: authority)
        self.path = path.isEmpty ? "/" : String(path)
        self.query = path.count == target.count ? nil : String(target.dropFirst(path.count + 1))
    }

    /// The URL as text, with the scheme and host in lower case and no default port.
    package var description: String {
        query.map { "\(withoutQuery)?\($0)" } ?? withoutQuery
    }

    /// Scheme, host, port and path: the `htu` of a DPoP proof (RFC 9449 §4.2).
    package var withoutQuery: String { "\(origin)\(path)" }

    /// The same origin with another path and no query.
    package func replacing(path: String, query: String? = nil) -> HTTPURL {
        HTTPURL(origin: origin, path: path, query: query)
    }

    private static let refused = Set(#""<>\^`{|}"#.utf8)
}

/// Why a text is not a URL that this program uses.
package struct InvalidURL: Error, Hashable {
    package enum Reason: Sendable, Hashable {
        case scheme, character, fragment, userInformation, host, port, tooLong
    }

    package let reason: Reason

    package init(_ reason: Reason) {
        self.reason = reason
    }
}
