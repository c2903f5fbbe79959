import Testing

@testable import SandboxNetwork

@Suite("Accounts, clients, clock and session control")
struct ControlTests {
    @Test("an account made while it runs can log in")
    func accounts() async throws {
        try await withSandbox { sandbox in
            let made = try await sandbox.post(
                "/_sandbox/accounts", json: ["handle": "Erin.test", "password": "pw"])
            #expect(made.status == 200)
            #expect(made.json["handle"] == "erin.test")
            let did = try #require(made.json["did"]?.string)
            #expect(did.hasPrefix("did:plc:") && did.count == 32)
            let client = ScriptedClient(sandbox: sandbox)
            let answer = try await client.exchange(try await client.grant(["login_hint": "erin.test"]))
            #expect(answer.json["sub"] == .string(did))
            #expect(try await sandbox.post("/_sandbox/accounts", json: ["handle": "erin.test"]).status == 400)
            #expect(try await sandbox.post("/_sandbox/accounts", json: ["handle": "nodots"]).status == 400)
        }
    }

    @Test("a did:web of the sandbox's own host has its document there")
    func webIdentifier() async throws {
        try await withSandbox { sandbox in
            #expect(try await sandbox.get("/.well-known/did.json").status == 404)
            let did = "did:web:" + sandbox.origin.replacing("http://", with: "").replacing(":", with: "%3A")
            let made = try await sandbox.post(
                "/_sandbox/accounts", json: ["handle": "w.test", "did": .string(did)])
            #expect(made.json["did"] == .string(did))
            let document = try await sandbox.get("/.well-known/did.json")
            #expect(document.json["id"] == .string(did))
            #expect(document.json["service"]?.array?.first?["serviceEndpoint"] == .string(sandbox.origin))
        }
    }

    @Test("the same handle has the same DID in every sandbox")
    func identifiers() async throws {
        let first = try await withSandbox { try await $0.get("/_sandbox/accounts").text }
        let second = try await withSandbox { try await $0.get("/_sandbox/accounts").text }
        #expect(first == second)
    }

    @Test("the clock moves tokens, nonces and the Date header, and goes back")
    func clock() async throws {
        try await withSandbox { sandbox in
            let client = ScriptedClient(sandbox: sandbox)
            let tokens = try await client.login()
            try await sandbox.advanceClock("13d")
            let next = try await client.refresh(tokens.refresh)
            #expect(next.status == 200)
            try await sandbox.advanceClock("23h")
            try await sandbox.advanceClock("30m")
            let last = try await client.refresh(try ScriptedClient.tokens(in: next).refresh)
            let left = try #require(last.json["expires_in"]?.integer)
            #expect((1...1800).contains(left))
            try await sandbox.advanceClock("31m")
            let over = try await client.refresh(try ScriptedClient.tokens(in: last).refresh)
            #expect(over.json["error_description"] == "Session expired")
            let future = try await sandbox.get("/oauth/jwks").header("date")
            _ = try await sandbox.post("/_sandbox/clock", json: ["reset": true])
            #expect(try await sandbox.get("/oauth/jwks").header("date") != future)
            #expect(try await sandbox.post("/_sandbox/clock", json: ["advance": "soon"]).status == 400)
        }
    }

    @Test("a client with an https client_id logs in once its metadata is known", .covers("R81", "L11"))
    func clients() async throws {
        try await withSandbox { sandbox in
            var client = ScriptedClient(sandbox: sandbox)
            client.clientID = "https://app.example/oauth-client-metadata.json"
            let unknown = try await client.push(verifier: TestKey.random())
            #expect(unknown.error == "invalid_client_metadata")
            let document: JSONValue = [
                "client_id": .string(client.clientID), "redirect_uris": ["http://127.0.0.1/callback"],
                "application_type": "native", "grant_types": ["authorization_code", "refresh_token"],
                "scope": "atproto transition:generic", "dpop_bound_access_tokens": true,
                "token_endpoint_auth_method": "none",
            ]
            #expect(try await sandbox.post("/_sandbox/clients", json: document).status == 200)
            #expect(try await client.exchange(try await client.grant()).status == 200)
        }
    }

    @Test("ending an account's sessions kills its tokens", .covers("R73"))
    func takedown() async throws {
        try await withSandbox { sandbox in
            let client = ScriptedClient(sandbox: sandbox)
            let answer = try await client.exchange(try await client.grant())
            let tokens = try ScriptedClient.tokens(in: answer)
            let did = try #require(answer.json["sub"]?.string)
            let ended = try await sandbox.post("/_sandbox/sessions/end", json: ["did": .string(did)])
            #expect(ended.json["ended"] == 1)
            #expect(try await client.resource(tokens.access).error == "invalid_token")
            #expect(try await client.refresh(tokens.refresh).error == "invalid_grant")
        }
    }
}
