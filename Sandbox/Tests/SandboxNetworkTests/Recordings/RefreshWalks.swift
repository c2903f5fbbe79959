/// Refreshing (5xx).
enum RefreshWalks {
    static let all = [
        Walk(500, 501, 502, 503, 504, 505, 506, 507) { stage in
            let client = stage.client
            let tokens = try await client.login()
            let refused = try await client.refresh(
                try await client.login().refresh, proof: .withoutNonce)
            let first = try await client.refresh(tokens.refresh)
            let second = try ScriptedClient.tokens(in: first)
            let old = try await client.resource(tokens.access)
            let new = try await client.resource(second.access)
            let again = try await client.refresh(second.refresh)
            let third = try ScriptedClient.tokens(in: again)
            return [
                500: refused, 501: first, 502: old, 503: new, 504: again,
                505: try await client.refresh(tokens.refresh),
                506: try await client.resource(third.access),
                507: try await client.refresh(third.refresh),
            ]
        },
        Walk(510, 511) { stage in
            let token = try await stage.client.login().refresh
            return [
                510: try await stage.client.refresh(token, clientID: "http://localhost"),
                511: try await stage.client.refresh(token),
            ]
        },
        Walk(512, 513) { stage in
            let token = try await stage.client.login().refresh
            return [
                512: try await stage.client.refresh(token, proof: Proof(key: TestKey())),
                513: try await stage.client.refresh(token),
            ]
        },
        Walk(514, 515) { stage in
            let token = try await stage.client.login().refresh
            return [
                514: try await stage.client.refresh(token, proof: nil),
                515: try await stage.client.refresh(token),
            ]
        },
        Walk(516, 517) { stage in
            let token = try await stage.client.login().refresh
            return [
                516: try await stage.client.refresh(
                    token, proof: Proof(url: "https://other.test/oauth/token")),
                517: try await stage.client.refresh(token),
            ]
        },
        Walk(518, 519) { stage in
            [
                518: try await stage.client.refresh("nope"),
                519: try await stage.client.refresh("ref-" + String(repeating: "0", count: 64)),
            ]
        },
        Walk(520, 521, 522, 523) { stage in
            let client = stage.client
            let token = try await client.login().refresh
            let grant = ("grant_type", "refresh_token")
            let without = try await client.form("/oauth/token", [grant, ("refresh_token", token)])
            let after = try await client.refresh(token)
            let next = try ScriptedClient.tokens(in: after.status == 200 ? after : without).refresh
            let fields = [
                grant, ("refresh_token", next), ("client_id", client.clientID), ("scope", "atproto"),
            ]
            return [
                520: without,
                521: after,
                522: try await client.form("/oauth/token", [grant, ("client_id", client.clientID)]),
                523: try await client.form("/oauth/token", fields),
            ]
        },
        Walk(530, 531, 534, 535) { stage in
            let client = stage.client
            let token = try await client.login().refresh
            async let one = client.refresh(token)
            async let other = client.refresh(token)
            let answers = try await [one, other].sorted { $0.status < $1.status }
            let tokens = try ScriptedClient.tokens(in: answers[0])
            return [
                531: answers[0], 530: answers[1],
                534: try await client.resource(tokens.access),
                535: try await client.refresh(tokens.refresh),
            ]
        },
    ]

    /// Two refreshes at once that both succeed. Cases 532 and 533 use the tokens that still work.
    static let races = [
        Walk(530, 531, 532, 533, 534, 535) { stage in
            let client = stage.client
            let token = try await client.login().refresh
            let (now, nonce) = try await client.timeAndNonce(for: "/oauth/token")
            let proofs = (0..<2).map { _ in
                Proof.right.text(
                    client.key, method: "POST", url: stage.sandbox.origin + "/oauth/token", nonce: nonce,
                    now: now, token: nil)
            }
            async let one = client.refresh(token, proof: Proof(literal: proofs[0]))
            async let other = client.refresh(token, proof: Proof(literal: proofs[1]))
            let answers = try await [one, other]
            var tokens = try answers.map { try ScriptedClient.tokens(in: $0) }
            if try await client.resource(tokens[0].access).status != 200 { tokens.reverse() }
            return [
                530: answers[0], 531: answers[1],
                532: try await client.resource(tokens[0].access),
                534: try await client.resource(tokens[1].access),
                535: try await client.refresh(tokens[1].refresh),
                533: try await client.refresh(tokens[0].refresh),
            ]
        }
    ]
}
