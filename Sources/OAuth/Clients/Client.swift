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

/// Where the private keys of confidential clients are.
package protocol ClientKeyStore: Sendable {
    /// nil where the key is not to be had here; nothing is sent then.
    func key(_ keyID: String, of client: ClientID) -> ClientKey?
}

/// The keys of a program that is a public client everywhere. Servers refuse native clients with a key
/// (protocol:R81), so there is nothing to keep as long as the redirect goes to a loopback address.
package struct NoClientKeys: ClientKeyStore {
    package init() {}

    package func key(_ keyID: String, of client: ClientID) -> ClientKey? { nil }
}
