/// A client, as the authorization server reads it from its client_id or its document.
struct OAuthClient: Sendable {
    /// How the client proves who it is at the back-channel endpoints.
    enum Method: Sendable {
        case none
        /// `private_key_jwt` (RFC 7523 §2.2), with the keys of the client's document.
        case assertion([ClientKey])
    }

    let clientID: String
    let name: String
    let redirectURIs: [String]
    let scopes: [String]
    let grants: [String]
    let method: Method
    private let port: ClientRules.Port

    init(
        clientID: String,
        name: String,
        redirectURIs: [String],
        scopes: [String],
        grants: [String] = ["authorization_code", "refresh_token"],
        method: Method = .none,
        port: ClientRules.Port
    ) {
        self.clientID = clientID
        self.name = name
        self.redirectURIs = redirectURIs
        self.scopes = scopes
        self.grants = grants
        self.method = method
        self.port = port
    }

    /// Whether the client has to authenticate (RFC 6749 §2.1).
    var isConfidential: Bool {
        if case .assertion = method { true } else { false }
    }

    /// The redirect URI to use: the requested one if it is declared, or the only declared one.
    func redirectURI(requested: String?) throws(OAuthFailure) -> String {
        guard let requested else {
            guard redirectURIs.count == 1 else {
                throw OAuthFailure("invalid_request", "redirect_uri is required")
            }
            return redirectURIs[0]
        }
        guard redirectURIs.contains(where: { matches(requested, declared: $0) }) else {
            throw OAuthFailure(
                "invalid_request", "Invalid redirect_uri \(requested)", reason: .redirectUnknown)
        }
        return requested
    }

    /// Compares exactly. A loopback URI declared without a port matches any port (`protocol:L6`, cases 101-107).
    private func matches(_ requested: String, declared: String) -> Bool {
        if requested == declared { return true }
        guard port != .exact, let ours = LoopbackRedirect(declared), ours.port == nil || port == .free,
            let theirs = LoopbackRedirect(requested)
        else { return false }
        return ours.host == theirs.host && ours.path == theirs.path && ours.query == theirs.query
    }
}
