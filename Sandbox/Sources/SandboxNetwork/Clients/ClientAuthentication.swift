/// How a client authenticated. The reference server binds a session to it (`protocol:R80`).
enum ClientAuthentication: Sendable, Equatable {
    case none
    case key(id: String, algorithm: String, thumbprint: String)

    /// The name of the method (RFC 7591 §2).
    var method: String {
        if case .none = self { "none" } else { "private_key_jwt" }
    }
}

/// The client of a back-channel request, as its assertion and its DPoP proof show it.
struct ProvenClient: Sendable {
    let clientID: String?
    let authentication: ClientAuthentication
    /// Thumbprint of the DPoP key.
    let jkt: String?
}
