/// A client metadata document, and the rules of the reference server for it (RFC 7591 §2; OP client-manager.ts).
struct ClientDocument {
    let json: JSONValue
    /// The client_id, which is the URL of the document.
    let clientID: String

    /// The client that the document describes. Throws when the document breaks a rule.
    func client(_ rules: ClientRules) throws(OAuthFailure) -> OAuthClient {
        try checkName()
        let grants = try grants()
        let redirects = try redirectURIs()
        let scopes = try scopes()
        return OAuthClient(
            clientID: clientID,
            name: json["client_name"]?.string ?? clientID,
            redirectURIs: redirects,
            scopes: scopes,
            grants: grants,
            method: try method(),
            port: rules.port
        )
    }

    var isNative: Bool { json["application_type"]?.string == "native" }

    static func invalid(_ description: String) -> OAuthFailure {
        OAuthFailure(
            "invalid_client_metadata", description, reason: .clientDocument, subject: description)
    }

    private func checkName() throws(OAuthFailure) {
        guard let name = json["client_id"]?.string else {
            throw Self.invalid("client_id is required for discoverable clients")
        }
        guard name.utf8.elementsEqual(clientID.utf8) else { throw Self.invalid("client_id does not match") }
        guard ["web", "native", nil].contains(json["application_type"]?.string) else {
            throw Self.invalid("Validation of \"application_type\" failed")
        }
        guard json["dpop_bound_access_tokens"]?.bool == true else {
            throw Self.invalid("\"dpop_bound_access_tokens\" must be true")
        }
    }

    /// The grant types, which must fit the response types. The defaults are those of RFC 7591 §2.
    private func grants() throws(OAuthFailure) -> [String] {
        let grants = try texts("grant_types", default: ["authorization_code"])
        for grant in grants where !["authorization_code", "refresh_token"].contains(grant) {
            throw Self.invalid("Grant type \"\(grant)\" is not supported")
        }
        for type in try texts("response_types", default: ["code"]) where type != "code" {
            throw Self.invalid("Unsupported response type \"\(type)\"")
        }
        guard grants.contains("authorization_code") else {
            throw Self.invalid("Response type \"code\" requires the \"authorization_code\" grant type")
        }
        return grants
    }

    private func scopes() throws(OAuthFailure) -> [String] {
        guard let text = json["scope"]?.string else { throw Self.invalid("Missing scope property") }
        let scopes = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard scopes.contains("atproto") else { throw Self.invalid("Missing \"atproto\" scope") }
        guard Set(scopes).count == scopes.count else { throw Self.invalid("Duplicate scope") }
        return scopes
    }

    private func method() throws(OAuthFailure) -> OAuthClient.Method {
        let algorithm = json["token_endpoint_auth_signing_alg"]?.string
        switch json["token_endpoint_auth_method"]?.string {
        case "none":
            guard algorithm == nil else {
                throw Self.invalid(
                    "token_endpoint_auth_method \"none\" must not have token_endpoint_auth_signing_alg")
            }
            return .none
        case "private_key_jwt":
            guard !isNative else {
                throw Self.invalid("Native clients must authenticate using \"none\" method")
            }
            let keys = try keys()
            guard algorithm == "ES256" else {
                throw Self.invalid("Missing token_endpoint_auth_signing_alg client metadata")
            }
            return .assertion(keys)
        case let other:
            throw Self.invalid(
                "\(other ?? "undefined") is not a supported \"token_endpoint_auth_method\". "
                    + "Use \"private_key_jwt\" or \"none\".")
        }
    }

    /// The usable keys. The others are dropped silently (RFC 7517 §5).
    private func keys() throws(OAuthFailure) -> [ClientKey] {
        guard json["jwks_uri"] == nil else {
            throw Self.invalid("the sandbox reads no jwks_uri; write the keys into jwks")
        }
        guard let listed = json["jwks"]?["keys"]?.array else {
            throw Self.invalid("private_key_jwt auth method requires jwks or jwks_uri")
        }
        let keys = listed.compactMap { ClientKey($0) }
        guard !keys.isEmpty else {
            throw Self.invalid("private_key_jwt auth method requires at least one key in jwks")
        }
        return keys
    }

    /// The strings of an array that may be absent, but not empty.
    func texts(_ name: String, default absent: [String]) throws(OAuthFailure) -> [String] {
        guard let value = json[name] else { return absent }
        let texts = value.array?.compactMap(\.string) ?? []
        guard !texts.isEmpty, texts.count == value.array?.count, Set(texts).count == texts.count else {
            throw Self.invalid("Validation of \"\(name)\" failed")
        }
        return texts
    }
}
