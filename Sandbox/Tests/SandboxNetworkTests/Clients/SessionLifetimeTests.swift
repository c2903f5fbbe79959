import Testing

@testable import SandboxNetwork

@Suite("The end of a session by the type of its client")
struct SessionLifetimeTests {
    @Test("a confidential client's lives for two years if it is refreshed", .covers("R72"))
    func session() async throws {
        try await withConfidentialClient { client in
            var tokens = try await client.login()
            for _ in 0..<12 {
                try await client.sandbox.advanceClock("60d")
                tokens = try ScriptedClient.tokens(in: try await client.refresh(tokens.refresh))
            }
            try await client.sandbox.advanceClock("10d")
            tokens = try ScriptedClient.tokens(in: try await client.refresh(tokens.refresh))
            try await client.sandbox.advanceClock("12h")
            let over = try await client.refresh(tokens.refresh)
            #expect(over.json["error_description"] == "Session expired")
            #expect(try await client.refresh(tokens.refresh).error == "invalid_grant")
        }
    }

    @Test("and for three months without use")
    func idle() async throws {
        try await withConfidentialClient { client in
            let tokens = try await client.login()
            try await client.sandbox.advanceClock("91d")
            let next = try ScriptedClient.tokens(in: try await client.refresh(tokens.refresh))
            try await client.sandbox.advanceClock("91.4d")
            let over = try await client.refresh(next.refresh)
            #expect(over.error == "invalid_grant")
            #expect(over.json["error_description"] == "Refresh token expired")
        }
    }

    @Test("a public client's ends after two weeks, refreshed or not", .covers("R72"))
    func publicClient() async throws {
        try await withSandbox { sandbox in
            let client = ScriptedClient(sandbox: sandbox)
            let (used, unused) = (try await client.login(), try await client.login())
            try await sandbox.advanceClock("13.9d")
            let next = try ScriptedClient.tokens(in: try await client.refresh(used.refresh))
            try await sandbox.advanceClock("0.2d")
            for token in [next.refresh, unused.refresh] {
                #expect(try await client.refresh(token).json["error_description"] == "Session expired")
            }
        }
    }

    @Test("cocoon has two years and 90 days, and says so in its own words")
    func cocoon() async throws {
        try await withConfidentialClient(.cocoon) { client in
            let (used, unused) = (try await client.login(), try await client.login())
            try await client.sandbox.advanceClock("89d")
            var tokens = try ScriptedClient.tokens(in: try await client.refresh(used.refresh))
            try await client.sandbox.advanceClock("1.1d")
            #expect(try await client.refresh(unused.refresh).error == "Refresh token expired")
            for _ in 0..<8 {
                try await client.sandbox.advanceClock("79.9d")
                tokens = try ScriptedClient.tokens(in: try await client.refresh(tokens.refresh))
            }
            try await client.sandbox.advanceClock("1.5d")
            #expect(try await client.refresh(tokens.refresh).error == "Session expired")
        }
    }

    @Test("Cirrus has 90 days for everyone, and no end")
    func cirrus() async throws {
        try await withSandbox({ $0.profile = .cirrus }) { sandbox in
            var client = ScriptedClient(sandbox: sandbox)
            client.clientID = ScriptedClient.exactLoopbackID
            var tokens = try await client.login()
            for _ in 0..<10 {
                try await sandbox.advanceClock("89d")
                tokens = try ScriptedClient.tokens(in: try await client.refresh(tokens.refresh))
            }
            try await sandbox.advanceClock("90.1d")
            #expect(try await client.refresh(tokens.refresh).error == "invalid_grant")
        }
    }
}
