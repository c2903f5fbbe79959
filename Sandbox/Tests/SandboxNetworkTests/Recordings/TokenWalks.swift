/// Code exchange (3xx).
enum TokenWalks {
    static let all = [
        Walk(300, 301, 302, 303, 304) { stage in
            let client = stage.client
            let grant = try await client.grant()
            let refused = try await client.exchange(try await client.grant(), proof: .withoutNonce)
            let answer = try await client.exchange(grant)
            let tokens = try ScriptedClient.tokens(in: answer)
            return [
                300: refused,
                301: answer,
                302: try await client.exchange(grant),
                303: try await client.resource(tokens.access),
                304: try await client.refresh(tokens.refresh),
            ]
        },
        Walk(310, 311) { stage in
            let grant = try await stage.client.grant()
            let wrong = String(repeating: "A", count: 43)
            return [
                310: try await stage.client.exchange(grant, ["code_verifier": wrong]),
                311: try await stage.client.exchange(grant),
            ]
        },
        Walk(312) { stage in
            let grant = try await stage.client.grant()
            return [
                312: try await stage.client.exchange(
                    grant, ["redirect_uri": "http://127.0.0.1:43118/callback"])
            ]
        },
        Walk(313, 314) { stage in
            let grant = try await stage.client.grant()
            return [
                313: try await stage.client.exchange(grant, proof: Proof(key: TestKey())),
                314: try await stage.client.exchange(grant),
            ]
        },
        Walk(315) { stage in
            let grant = try await stage.client.grant()
            return [315: try await stage.client.exchange(grant, ["client_id": "http://localhost"])]
        },
        Walk(316) { stage in
            let code = "cod-" + String(repeating: "0", count: 64)
            return [316: try await stage.client.exchange(.init(code: code, verifier: TestKey.random()))]
        },
        Walk(317, 318) { stage in
            let grant = try await stage.client.grant()
            return [
                317: try await stage.client.exchange(grant, proof: nil),
                318: try await stage.client.exchange(grant),
            ]
        },
        Walk(319, 320) { stage in
            let grant = try await stage.client.grant()
            return [
                319: try await stage.client.exchange(
                    grant, proof: Proof(url: "https://other.test/oauth/token")),
                320: try await stage.client.exchange(grant),
            ]
        },
        Walk(321) { stage in
            let fields = [
                ("grant_type", "password"), ("client_id", stage.client.clientID), ("username", "x"),
                ("password", "y"),
            ]
            return [321: try await stage.client.form("/oauth/token", fields)]
        },
        Walk(322) { stage in
            let grant = try await stage.client.grant()
            return [322: try await stage.client.exchange(grant, ["code_verifier": nil])]
        },
        Walk(323) { stage in
            let grant = try await stage.client.grant()
            return [323: try await stage.client.exchange(grant, ["client_id": nil])]
        },
        Walk(324) { stage in [324: try await stage.client.form("/oauth/token", [])] },
        Walk(325) { stage in [325: try await stage.sandbox.get("/oauth/token")] },
        Walk(330) { stage in
            var client = stage.client
            client.scope = "atproto transition:generic foo:bar"
            client.clientID =
                "http://localhost?redirect_uri=http%3A%2F%2F127.0.0.1%2Fcallback"
                + "&scope=atproto%20transition%3Ageneric%20foo%3Abar"
            return [330: try await client.exchange(try await client.grant())]
        },
        Walk(331) { stage in
            var client = stage.client
            client.scope = "atproto repo:app.bsky.feed.post blob:image/*"
            client.clientID =
                "http://localhost?redirect_uri=http%3A%2F%2F127.0.0.1%3A43117%2Fcallback"
                + "&scope=atproto%20repo%3Aapp.bsky.feed.post%20blob%3Aimage%2F%2A"
            return [331: try await client.exchange(try await client.grant())]
        },
        Walk(340) { stage in
            let grant = try await stage.client.grant()
            try await stage.sandbox.advanceClock("312s")
            return [340: try await stage.client.exchange(grant)]
        },
        Walk(341) { stage in
            let first = try await stage.client.grant()
            _ = try await stage.client.exchange(first)
            let second = try await stage.client.grant(verifier: first.verifier)
            return [341: try await stage.client.exchange(second)]
        },
        Walk(342) { stage in
            let grant = try await stage.client.grant()
            return [342: try await stage.client.exchange(grant, ["code_verifier": "AAAAAAAAAA"])]
        },
        Walk(343) { stage in
            let grant = try await stage.client.grant()
            let proof = Proof(tokenHash: .literal(TestKey.hash("x")))
            return [343: try await stage.client.exchange(grant, proof: proof)]
        },
    ]
}
