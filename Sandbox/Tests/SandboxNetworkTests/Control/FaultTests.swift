import Testing

@testable import SandboxNetwork

@Suite("Faults")
struct FaultTests {
    @Test("respond instead of handling: status, headers, body")
    func respond() async throws {
        try await withSandbox { sandbox in
            try await sandbox.setFaults([
                [
                    "match": ["path": "/oauth/jwks"],
                    "action": [
                        "respond": [
                            "status": 429, "headers": ["retry-after": "7"], "body": "<h1>slow down</h1>",
                        ]
                    ],
                ]
            ])
            let answer = try await sandbox.get("/oauth/jwks")
            #expect(answer.status == 429)
            #expect(answer.header("retry-after") == "7")
            #expect(answer.text == "<h1>slow down</h1>")
            try await sandbox.setFaults([])
            #expect(try await sandbox.get("/oauth/jwks").status == 200)
        }
    }

    @Test("skip lets the first ones by, times ends it")
    func counted() async throws {
        try await withSandbox { sandbox in
            try await sandbox.setFaults([
                [
                    "match": ["path_prefix": "/.well-known/", "role": "pds", "method": "GET"], "skip": 1,
                    "times": 2,
                    "action": ["respond": ["status": 503]],
                ]
            ])
            var statuses: [Int] = []
            for _ in 0..<4 {
                statuses.append(try await sandbox.get("/.well-known/oauth-protected-resource").status)
            }
            #expect(statuses == [200, 503, 503, 200])
        }
    }

    @Test("amend changes the answer after the server has committed")
    func amend() async throws {
        try await withSandbox { sandbox in
            let client = ScriptedClient(sandbox: sandbox)
            try await sandbox.setFaults([
                [
                    "match": ["path": "/oauth/token", "grant": "authorization_code"],
                    "action": [
                        "amend": [
                            "set": ["/sub": "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa", "/token_type": "Bearer"],
                            "remove": ["/scope"], "headers": ["x-fault": "yes"],
                            "remove_headers": ["dpop-nonce"],
                        ]
                    ],
                ]
            ])
            let answer = try await client.exchange(try await client.grant())
            #expect(answer.status == 200)
            #expect(answer.json["sub"] == "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa")
            #expect(answer.json["token_type"] == "Bearer")
            #expect(answer.json["scope"] == nil)
            #expect(answer.header("x-fault") == "yes")
            #expect(answer.nonce == nil)
            let tokens = try ScriptedClient.tokens(in: answer)
            #expect(try await client.refresh(tokens.refresh).json["token_type"] == "DPoP")
        }
    }

    @Test("amend_redirect edits what the browser brings back")
    func redirect() async throws {
        try await withSandbox { sandbox in
            let client = ScriptedClient(sandbox: sandbox)
            try await sandbox.setFaults([
                [
                    "match": ["path": "/oauth/authorize"], "times": 1,
                    "action": ["amend_redirect": ["remove": ["iss"]]],
                ],
                [
                    "match": ["path": "/oauth/authorize"], "skip": 1,
                    "action": [
                        "amend_redirect": ["set": ["iss": "https://evil.example", "state": ["a", "b"]]]
                    ],
                ],
            ])
            let first = try await sandbox.get(
                client.page(of: try await client.push(verifier: TestKey.random())))
            #expect(first.redirectParameters.map(\.name) == ["state", "code"])
            let second = try await sandbox.get(
                client.page(of: try await client.push(verifier: TestKey.random())))
            #expect(second.redirectParameters.map(\.name) == ["state", "state", "iss", "code"])
            #expect(second.redirectParameters[2].value == "https://evil.example")
        }
    }

    @Test(
        "drop before leaves the grant alone, drop after has spent it", .covers("R66"),
        arguments: ["before", "after"])
    func drop(moment: String) async throws {
        try await withSandbox { sandbox in
            let client = ScriptedClient(sandbox: sandbox)
            let tokens = try await client.login()
            try await sandbox.setFaults([
                ["match": ["grant": "refresh_token"], "times": 1, "action": ["drop": .string(moment)]]
            ])
            await #expect(throws: WireClient.ConnectionEnded.self) {
                _ = try await client.refresh(tokens.refresh)
            }
            let again = try await client.refresh(tokens.refresh)
            #expect(again.status == (moment == "before" ? 200 : 400))
            let line = try #require(
                try await sandbox.journal().first { $0["fault"] == .string("drop_\(moment)") })
            #expect(line["consumed"] == .bool(moment == "after"))
            #expect(line["status"] == .null)
        }
    }

    @Test("a huge body is streamed, a cut one breaks off, a raw one is sent as it is")
    func bodies() async throws {
        try await withSandbox { sandbox in
            try await sandbox.setFaults([
                ["match": ["path": "/oauth/jwks"], "times": 1, "action": ["body_bytes": 3_000_000]],
                ["match": ["path": "/oauth/jwks"], "skip": 1, "times": 1, "action": ["truncate": 10]],
                [
                    "match": ["path": "/oauth/jwks"], "skip": 2, "times": 1,
                    "action": ["truncate": 10, "promise_all": true],
                ],
                [
                    "match": ["path": "/oauth/jwks"], "skip": 3, "times": 1,
                    "action": ["raw_body": "{\"a\":1,\"a\":2"],
                ],
                [
                    "match": ["path": "/oauth/jwks"], "skip": 4,
                    "action": ["drip": ["bytes": 100, "every": "1ms"]],
                ],
            ])
            #expect(try await sandbox.get("/oauth/jwks").body.count == 3_000_000)
            #expect(try await sandbox.get("/oauth/jwks").text == "{\"keys\":[]")
            let cut = await #expect(throws: WireClient.ConnectionEnded.self) {
                _ = try await sandbox.get("/oauth/jwks")
            }
            #expect(cut?.bytesOfBody == 10)
            #expect(try await sandbox.get("/oauth/jwks").text == "{\"a\":1,\"a\":2")
            #expect(try await sandbox.get("/oauth/jwks").json["keys"] != nil)
        }
    }

    @Test("a delay holds the answer back, before or after the commit", arguments: ["before", "after"])
    func delay(moment: String) async throws {
        try await withSandbox { sandbox in
            try await sandbox.setFaults([["action": ["delay": "60ms", "when": .string(moment)]]])
            let elapsed = try await ContinuousClock().measure { _ = try await sandbox.get("/oauth/jwks") }
            #expect(elapsed >= .milliseconds(60))
        }
    }

    @Test(
        "a fault that can't be read is refused, and the ones in force stay",
        arguments: [
            "{}", "[{\"action\":{\"drop\":\"sometimes\"}}]",
            "[{\"match\":{\"pth\":\"/\"},\"action\":{\"drop\":\"after\"}}]",
            "[{}]", "nonsense",
        ])
    func malformed(text: String) async throws {
        try await withSandbox { sandbox in
            try await sandbox.setFaults([
                ["match": ["path": "/oauth/jwks"], "action": ["respond": ["status": 418]]]
            ])
            let refused = try await WireClient.send(
                "POST", sandbox.origin + "/_sandbox/faults", body: Array(text.utf8))
            #expect(refused.status == 400)
            #expect(try await sandbox.get("/oauth/jwks").status == 418)
        }
    }
}
