import Testing

@testable import SandboxNetwork

@Suite("The rules of client metadata documents")
struct ClientDocumentTests {
    /// A change that makes a document invalid.
    struct Fault: Sendable, CustomTestStringConvertible {
        let pointer: String
        let value: JSONValue?
        var testDescription: String { "\(pointer) = \(value?.text ?? "nothing")" }

        init(_ pointer: String, _ value: JSONValue?) {
            self.pointer = pointer
            self.value = value
        }
    }

    @Test(
        "a document that breaks one is refused", .covers("R81", "L12"),
        arguments: [
            Fault("/client_id", nil), Fault("/client_id", "http://app.example.com/c.json"),
            Fault("/application_type", "native"), Fault("/application_type", "desktop"),
            Fault("/dpop_bound_access_tokens", false), Fault("/dpop_bound_access_tokens", nil),
            Fault("/grant_types", ["refresh_token"]),
            Fault("/grant_types", ["authorization_code", "implicit"]),
            Fault("/grant_types", []), Fault("/response_types", ["code id_token"]),
            Fault("/scope", nil), Fault("/scope", "transition:generic"), Fault("/scope", "atproto atproto"),
            Fault("/token_endpoint_auth_method", nil), Fault("/token_endpoint_auth_method", "none"),
            Fault("/token_endpoint_auth_method", "client_secret_basic"),
            Fault("/token_endpoint_auth_signing_alg", nil),
            Fault("/token_endpoint_auth_signing_alg", "RS256"),
            Fault("/jwks", nil), Fault("/jwks/keys", []), Fault("/jwks_uri", "https://app.example.com/jwks"),
            Fault("/jwks/keys/0/kid", nil), Fault("/jwks/keys/0/d", "AAAA"), Fault("/jwks/keys/0/kty", "oct"),
            Fault("/jwks/keys/0/key_ops", ["sign"]), Fault("/jwks/keys/0/key_ops", []),
            Fault("/jwks/keys/0/use", "enc"), Fault("/jwks/keys/0/x", "AAAA"),
            Fault("/redirect_uris", nil), Fault("/redirect_uris", []), Fault("/redirect_uris", [1]),
            Fault("/redirect_uris/0", "http://127.0.0.1/callback"),
            Fault("/redirect_uris/0", "http://[::1]/"),
            Fault("/redirect_uris/0", "http://localhost/"),
            Fault("/redirect_uris/0", "http://app.example.com/"),
            Fault("/redirect_uris/0", "https://user:password@app.example.com/"),
            Fault("/redirect_uris/0", "com.example.app:/callback"),
            Fault("/redirect_uris/0", "app:/callback"),
        ])
    func faults(fault: Fault) throws {
        var document = HostedClient.document(keys: [("key-1", TestKey())])
        _ = try Self.client(document)
        if let value = fault.value {
            document.set(value, at: fault.pointer)
        } else {
            document.remove(at: fault.pointer)
        }
        #expect(throws: OAuthFailure.self) { try Self.client(document) }
    }

    @Test("a web client may have any https redirect", .covers("L13"))
    func redirects() throws {
        var document = HostedClient.document(keys: [("key-1", TestKey())])
        document.set(
            ["https://elsewhere.example/callback", "https://app.example.com/"], at: "/redirect_uris")
        #expect(try Self.client(document).redirectURIs.count == 2)
    }

    @Test("a native one may have loopback addresses and the scheme of its host", .covers("L11"))
    func native() throws {
        var document = HostedClient.publicDocument()
        document.set("native", at: "/application_type")
        document.set(["http://127.0.0.1/callback", "com.example.app:/callback"], at: "/redirect_uris")
        #expect(try !Self.client(document).isConfidential)
        document.set(["com.example.other:/callback"], at: "/redirect_uris")
        #expect(throws: OAuthFailure.self) { try Self.client(document) }
    }

    @Test("a key that can't be used is left out, and the others count")
    func keys() throws {
        let key = TestKey()
        var document = HostedClient.document(keys: [("key-1", key), ("key-2", key)])
        document.set("P-521", at: "/jwks/keys/0/crv")
        document.set(["verify"], at: "/jwks/keys/1/key_ops")
        guard case .assertion(let keys) = try Self.client(document).method else {
            Issue.record("not confidential")
            return
        }
        #expect(keys.map(\.id) == ["key-2"])
    }

    @Test("the control endpoint says which rule is broken")
    func registration() async throws {
        try await withSandbox { sandbox in
            var document = HostedClient.document(keys: [("key-1", TestKey())])
            document.set("native", at: "/application_type")
            let answer = try await sandbox.post("/_sandbox/clients", json: document)
            #expect(answer.status == 400)
            #expect(answer.json["message"]?.string?.contains("Native clients") == true)
        }
    }

    private static func client(_ json: JSONValue) throws -> OAuthClient {
        try ClientDocument(json: json, clientID: HostedClient.id).client(ClientRules())
    }
}
