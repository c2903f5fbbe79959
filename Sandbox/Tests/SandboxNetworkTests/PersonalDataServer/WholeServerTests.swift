import Testing

@testable import SandboxNetwork

/// The behaviour of the official PDS 0.5.29. The recordings don't have it, because they were made without a PDS.
@Suite("The whole official PDS")
struct WholeServerTests {
    @Test("signs access tokens with a secret: HS256, no kid, no public key")
    func tokens() async throws {
        try await withSandbox { sandbox in
            let token = try await ScriptedClient(sandbox: sandbox).login().access
            let header = try #require(CompactJWS(token)?.header)
            #expect(header["alg"] == "HS256" && header["typ"] == "at+jwt" && header["kid"] == nil)
            let jwks = try await sandbox.get("/oauth/jwks")
            #expect(jwks.json == ["keys": []])
        }
    }

    @Test("asks for a session without a challenge, and keeps answers private")
    func noAuthorization() async throws {
        try await withSandbox { sandbox in
            for method in ["com.atproto.server.getSession", "com.example.unknown"] {
                let answer = try await sandbox.get("/xrpc/" + method)
                #expect(answer.status == 401)
                #expect(answer.json == ["error": "AuthMissing", "message": "Authentication Required"])
                #expect(answer.header("www-authenticate") == nil)
                #expect(answer.header("cache-control") == "private")
            }
        }
    }

    @Test("passes on a method that it does not know, if the scope allows that")
    func unknownMethod() async throws {
        try await withSandbox { sandbox in
            let client = ScriptedClient(sandbox: sandbox)
            let token = try await client.login().access
            let answer = try await client.send("GET", "/xrpc/app.bsky.feed.getTimelin", token: token)
            #expect(answer.status == 502 && answer.error == "UpstreamFailure")
            #expect(answer.header("cache-control") == "private")
            var small = client
            small.scope = "atproto"
            let refused = try await small.send(
                "GET", "/xrpc/app.bsky.feed.getTimelin", token: try await small.login().access)
            #expect(refused.status == 403 && refused.error == "ScopeMissingError")
        }
    }

    @Test("says of a method of a PDS that it has none")
    func missingMethod() async throws {
        try await withSandbox { sandbox in
            let path = "/xrpc/com.atproto.repo.importRepo"
            #expect(try await sandbox.post(path, json: [:]).status == 401)
            var client = ScriptedClient(sandbox: sandbox)
            client.scope = "atproto"
            let token = try await client.login().access
            for method in ["POST", "GET"] {
                let answer = try await client.send(method, path, token: token)
                #expect(answer.status == 501 && answer.error == "MethodNotImplemented", "\(answer.text)")
                #expect(answer.json["message"] == "Method Not Implemented")
            }
        }
    }

    @Test("lets a deactivated account read its session alone, and log in no more")
    func deactivated() async throws {
        try await withSandbox { sandbox in
            let client = ScriptedClient(sandbox: sandbox)
            let token = try await client.login().access
            try await activate(false, at: sandbox)
            let session = try await client.resource(token)
            #expect(session.json["active"] == false && session.json["status"] == "deactivated")
            for path in ["/xrpc/app.bsky.feed.getTimeline", "/xrpc/chat.bsky.convo.listConvos"] {
                let call = try await client.send("GET", path, token: token)
                #expect(call.status == 401 && call.error == "AccountDeactivated", "\(path)")
                #expect(call.header("www-authenticate") == nil)
            }
            let pushed = try await client.push(verifier: TestKey.random())
            let refusal = try await sandbox.get(client.page(of: pushed)).redirectParameters
            #expect(refusal.first { $0.name == "error" }?.value == "access_denied")
            let words = refusal.first { $0.name == "error_description" }?.value
            #expect(words == "This account has been deactivated")
            try await activate(true, at: sandbox)
            #expect(
                try await client.send("GET", "/xrpc/app.bsky.feed.getTimeline", token: token).status == 200)
            _ = try await client.login()
        }
    }

    private func activate(_ isActive: Bool, at sandbox: RunningSandbox) async throws {
        let update: JSONValue = ["handle": "carol.pds.test", "active": .bool(isActive)]
        #expect(try await sandbox.post("/_sandbox/accounts/update", json: update).status == 200)
    }

    @Test("deletes the tokens of an account that is taken down", .covers("R73"))
    func takedown() async throws {
        try await withSandbox { sandbox in
            let client = ScriptedClient(sandbox: sandbox)
            let answer = try await client.exchange(try await client.grant())
            let did = try #require(answer.json["sub"])
            _ = try await sandbox.post("/_sandbox/sessions/end", json: ["did": did])
            let refused = try await client.refresh(try ScriptedClient.tokens(in: answer).refresh)
            #expect(refused.status == 400 && refused.error == "invalid_grant")
            #expect(refused.json["error_description"] == "Invalid refresh token")
        }
    }
}
