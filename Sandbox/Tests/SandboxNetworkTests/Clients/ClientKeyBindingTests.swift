import Testing

@testable import SandboxNetwork

@Suite("The client key of a session")
struct ClientKeyBindingTests {
    @Test("another key of the same client ends the session at the refresh", .covers("R80"))
    func otherKey() async throws {
        try await withConfidentialClient { client in
            let tokens = try await client.login()
            let other = client.with { ($0.keyID, $0.key) = ("key-2", TestKey()) }
            try await client.register([("key-2", try #require(other.assertion).key)])
            let answer = try await other.refresh(tokens.refresh)
            #expect(answer.error == "invalid_grant")
            #expect(
                answer.json["error_description"]?.string?
                    .hasPrefix("The session was initiated with a different key") == true)
            let line = try #require(try await client.sandbox.journal().last)
            #expect(line["session_ended"] == true && line["consumed"] == true)
            #expect(try await client.refresh(tokens.refresh).error == "invalid_grant")
        }
    }

    @Test("the same key under another kid ends it too", .covers("R80"))
    func otherName() async throws {
        try await withConfidentialClient { client in
            let tokens = try await client.login()
            let renamed = client.with { $0.keyID = "key-2" }
            try await renamed.register()
            #expect(try await renamed.refresh(tokens.refresh).error == "invalid_grant")
            try await client.register()
            #expect(try await client.refresh(tokens.refresh).error == "invalid_grant")
        }
    }

    @Test("a key that is not published does not refresh, and does so again afterwards", .covers("R80"))
    func unpublished() async throws {
        try await withConfidentialClient { client in
            let tokens = try await client.login()
            try await client.sandbox.register(HostedClient.document(keys: [("key-2", TestKey())]))
            #expect(try await client.refresh(tokens.refresh).error == "invalid_client")
            try await client.register()
            #expect(try await client.refresh(tokens.refresh).status == 200)
        }
    }

    @Test("the key of the exchange is the one of the pushed request", .covers("R80"))
    func exchange() async throws {
        try await withConfidentialClient { client in
            let grant = try await client.grant()
            let other = client.with { ($0.keyID, $0.key) = ("key-2", TestKey()) }
            try await client.register([("key-2", try #require(other.assertion).key)])
            #expect(try await other.exchange(grant).error == "invalid_grant")
            #expect(try await client.exchange(grant).error == "invalid_grant")
        }
    }

    @Test("a client that became public loses its sessions at the refresh", .covers("R80"))
    func becamePublic() async throws {
        try await withConfidentialClient { client in
            let tokens = try await client.login()
            try await client.sandbox.register(HostedClient.publicDocument())
            let answer = try await client.refresh(tokens.refresh)
            #expect(
                answer.json["error_description"]
                    == "Client authentication method mismatch (expected private_key_jwt)")
            try await client.register()
            #expect(try await client.refresh(tokens.refresh).error == "invalid_grant")
        }
    }

    @Test("a client with another name ends the session", .covers("R70"))
    func renamed() async throws {
        try await withConfidentialClient { client in
            let tokens = try await client.login()
            var renamed = client
            renamed.clientID = "https://app.example.com/other.json"
            try await renamed.register()
            #expect(try await renamed.refresh(tokens.refresh).error == "invalid_grant")
            #expect(try await client.refresh(tokens.refresh).error == "invalid_grant")
        }
    }

    @Test("a public client that became confidential keeps its session")
    func becameConfidential() async throws {
        try await withConfidentialClient { client in
            try await client.sandbox.register(HostedClient.publicDocument())
            let tokens = try await client.login()
            try await client.register()
            let next = try ScriptedClient.tokens(in: try await client.refresh(tokens.refresh))
            try await client.sandbox.advanceClock("15d")
            #expect(try await client.refresh(next.refresh).status == 200)
        }
    }

    @Test("a revocation with another key ends nothing, and says the same", .covers("R75"))
    func revocation() async throws {
        try await withConfidentialClient { client in
            let tokens = try await client.login()
            let other = client.with { ($0.keyID, $0.key) = ("key-2", TestKey()) }
            try await client.register([("key-2", try #require(other.assertion).key)])
            let answer = try await other.revoke(tokens.refresh, clientID: client.clientID)
            #expect(answer.status == 200 && answer.text == "{}")
            #expect(try await client.refresh(tokens.refresh).status == 200)
        }
    }
}
