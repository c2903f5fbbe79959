package import ATPJSON
package import OAuthDPoP

/// The metadata document of a hosted client (atproto OAuth: client metadata; RFC 7591 §2).
package struct ClientMetadata: Sendable {
    /// How the client logs in.
    package enum Kind: Sendable {
        /// A public client: anyone can claim to be it. The browser redirects to this machine.
        case native
        /// A confidential client. The browser redirects to a page of the user's, which hands the answer on.
        /// `keys` are JWKs, each with its `kid`.
        case web(redirectURI: String, keys: [JSONValue])
    }

    private let clientID: ClientID
    private let name: String
    private let scope: Scope
    private let kind: Kind

    /// - Parameter scope: every permission that the client will request. Servers refuse others (protocol:S5).
    package init(clientID: ClientID, name: String, scope: Scope, kind: Kind) {
        self.clientID = clientID
        self.name = name
        self.scope = scope
        self.kind = kind
    }

    /// The document. `token_endpoint_auth_method` is included because its default is `client_secret_basic`
    /// (protocol:R24).
    package var json: JSONValue {
        var json: JSONObject = [
            "client_id": .string(clientID.description),
            "client_name": .string(name),
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "scope": .string(scope.description),
            "dpop_bound_access_tokens": true,
        ]
        switch kind {
        case .native:
            json["application_type"] = "native"
            json["redirect_uris"] = [.string(LoopbackClientID.redirectURI(port: nil))]
            json["token_endpoint_auth_method"] = "none"
        case .web(let redirectURI, let keys):
            json["application_type"] = "web"
            json["redirect_uris"] = [.string(redirectURI)]
            json["token_endpoint_auth_method"] = "private_key_jwt"
            json["token_endpoint_auth_signing_alg"] = "ES256"
            // In the document and not behind `jwks_uri`, so that no two caches differ.
            json["jwks"] = ["keys": .array(keys)]
        }
        return .object(json)
    }
}
