/// Revocation (6xx): each form of the request, then the state of the session.
enum RevocationWalks {
    static let all = [
        walk(600) { client, tokens in try await client.revoke(tokens.refresh, clientID: client.clientID) },
        walk(605) { client, tokens in try await client.revoke(tokens.access, clientID: client.clientID) },
        walk(610) { client, tokens in
            try await client.revoke(tokens.refresh, clientID: client.clientID, proof: nil)
        },
        walk(615) { client, tokens in
            try await client.revoke(tokens.refresh, clientID: client.clientID, proof: Proof(key: TestKey()))
        },
        walk(620) { client, tokens in
            try await client.revoke(tokens.refresh, clientID: client.clientID, proof: .withoutNonce)
        },
        walk(625) { client, tokens in
            let proof = Proof(url: "https://other.test/oauth/revoke")
            return try await client.revoke(tokens.refresh, clientID: client.clientID, proof: proof)
        },
        walk(630) { client, tokens in try await client.revoke(tokens.refresh, clientID: "http://localhost") },
        walk(635) { client, tokens in try await client.revoke(tokens.refresh, clientID: nil) },
        Walk(640, 641, 642) { stage in
            let client = stage.client
            let unknown = "ref-" + String(repeating: "0", count: 64)
            return [
                640: try await client.revoke(unknown, clientID: client.clientID),
                641: try await client.revoke("nonsense", clientID: client.clientID),
                642: try await client.revoke(nil, clientID: client.clientID),
            ]
        },
        rotatedWalk(650) { client, used in try await client.revoke(used.refresh, clientID: client.clientID) },
        rotatedWalk(655) { client, used in try await client.revoke(used.access, clientID: client.clientID) },
    ]

    /// Revokes, then uses the access token and the refresh token.
    private static func walk(
        _ number: Int,
        _ revoke: @escaping @Sendable (ScriptedClient, ScriptedClient.Tokens) async throws -> WireAnswer
    ) -> Walk {
        Walk(number, number + 1, number + 2) { stage in
            let tokens = try await stage.client.login()
            return [
                number: try await revoke(stage.client, tokens),
                number + 1: try await stage.client.resource(tokens.access),
                number + 2: try await stage.client.refresh(tokens.refresh),
            ]
        }
    }

    /// The same with tokens that a refresh has replaced.
    private static func rotatedWalk(
        _ number: Int,
        _ revoke: @escaping @Sendable (ScriptedClient, ScriptedClient.Tokens) async throws -> WireAnswer
    ) -> Walk {
        Walk(number, number + 1, number + 2) { stage in
            let used = try await stage.client.login()
            let current = try ScriptedClient.tokens(in: try await stage.client.refresh(used.refresh))
            return [
                number: try await revoke(stage.client, used),
                number + 1: try await stage.client.resource(current.access),
                number + 2: try await stage.client.refresh(current.refresh),
            ]
        }
    }
}
