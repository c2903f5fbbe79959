@testable import SandboxNetwork

/// The document of a client with an https client_id, as a test wants it.
enum HostedClient {
    static let id = "https://app.example.com/oauth-client-metadata.json"
    static let redirectURI = "https://app.example.com/callback.html"

    /// The document of a confidential client with these keys.
    static func document(_ id: String = id, keys: [(id: String, key: TestKey)]) -> JSONValue {
        [
            "client_id": .string(id), "application_type": "web", "redirect_uris": [.string(redirectURI)],
            "scope": "atproto transition:generic", "dpop_bound_access_tokens": true,
            "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
            "token_endpoint_auth_method": "private_key_jwt", "token_endpoint_auth_signing_alg": "ES256",
            "jwks": ["keys": .array(keys.map { jwk($0.id, $0.key) })],
        ]
    }

    /// The document of a public client of the same name.
    static func publicDocument(_ id: String = id) -> JSONValue {
        var document = document(id, keys: [])
        for name in ["jwks", "token_endpoint_auth_signing_alg"] { document.remove(at: "/" + name) }
        document.set("none", at: "/token_endpoint_auth_method")
        return document
    }

    static func jwk(_ id: String, _ key: TestKey) -> JSONValue {
        .object(key.jwk + [JSONMember(name: "kid", value: .string(id))])
    }
}

extension ScriptedClient {
    /// A confidential client that authenticates with this assertion.
    static func confidential(_ sandbox: RunningSandbox, _ assertion: Assertion = Assertion())
        -> ScriptedClient
    {
        var client = ScriptedClient(sandbox: sandbox)
        client.clientID = HostedClient.id
        client.redirectURI = HostedClient.redirectURI
        client.assertion = assertion
        return client
    }

    /// The same client with a changed assertion.
    func with(_ change: (inout Assertion) -> Void) -> ScriptedClient {
        var client = self
        var assertion = assertion ?? Assertion()
        change(&assertion)
        client.assertion = assertion
        return client
    }

    /// Registers the document of this client, with its key and others.
    func register(_ others: [(id: String, key: TestKey)] = []) async throws {
        let own = assertion.map { [(id: $0.keyID ?? "", key: $0.key)] } ?? []
        try await sandbox.register(HostedClient.document(clientID, keys: own + others))
    }
}

extension RunningSandbox {
    func register(_ document: JSONValue) async throws {
        let answer = try await post("/_sandbox/clients", json: document)
        guard answer.status == 200 else { throw Unexpected(answer: answer.text) }
    }
}

/// A sandbox that knows the document of a confidential client.
func withConfidentialClient(
    _ profile: ServerProfile = .official,
    _ body: @escaping @Sendable (ScriptedClient) async throws -> Void
) async throws {
    try await withSandbox({ $0.profile = profile }) { sandbox in
        let client = ScriptedClient.confidential(sandbox)
        try await client.register()
        try await body(client)
    }
}
