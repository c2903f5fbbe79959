import Testing

@testable import SandboxNetwork

@Suite("The journal")
struct JournalTests {
    @Test("a login, a call, a refresh and a logout leave one line per request, in order", .covers("B19"))
    func lines() async throws {
        try await withSandbox { sandbox in
            let client = ScriptedClient(sandbox: sandbox)
            _ = try await sandbox.post("/_sandbox/journal/reset", json: [:])
            let tokens = try await client.login()
            _ = try await client.resource(tokens.access)
            let next = try ScriptedClient.tokens(in: try await client.refresh(tokens.refresh))
            _ = try await client.revoke(next.refresh, clientID: client.clientID)
            let lines = try await sandbox.journal().filter {
                $0["proof"] != .null || $0["path"] == "/oauth/authorize"
            }
            #expect(
                lines.map { $0["path"]?.string } == [
                    "/oauth/par", "/oauth/authorize", "/oauth/token", "/xrpc/com.atproto.server.getSession",
                    "/oauth/token", "/oauth/revoke",
                ])
            #expect(Set(lines.compactMap { $0["jkt"]?.string }).count == 1)
            #expect(lines.map { $0["role"] } == ["as", "as", "as", "pds", "as", "as"])
            #expect(lines.map { $0["consumed"] == true } == [false, false, true, false, true, false])
            #expect(
                lines.map { $0["grant"]?.string } == [
                    nil, nil, "authorization_code", nil, "refresh_token", nil,
                ])
            #expect(lines[3]["ath_ok"] == true)
            #expect(lines[3]["proof"]?["payload"]?["htm"] == "GET")
            #expect(lines[5]["session_ended"] == true)
            #expect(lines[3]["account"]?.string?.hasPrefix("did:plc:") == true)
        }
    }

    @Test("it holds no token, code, verifier or password", .covers("B21", "C9"))
    func secrets() async throws {
        try await withSandbox({ $0.approvesUnasked = false }) { sandbox in
            let client = ScriptedClient(sandbox: sandbox)
            let browser = TestBrowser(sandbox)
            let verifier = TestKey.random()
            let page = try await browser.open(client.page(of: try await client.push(verifier: verifier)))
            let done = try await browser.submit(try await browser.signIn(page), [("decision", "accept")])
            let code = try #require(done.redirectParameters.first { $0.name == "code" }?.value)
            let answer = try await client.exchange(.init(code: code, verifier: verifier))
            let tokens = try ScriptedClient.tokens(in: answer)
            _ = try await client.resource(tokens.access)
            let journal = try await sandbox.get("/_sandbox/journal").text
            #expect(journal.contains("/oauth/token"))
            for secret in [tokens.access, tokens.refresh, code, verifier, "hunter2"] {
                #expect(!journal.contains(secret))
            }
        }
    }

    @Test("a private key in a proof is not repeated")
    func privateKey() async throws {
        try await withSandbox { sandbox in
            let client = ScriptedClient(sandbox: sandbox)
            _ = try await client.form(
                "/oauth/par", [("client_id", "x")], proof: Proof(privateKeyInside: true))
            let line = try #require(try await sandbox.journal().last { $0["proof"] != .null })
            #expect(line["error"] == "invalid_dpop_proof")
            #expect(line["proof"]?["header"]?["jwk"]?["x"] != nil)
            #expect(line["proof"]?["header"]?["jwk"]?["d"] == nil)
        }
    }

    @Test(
        "the error of a redirect is named, in the query and in the fragment",
        arguments: ["query", "fragment"])
    func redirects(mode: String) async throws {
        try await withSandbox({ $0.approvesUnasked = false }) { sandbox in
            let client = ScriptedClient(sandbox: sandbox)
            let browser = TestBrowser(sandbox)
            let pushed = try await client.push(["response_mode": mode], verifier: TestKey.random())
            let page = try await browser.signIn(try await browser.open(client.page(of: pushed)))
            _ = try await browser.submit(page, [("decision", "reject")])
            #expect(try await sandbox.journal().last?["error"] == "access_denied")
        }
    }

    @Test("errors, skipped queries and the user agent are named")
    func facts() async throws {
        try await withSandbox { sandbox in
            _ = try await sandbox.get(
                "/xrpc/com.atproto.identity.resolveHandle?handle=nobody.test",
                headers: [("user-agent", "tests/1")])
            let line = try #require(try await sandbox.journal().last)
            #expect(line["path"] == "/xrpc/com.atproto.identity.resolveHandle")
            #expect(line["query"] == "handle=nobody.test")
            #expect(line["error"] == "InvalidRequest")
            #expect(line["status"] == 400)
            #expect(line["user_agent"] == "tests/1")
            #expect(line["proof"] == .null)
        }
    }
}
