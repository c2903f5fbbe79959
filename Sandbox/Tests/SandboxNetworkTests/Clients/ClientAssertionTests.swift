import Testing

@testable import SandboxNetwork

@Suite("Client assertions")
struct ClientAssertionTests {
    @Test("a confidential client logs in, refreshes and logs out", .covers("R78", "R79"))
    func wholeSession() async throws {
        try await withConfidentialClient { client in
            let tokens = try await client.login()
            #expect(try await client.resource(tokens.access).status == 200)
            let next = try ScriptedClient.tokens(in: try await client.refresh(tokens.refresh))
            #expect(try await client.revoke(next.refresh, clientID: client.clientID).text == "{}")
            #expect(try await client.refresh(next.refresh).error == "invalid_grant")
        }
    }

    /// An assertion that is refused, with the answer.
    struct Fault: Sendable, CustomTestStringConvertible {
        let name: String
        let error: String
        let change: @Sendable (inout Assertion) -> Void
        var testDescription: String { name }

        init(
            _ name: String, _ error: String = "invalid_client",
            _ change: @escaping @Sendable (inout Assertion) -> Void
        ) {
            self.name = name
            self.error = error
            self.change = change
        }
    }

    @Test(
        "a faulty one is refused at every endpoint and costs nothing", .covers("R78"),
        arguments: [
            Fault("no kid") { $0.keyID = nil },
            Fault("a kid that is not in the document") { $0.keyID = "key-2" },
            Fault("another key under the same kid") { $0.key = TestKey() },
            Fault("a broken signature") { $0.signatureBroken = true },
            Fault("another algorithm") { $0.algorithm = "ES256K" },
            Fault("another issuer") { $0.issuer = .literal("https://app.example.com/other.json") },
            Fault("another case of the client_id") { $0.issuer = .literal(HostedClient.id.uppercased()) },
            Fault("another subject") { $0.subject = .literal("https://app.example.com/other.json") },
            Fault("no audience") { $0.audience = .absent },
            Fault("another audience") { $0.audience = .literal("https://pds.example") },
            Fault("no jti") { $0.identifier = .absent },
            Fault("no iat") { $0.age = nil },
            Fault("a second too old") { $0.age = 61 },
            Fault("a second ahead") { $0.age = -1 },
            Fault("expired") { $0.expires = 0 },
            Fault("not a JWT") { $0.literal = "nonsense" },
            Fault("another type", "invalid_request") { $0.type = "urn:other" },
            Fault("no type", "invalid_request") { $0.type = nil },
        ])
    func faults(fault: Fault) async throws {
        try await withConfidentialClient { client in
            let grant = try await client.grant()
            let tokens = try await client.login()
            _ = try await client.sandbox.post("/_sandbox/clock", json: ["stop": true])
            let faulty = client.with(fault.change)
            for answer in [
                try await faulty.push(verifier: TestKey.random()), try await faulty.exchange(grant),
                try await faulty.refresh(tokens.refresh),
            ] {
                #expect(answer.status == 400)
                #expect(answer.error == fault.error)
            }
            #expect(try await faulty.revoke(tokens.refresh, clientID: client.clientID).text == "{}")
            #expect(try await client.refresh(tokens.refresh).status == 200)
            #expect(try await client.exchange(grant).status == 200)
        }
    }

    @Test("one that is a minute old is accepted", .covers("R78"))
    func oldest() async throws {
        try await withConfidentialClient { client in
            _ = try await client.sandbox.post("/_sandbox/clock", json: ["stop": true])
            #expect(try await client.with { $0.age = 60 }.push(verifier: TestKey.random()).status == 201)
        }
    }

    @Test("none at all is refused", .covers("R78"))
    func missing() async throws {
        try await withConfidentialClient { client in
            let tokens = try await client.login()
            var silent = client
            silent.assertion = nil
            #expect(try await silent.push(verifier: TestKey.random()).error == "invalid_request")
            #expect(try await silent.refresh(tokens.refresh).error == "invalid_request")
            #expect(try await client.refresh(tokens.refresh).status == 200)
        }
    }

    @Test("one that was used before is refused, after any time", .covers("R79"))
    func replay() async throws {
        try await withConfidentialClient { client in
            let tokens = try await client.login()
            let fixed = client.with { $0.identifier = .literal("once") }
            #expect(try await fixed.push(verifier: TestKey.random()).status == 201)
            let again = try await fixed.refresh(tokens.refresh)
            #expect(again.error == "invalid_grant")
            #expect(again.json["error_description"] == "private_key_jwt jti reused")
            try await client.sandbox.advanceClock("60d")
            #expect(try await fixed.refresh(tokens.refresh).error == "invalid_grant")
            #expect(try await client.refresh(tokens.refresh).status == 200)
        }
    }

    @Test("a document without the grant type refuses the refresh, which costs nothing")
    func grantType() async throws {
        try await withConfidentialClient { client in
            let tokens = try await client.login()
            let key = try #require(client.assertion).key
            var document = HostedClient.document(keys: [("key-1", key)])
            document.set(["authorization_code"], at: "/grant_types")
            try await client.sandbox.register(document)
            #expect(try await client.refresh(tokens.refresh).error == "invalid_grant")
            try await client.register()
            #expect(try await client.refresh(tokens.refresh).status == 200)
        }
    }

    @Test("its key must not be the one of the proofs", .covers("R78"))
    func sameKey() async throws {
        try await withConfidentialClient { client in
            let same = client.with { $0.key = client.key }
            try await same.register()
            let answer = try await same.push(verifier: TestKey.random())
            #expect(answer.error == "invalid_request")
            #expect(answer.json["error_description"]?.string?.contains("different key") == true)
        }
    }

    @Test("the journal has its header and claims, also when it is refused, and never its signature")
    func journal() async throws {
        try await withConfidentialClient { client in
            let now = try await client.now()
            let faulty = client.with { $0.signatureBroken = true }
            _ = try await faulty.push(verifier: TestKey.random())
            let line = try #require(try await client.sandbox.journal().last)
            #expect(line["assertion"]?["header"]?["kid"] == "key-1")
            #expect(line["assertion"]?["payload"]?["iss"] == .string(client.clientID))
            #expect(line["assertion"]?["payload"]?["jti"]?.string?.isEmpty == false)
            #expect(try #require(line["assertion"]?["payload"]?["iat"]?.integer) >= now)
            #expect(line["assertion"]?.members?.count == 2)
            #expect(line["error"] == "invalid_client")
        }
    }

    @Test("every server says that it takes them, for ES256", arguments: ServerProfile.all.map(\.name))
    func metadata(server: String) async throws {
        let profile = try #require(ServerProfile.all.first { $0.name == server })
        try await withSandbox({ $0.profile = profile }) { sandbox in
            let metadata = try await sandbox.get("/.well-known/oauth-authorization-server").json
            #expect(metadata["token_endpoint_auth_methods_supported"] == ["none", "private_key_jwt"])
            let algorithms = metadata["token_endpoint_auth_signing_alg_values_supported"]?.array
            #expect(algorithms?.contains("ES256") == true)
            #expect(metadata["response_modes_supported"]?.array?.contains("fragment") == true)
        }
    }
}
