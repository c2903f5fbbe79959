internal import ATPNetworking

/// The client that an authorization server binds a session to.
package struct Client: Sendable, Hashable {
    package let id: ClientID
    package let authentication: ClientAuthentication

    package init(_ id: ClientID, authentication: ClientAuthentication = .none) {
        self.id = id
        self.authentication = authentication
    }

    /// Whether the client has a key. Servers let its sessions live longer.
    package var isConfidential: Bool { authentication != .none }

    /// The `kid` of the key that it authenticates with; nil for a public client.
    package var keyID: String? {
        if case .privateKeyJWT(let keyID) = authentication { keyID } else { nil }
    }
}

/// How a client authenticates (RFC 6749 §2.3, `token_endpoint_auth_method` of RFC 7591 §2).
///
/// This belongs to the session, not to the program. A server binds a session to the client key of its login, and
/// ends the session if a later request lacks that key (protocol:R80).
package enum ClientAuthentication: Sendable, Hashable {
    /// A public client, which anyone can claim to be.
    case none
    /// An assertion that a key of the client's metadata document signs (RFC 7523 §2.2).
    case privateKeyJWT(keyID: String)
}

/// A client ID. It is a URL but kept as opaque text, because servers compare it byte for byte (protocol:R70).
package struct ClientID: Sendable, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ text: String) {
        description = text
    }
}

/// The ID of a client without registration. The ID itself holds the client's metadata (atproto OAuth: localhost
/// client development, protocol:L1-L7).
package enum LoopbackClientID {
    package static let redirectPath = "/callback"

    /// The redirect URI of the browser.
    ///
    /// - Parameter port: nil for the form that servers match with every port (protocol:L6).
    package static func redirectURI(port: Int?) -> String {
        "http://127.0.0.1\(port.map { ":\($0)" } ?? "")\(redirectPath)"
    }

    /// The client that may request `scope` and redirect to `redirectURI`.
    package static func make(scope: Scope, redirectURI: String) -> ClientID {
        let parameters: FormParameters = ["redirect_uri": redirectURI, "scope": scope.description]
        return ClientID("\(prefix)?\(parameters.encoded)")
    }

    /// The scope in the ID of a loopback client, or `atproto` if the ID has none (protocol:L2). Nil for every other
    /// client.
    package static func scope(of client: ClientID) -> Scope? {
        let parts = client.description.split(separator: "?", maxSplits: 1)
        guard let host = parts.first, host == prefix || host == prefix + "/" else { return nil }
        let parameters = parts.count == 2 ? FormParameters(parsing: String(parts[1])) : nil
        return Scope(parameters?.single("scope") ?? Scope.atproto)
    }

    private static let prefix = "http://localhost"
}

/// The ID of a client whose metadata document is hosted at that URL (atproto OAuth: client ID metadata document,
/// protocol:L12).
package enum HostedClientID {
    /// Checks what servers require: https, a host name, and a path that names a document.
    package static func make(_ text: String) throws(InvalidHostedClientID) -> ClientID {
        guard let url = try? HTTPURL(validating: text), url.origin.scheme == .https else { throw .notHTTPS }
        let labels = url.origin.host.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count > 1, labels.last?.contains(where: \.isLetter) == true else { throw .host }
        let segments = url.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard !segments.contains(where: { ["", ".", ".."].contains($0) }) else { throw .path }
        guard url.description == text else { throw .notCanonical }
        return ClientID(text)
    }
}

/// Why a text is not the ID of a hosted client.
package enum InvalidHostedClientID: Error, Sendable, Hashable {
    case notHTTPS
    /// The host is an address or a name without a dot.
    case host
    /// The path names no document: it is the root or ends in a slash.
    case path
    /// The text has a default port, an upper-case host or the like. Servers compare the text as it is.
    case notCanonical
}
