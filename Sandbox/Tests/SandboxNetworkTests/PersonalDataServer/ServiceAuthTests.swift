import Testing

@testable import SandboxNetwork

@Suite("Service tokens of the PDS")
struct ServiceAuthTests {
    private static let service = "did:web:svc.example"
    private static let method = "com.example.feed.read"

    private func ask(_ client: ScriptedClient, _ token: String, _ fields: [(String, String)]) async throws
        -> WireAnswer
    {
        let query = FormBody.encoded(fields)
        return try await client.send("GET", "/xrpc/com.atproto.server.getServiceAuth?" + query, token: token)
    }

    private func ask(
        _ client: ScriptedClient, _ token: String, exp: Int? = nil, lxm: String? = method
    ) async throws -> WireAnswer {
        let fields = [("aud", Self.service), ("lxm", lxm), ("exp", exp.map(String.init))]
        return try await ask(client, token, fields.compactMap { name, value in value.map { (name, $0) } })
    }

    @Test("say who calls whom, with which method and how long", .covers("X13"))
    func claims() async throws {
        try await withSandbox { sandbox in
            _ = try await sandbox.post("/_sandbox/clock", json: ["stop": true])
            let client = ScriptedClient(sandbox: sandbox)
            let (now, token) = (try await client.now(), try await client.login().access)
            for (asked, life) in [(nil, 60), (now + 3600, 3600), (now + 1, 1)] {
                let answer = try await ask(client, token, exp: asked)
                let jws = try #require(CompactJWS(answer.json["token"]?.string ?? ""))
                #expect(jws.header["typ"] == "JWT" && jws.header["alg"] == "ES256")
                #expect(jws.payload["exp"]?.integer == now + life && jws.payload["iat"]?.integer == now)
                #expect(jws.payload["aud"] == .string(Self.service))
                #expect(jws.payload["lxm"] == .string(Self.method))
                #expect(jws.payload["iss"] == .string(PasswordClient.did))
                #expect(jws.payload["jti"]?.string?.count == 32)
            }
        }
    }

    @Test("a time in the past, over an hour, or over a minute without a method is refused", .covers("X13"))
    func expiry() async throws {
        try await withSandbox { sandbox in
            _ = try await sandbox.post("/_sandbox/clock", json: ["stop": true])
            let client = ScriptedClient(sandbox: sandbox)
            let (now, token) = (try await client.now(), try await client.login().access)
            for (exp, lxm) in [(now - 1, Self.method), (now + 3602, Self.method), (now + 62, nil)] {
                let answer = try await ask(client, token, exp: exp, lxm: lxm)
                #expect(answer.status == 400 && answer.error == "BadExpiration", "\(answer.text)")
            }
            #expect(try await ask(client, token, exp: now + 59, lxm: nil).status == 200)
        }
    }

    @Test(
        "none are given without an audience, for methods that manage an account, or for chat", .covers("X13"))
    func refusals() async throws {
        try await withSandbox { sandbox in
            let client = ScriptedClient(sandbox: sandbox)
            let token = try await client.login().access
            let none = try await ask(client, token, [("lxm", Self.method)])
            #expect(none.json["message"] == "Error: Params must have the property \"aud\"")
            let managing = try await ask(client, token, lxm: "com.atproto.server.updateEmail")
            #expect(managing.status == 400)
            #expect(managing.json["message"]?.string?.contains("protected method") == true)
            let chat = try await ask(client, token, lxm: "chat.bsky.convo.listConvos")
            #expect(chat.status == 403 && chat.error == "ScopeMissingError")
        }
    }

    @Test("a granular scope covers the audience as it is written, or any", .covers("S8", "X13"))
    func scopes() async throws {
        try await withSandbox { sandbox in
            let exact = "rpc:\(Self.method)?aud=did:web:svc.example%23feed"
            for (scope, audience, isCovered) in [
                (exact, Self.service + "#feed", true), (exact, Self.service, false),
                (exact, "did:web:other.example#feed", false),
                ("rpc:\(Self.method)?aud=*", Self.service, true),
                ("rpc:com.example.other?aud=*", Self.service, false),
            ] {
                var client = ScriptedClient(sandbox: sandbox)
                client.scope = "atproto " + scope
                client.clientID =
                    "http://localhost?"
                    + FormBody.encoded([
                        ("redirect_uri", "http://127.0.0.1/callback"), ("scope", client.scope),
                    ])
                let token = try await client.login().access
                let answer = try await ask(client, token, [("aud", audience), ("lxm", Self.method)])
                #expect(answer.status == (isCovered ? 200 : 403), "\(scope) \(audience): \(answer.text)")
            }
        }
    }

    @Test(
        "the service takes a token once, for its method and until its end, and nothing else", .covers("X13"))
    func taken() async throws {
        try await withSandbox({ $0.rolePorts[.service] = 0 }) { sandbox in
            let client = ScriptedClient(sandbox: sandbox)
            let access = try await client.login().access
            let known = try await sandbox.get("/_sandbox/service").json
            let did = try #require(known["did"]?.string)
            let service = RunningSandbox(origin: try #require(known["origin"]?.string))
            func token(_ audience: String = did, lxm: String = Self.method) async throws -> String {
                let answer = try await ask(client, access, [("aud", audience), ("lxm", lxm)])
                return answer.json["token"]?.string ?? ""
            }
            func call(_ token: String, _ more: [(String, String)] = []) async throws -> WireAnswer {
                try await service.get(
                    "/xrpc/" + Self.method, headers: [("authorization", "Bearer " + token)] + more)
            }
            let document = try await service.get("/.well-known/did.json").json
            #expect(document["id"] == .string(did))
            #expect(document["service"]?.array?.first?["serviceEndpoint"] == .string(service.origin))
            for audience in [did, did + "#sandbox"] {
                let token = try await token(audience)
                let answer = try await call(token)
                #expect(answer.status == 200 && answer.json["iss"] == .string(PasswordClient.did))
                #expect(answer.json["aud"] == .string(audience))
                let again = try await call(token)
                #expect(again.status == 401 && again.error == "BadJwt")
            }
            for (name, token) in [
                ("BadJwtAudience", try await token("did:web:other.example")),
                ("BadJwtAudience", try await token(did + "#other")),
                ("BadJwtLexiconMethod", try await token(lxm: "com.example.feed.write")),
                ("BadJwtSignature", TestKey.withBrokenSignature(try await token())),
                ("BadJwtType", access), ("BadJwt", "none"),
            ] {
                let answer = try await call(token)
                #expect(answer.status == 401 && answer.error == name, "\(name): \(answer.text)")
            }
            #expect(try await call(try await token(), [("dpop", "x")]).status == 400)
            #expect(try await service.get("/xrpc/" + Self.method).error == "MissingJwt")
            _ = try await sandbox.post(
                "/_sandbox/accounts/update",
                json: ["did": .string(PasswordClient.did), "rotate_signing_key": true])
            #expect(try await call(try await token()).status == 200)
            let old = try await token()
            try await sandbox.advanceClock("2m")
            #expect(try await call(old).error == "JwtExpired")
        }
    }
}
