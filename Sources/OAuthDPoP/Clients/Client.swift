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
        switch authentication {
        case .none: nil
        case .privateKeyJWT(let keyID), .backend(_, let keyID): keyID
        }
    }

    /// The server that has this key; nil if the key is here, or for a public client.
    package var backend: AssertionBackend? {
        if case .backend(let backend, _) = authentication { backend } else { nil }
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
    /// Such an assertion, which a server makes that has the key.
    case backend(AssertionBackend, keyID: String)
}

/// A client ID. It is a URL but kept as opaque text, because servers compare it byte for byte (protocol:R70).
package struct ClientID: Sendable, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ text: String) {
        description = text
    }
}
