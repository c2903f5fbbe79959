package import JSON

/// The metadata document to host for a native client that logs in by loopback redirect (atproto OAuth: client
/// metadata; RFC 7591 §2).
package struct ClientMetadata: Sendable {
    private let clientID: ClientID
    private let name: String
    private let scope: Scope

    /// - Parameter scope: every permission that the client will request. Servers refuse others (protocol:S5).
    package init(clientID: ClientID, name: String, scope: Scope) {
        self.clientID = clientID
        self.name = name
        self.scope = scope
    }

    /// The document. `token_endpoint_auth_method` is included because its default is `client_secret_basic`
    /// (protocol:R24).
    package var json: JSONValue {
        [
            "client_id": .string(clientID.description),
            "client_name": .string(name),
            "application_type": "native",
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "redirect_uris": [.string(LoopbackClientID.redirectURI(port: nil))],
            "scope": .string(scope.description),
            "token_endpoint_auth_method": "none",
            "dpop_bound_access_tokens": true,
        ]
    }
}
