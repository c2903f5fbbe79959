import Testing

@testable import SandboxNetwork

/// How cocoon and Cirrus treat confidential clients. The rules are from their sources.
@Suite("Confidential clients at other servers")
struct OtherServerTests {
    @Test("cocoon refuses in sentences, and costs nothing")
    func sentences() async throws {
        try await withConfidentialClient(.cocoon) { client in
            let tokens = try await client.login()
            let unknown = try await client.with { $0.keyID = "key-2" }.refresh(tokens.refresh)
            #expect(unknown.status == 400)
            #expect(unknown.json == ["error": "no key with kid \"key-2\" in client jwks"])
            let unnamed = try await client.with { $0.keyID = nil }.refresh(tokens.refresh)
            #expect(unnamed.error == "\"kid\" required in client_assertion")
            let late = try await client.with { $0.age = 90 }.refresh(tokens.refresh)
            #expect(late.error?.hasPrefix("unable to verify \"client_assertion\" jwt: ") == true)
            var silent = client
            silent.assertion = nil
            let missing = try await silent.refresh(tokens.refresh)
            #expect(missing.error?.hasPrefix("client authentication method \"private_key_jwt\"") == true)
            #expect(try await client.refresh(tokens.refresh).status == 200)
        }
    }

    @Test("cocoon takes another key of the document, and an assertion twice")
    func otherKey() async throws {
        try await withConfidentialClient(.cocoon) { client in
            let tokens = try await client.login()
            let other = client.with {
                ($0.keyID, $0.key, $0.identifier) = ("key-2", TestKey(), .literal("once"))
            }
            try await client.register([("key-2", try #require(other.assertion).key)])
            let next = try ScriptedClient.tokens(in: try await other.refresh(tokens.refresh))
            #expect(try await other.refresh(next.refresh).status == 200)
        }
    }

    @Test("cocoon compares the method, both ways, and keeps the session")
    func method() async throws {
        try await withConfidentialClient(.cocoon) { client in
            let mismatch = "\"client authentication method mismatch"
            let tokens = try await client.login()
            try await client.sandbox.register(HostedClient.publicDocument())
            #expect(try await client.refresh(tokens.refresh).error == mismatch)
            let open = try await client.login()
            try await client.register()
            #expect(try await client.refresh(open.refresh).error == mismatch)
            #expect(try await client.refresh(tokens.refresh).status == 200)
        }
    }

    @Test("cocoon revokes for a client that it could not authenticate")
    func revocation() async throws {
        try await withConfidentialClient(.cocoon) { client in
            let tokens = try await client.login()
            let faulty = client.with { $0.signatureBroken = true }
            let answer = try await faulty.revoke(tokens.refresh, clientID: client.clientID)
            #expect(answer.status == 200 && answer.body.isEmpty)
            #expect(try await client.refresh(tokens.refresh).status == 400)
        }
    }

    @Test("faults of the document have each server's form", arguments: ["cocoon", "cirrus"])
    func document(server: String) async throws {
        let profile = try #require(ServerProfile.all.first { $0.name == server })
        try await withSandbox({ $0.profile = profile }) { sandbox in
            let answer = try await ScriptedClient.confidential(sandbox).push(verifier: TestKey.random())
            #expect(answer.status == 400)
            let text = server == "cocoon" ? answer.error : answer.json["error_description"]?.string
            #expect(
                text?.hasPrefix(server == "cocoon" ? "failed to get client: " : "Failed to resolve") == true)
            #expect(server == "cocoon" || answer.error == "invalid_client")
        }
    }

    @Test("Cirrus wants no assertion at PAR, and one at the token endpoint")
    func push() async throws {
        try await withConfidentialClient(.cirrus) { client in
            var silent = client
            silent.assertion = nil
            let grant = try await silent.grant()
            let tokens = try await client.login()
            for answer in [try await silent.exchange(grant), try await silent.refresh(tokens.refresh)] {
                #expect(answer.status == 401)
                #expect(answer.error == "invalid_client")
            }
            #expect(try await client.refresh(tokens.refresh).status == 200)
        }
    }

    @Test(
        "Cirrus allows half a minute ahead and five and a half behind",
        arguments: [(-31, 401), (-30, 200), (330, 200), (331, 401)])
    func window(age: Int, status: Int) async throws {
        try await withConfidentialClient(.cirrus) { client in
            let tokens = try await client.login()
            _ = try await client.sandbox.post("/_sandbox/clock", json: ["stop": true])
            #expect(try await client.with { $0.age = age }.refresh(tokens.refresh).status == status)
        }
    }

    @Test("Cirrus takes the token endpoint as audience, the official server does not")
    func audience() async throws {
        for (profile, status) in [(ServerProfile.cirrus, 200), (.official, 400), (.cocoon, 400)] {
            try await withConfidentialClient(profile) { client in
                let tokens = try await client.login()
                let endpoint = client.sandbox.origin + "/oauth/token"
                let answer = try await client.with { $0.audience = .literal(endpoint) }.refresh(
                    tokens.refresh)
                #expect(answer.status == status)
            }
        }
    }

    @Test("Cirrus tries the first key for a kid it does not know, and compares no key with the login's")
    func keys() async throws {
        try await withConfidentialClient(.cirrus) { client in
            var tokens = try await client.login()
            for name in ["key-9", nil] {
                let answer = try await client.with { $0.keyID = name }.refresh(tokens.refresh)
                tokens = try ScriptedClient.tokens(in: answer)
            }
            let other = client.with { ($0.keyID, $0.key) = ("key-2", TestKey()) }
            try await client.register([("key-2", try #require(other.assertion).key)])
            tokens = try ScriptedClient.tokens(in: try await other.refresh(tokens.refresh))
            let stranger = client.with { $0.key = TestKey() }
            #expect(try await stranger.refresh(tokens.refresh).status == 401)
        }
    }

    @Test("Cirrus remembers assertions, and does not compare the method")
    func replay() async throws {
        try await withConfidentialClient(.cirrus) { client in
            let fixed = client.with { $0.identifier = .literal("once") }
            let tokens = try await client.login()
            let next = try ScriptedClient.tokens(in: try await fixed.refresh(tokens.refresh))
            #expect(try await fixed.refresh(next.refresh).status == 401)
            try await client.sandbox.register(HostedClient.publicDocument())
            #expect(try await client.refresh(next.refresh).status == 200)
        }
    }
}
