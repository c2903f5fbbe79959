import Testing

@testable import SandboxNetwork

@Suite("Requests at the same time")
struct ConcurrencyTests {
    @Test(
        "of twenty refreshes with one token, one is answered with tokens, and they are dead already",
        .covers("R63", "12.2", "12.9", "13.4", "B13", "H4"))
    func refreshes() async throws {
        try await withSandbox { sandbox in
            let client = ScriptedClient(sandbox: sandbox)
            let token = try await client.login().refresh
            let answers = try await withThrowingTaskGroup(of: WireAnswer.self) { group in
                for _ in 0..<20 { group.addTask { try await client.refresh(token) } }
                return try await group.reduce(into: [WireAnswer]()) { $0.append($1) }
            }
            let given = answers.filter { $0.status == 200 }
            #expect(given.count == 1)
            #expect(answers.filter { $0.error == "invalid_grant" }.count == 19)
            let tokens = try ScriptedClient.tokens(in: try #require(given.first))
            #expect(try await client.refresh(tokens.refresh).error == "invalid_grant")
            let consumed = try await sandbox.journal().filter {
                $0["consumed"] == true && $0["grant"] == "refresh_token"
            }
            #expect(consumed.count == 1)
        }
    }

    @Test("of ten exchanges of one code, one is answered with tokens, and they are dead already")
    func exchanges() async throws {
        try await withSandbox { sandbox in
            let client = ScriptedClient(sandbox: sandbox)
            let grant = try await client.grant()
            let answers = try await withThrowingTaskGroup(of: WireAnswer.self) { group in
                for _ in 0..<10 { group.addTask { try await client.exchange(grant) } }
                return try await group.reduce(into: [WireAnswer]()) { $0.append($1) }
            }
            let given = answers.filter { $0.status == 200 }
            #expect(given.count == 1)
            let tokens = try ScriptedClient.tokens(in: try #require(given.first))
            #expect(try await client.resource(tokens.access).error == "invalid_token")
        }
    }
}
