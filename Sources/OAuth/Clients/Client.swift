internal import Networking

/// The client as an authorization server knows it, and knows its sessions by.
package struct Client: Sendable, Hashable {
    package let id: ClientID
    package let authentication: ClientAuthentication

    package init(_ id: ClientID, authentication: ClientAuthentication = .none) {
        self.id = id
        self.authentication = authentication
    }
}

/// How a client proves that it is the one (RFC 6749 §2.3, `token_endpoint_auth_method` of RFC 7591 §2).
///
/// It belongs to the session, not to the program: a server binds a session to the key that asked for it, and
/// ends it where a later request comes without (protocol:R80).
package enum ClientAuthentication: Sendable, Hashable {
    /// A public client: anybody may use its name.
    case none
    /// An assertion signed by a key of the client's metadata document (RFC 7523 §2.2).
    case privateKeyJWT(keyID: String)
}

/// The name of a client: a URL, but opaque here, because servers compare it byte for byte (protocol:R70).
package struct ClientID: Sendable, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ text: String) {
        description = text
    }
}

/// The client that needs no registration: its name says all that there is to say about it (atproto OAuth:
/// localhost client development, protocol:L1-L7).
package enum LoopbackClientID {
    package static let redirectPath = "/callback"

    /// Where the browser comes back to.
    ///
    /// - Parameter port: nil for the form that servers match with any port (protocol:L6).
    package static func redirectURI(port: Int?) -> String {
        "http://127.0.0.1\(port.map { ":\($0)" } ?? "")\(redirectPath)"
    }

    /// The client that may ask for `scope` and come back to `redirectURI`.
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

/// A client whose metadata document is hosted under its own name (atproto OAuth: client ID metadata document,
/// protocol:L12).
package enum HostedClientID {
    /// Checks what servers demand of such a name: https, a host name, a path that names a document.
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

/// Why a text can't name a hosted client.
package enum InvalidHostedClientID: Error, Sendable, Hashable {
    case notHTTPS
    /// An address, or a name without a dot.
    case host
    /// No document: the root, or a path that ends in a slash.
    case path
    /// A default port, an upper-case host or the like, which servers compare as other text.
    case notCanonical
}
