import Testing

@testable import SandboxNetwork

@Suite("Sessions by password")
struct PasswordSessionTests {
    @Test(
        "createSession takes handle, DID and e-mail address", .covers("A1"),
        arguments: ["carol.pds.test", "Carol.PDS.test", PasswordClient.did, "carol.pds.test@sandbox.test"])
    func identifiers(identifier: String) async throws {
        try await withPasswords { client in
            for password in ["hunter2", "abcd-efgh-ijkl-mnop"] {
                let answer = try await client.create(identifier, password)
                #expect(answer.status == 200)
                #expect(answer.json["did"] == .string(PasswordClient.did))
                #expect(answer.json["handle"] == "carol.pds.test" && answer.json["active"] == true)
                #expect(answer.json["didDoc"]?["id"] == .string(PasswordClient.did))
                let session = try await client.getSession(try PasswordClient.tokens(in: answer).access)
                #expect(session.status == 200 && session.json["email"] == "carol.pds.test@sandbox.test")
                #expect(session.nonce == nil)
            }
        }
    }

    @Test("wrong passwords and unknown people look the same; missing members are named")
    func refusals() async throws {
        try await withPasswords { client in
            for (identifier, password) in [
                ("carol.pds.test", "wrong"), ("nobody.test", "hunter2"), ("@carol.pds.test", "hunter2"),
                ("dave.pds.test", "abcd-efgh-ijkl-mnop"),
            ] {
                let answer = try await client.create(identifier, password)
                #expect(answer.status == 401 && answer.error == "AuthenticationRequired")
                #expect(answer.json["message"] == "Invalid identifier or password")
            }
            let missing = try await client.sandbox.post(
                "/xrpc/com.atproto.server.createSession", json: ["identifier": "carol.pds.test"])
            #expect(missing.status == 400 && missing.error == "InvalidRequest")
        }
    }

    @Test(
        "a second factor is asked for after the account password, never after an app password", .covers("A2"))
    func factor() async throws {
        try await withPasswords { client in
            _ = try await client.change(
                "accounts/update", ["handle": "carol.pds.test", "email_factor": "12345-ABCDE"])
            let asked = try await client.create("carol.pds.test", "hunter2")
            #expect(asked.status == 401 && asked.error == "AuthFactorTokenRequired")
            #expect(try await client.create("carol.pds.test", "wrong").error == "AuthenticationRequired")
            let wrong = try await client.create("carol.pds.test", "hunter2", factor: "00000-00000")
            #expect(wrong.status == 400 && wrong.error == "InvalidToken")
            let right = try await client.create("carol.pds.test", "hunter2", factor: "12345-abcde")
            #expect(right.status == 200 && right.json["emailAuthFactor"] == true)
            #expect(try await client.create("carol.pds.test", "abcd-efgh-ijkl-mnop").status == 200)
            _ = try await client.change(
                "accounts/update", ["handle": "carol.pds.test", "email_factor": .null])
            #expect(try await client.create("carol.pds.test", "hunter2").status == 200)
        }
    }

    @Test("access JWTs live two hours, refresh JWTs ninety days, by the sandbox's clock")
    func lifetimes() async throws {
        try await withPasswords { client in
            let tokens = try await client.login()
            let access = PasswordClient.claims(tokens.access)
            let refresh = PasswordClient.claims(tokens.refresh)
            #expect((access["exp"]?.integer ?? 0) - (access["iat"]?.integer ?? 0) == 7200)
            #expect((refresh["exp"]?.integer ?? 0) - (refresh["iat"]?.integer ?? 0) == 90 * 86_400)
            try await client.sandbox.advanceClock("121m")
            let expired = try await client.getSession(tokens.access)
            #expect(expired.status == 400 && expired.error == "ExpiredToken")
            #expect(expired.json["message"] == "Token has expired")
            try await client.sandbox.advanceClock("89d")
            let renewed = try PasswordClient.tokens(in: try await client.refresh(tokens.refresh))
            #expect(try await client.getSession(renewed.access).status == 200)
            try await client.sandbox.advanceClock("91d")
            let late = try await client.refresh(renewed.refresh)
            #expect(late.status == 400 && late.error == "ExpiredToken")
            #expect(late.json["message"] == "Token has expired")
        }
    }

    @Test("a used refresh JWT leads to the same next one for two hours, then it is revoked", .covers("A5"))
    func reuse() async throws {
        try await withPasswords { client in
            let tokens = try await client.login()
            async let one = client.refresh(tokens.refresh)
            async let other = client.refresh(tokens.refresh)
            let next = try await [one, other].map { try PasswordClient.tokens(in: $0).refresh }
            let identifiers = Set(next.map { PasswordClient.claims($0)["jti"]?.string })
            #expect(identifiers.count == 1)
            #expect(!identifiers.contains(PasswordClient.claims(tokens.refresh)["jti"]?.string))
            #expect(try await client.getSession(tokens.access).status == 200)
            try await client.sandbox.advanceClock("119m")
            #expect(try await client.refresh(tokens.refresh).status == 200)
            try await client.sandbox.advanceClock("2m")
            let revoked = try await client.refresh(tokens.refresh)
            #expect(revoked.status == 400 && revoked.error == "ExpiredToken")
            #expect(revoked.json["message"] == "Token has been revoked")
            #expect(try await client.refresh(next[0]).status == 200)
        }
    }

    @Test("deleteSession takes the refresh JWT, an expired one too, and ends it", .covers("A6", "A9"))
    func deletion() async throws {
        try await withPasswords { client in
            let tokens = try await client.login()
            let refused = try await client.delete(tokens.access)
            #expect(refused.status == 400 && refused.error == "InvalidToken")
            let deleted = try await client.delete(tokens.refresh)
            #expect(deleted.status == 200 && deleted.body.isEmpty)
            #expect(try await client.refresh(tokens.refresh).json["message"] == "Token has been revoked")
            let old = try await client.login()
            try await client.sandbox.advanceClock("91d")
            #expect(try await client.refresh(old.refresh).json["message"] == "Token has expired")
            #expect(try await client.delete(old.refresh).status == 200)
        }
    }

    @Test("tokens in the wrong place are InvalidToken; no body is taken; none is 401", .covers("A4"))
    func misuse() async throws {
        try await withPasswords { client in
            let tokens = try await client.login()
            let oauth = try await ScriptedClient(sandbox: client.sandbox).login()
            let broken = TestKey.withBrokenSignature(tokens.access)
            for token in [tokens.refresh, "garbage", broken, oauth.access] {
                let answer = try await client.getSession(token)
                #expect(answer.status == 400 && answer.error == "InvalidToken")
            }
            #expect(try await client.refresh(tokens.access).error == "InvalidToken")
            let body = try await client.call(
                "POST", "com.atproto.server.refreshSession", tokens.refresh, body: [:])
            #expect(body.status == 400 && body.error == "InvalidRequest")
            let none = try await WireClient.send(
                "POST", client.sandbox.origin + "/xrpc/com.atproto.server.refreshSession", body: [])
            #expect(none.status == 401 && none.error == "AuthMissing")
            let asDPoP = try await ScriptedClient(sandbox: client.sandbox).resource(tokens.access)
            #expect(asDPoP.status == 401 && asDPoP.error == "invalid_token")
        }
    }

    @Test(
        "an app password writes records and blobs; chat needs the account or a privileged one", .covers("A8"))
    func abilities() async throws {
        try await withPasswords { client in
            let chat = "chat.bsky.convo.listConvos"
            let tokens = try await client.login("abcd-efgh-ijkl-mnop")
            let made = try await client.call(
                "POST", "com.atproto.repo.createRecord", tokens.access,
                body: [
                    "repo": "carol.pds.test", "collection": "app.bsky.feed.post", "record": ["text": "x"],
                ])
            #expect(made.status == 200)
            let refused = try await client.call("GET", chat, tokens.access)
            #expect(refused.status == 400 && refused.error == "InvalidToken")
            #expect(refused.json["message"] == "Bad token method")
            #expect(try await client.call("GET", chat, try await client.login().access).status == 200)
            let text = try await client.change(
                "app-passwords", ["handle": "carol.pds.test", "privileged": true])["password"]?.string
            let privileged = try await client.login(text ?? "")
            #expect(try await client.call("GET", chat, privileged.access).status == 200)
            let renewed = try PasswordClient.tokens(in: try await client.refresh(tokens.refresh))
            #expect(try await client.call("GET", chat, renewed.access).status == 400)
        }
    }

    @Test("a revoked app password, a new account password and an ended account end what may be refreshed")
    func ends() async throws {
        try await withPasswords { client in
            let app = try await client.login("abcd-efgh-ijkl-mnop")
            let main = try await client.login()
            let ended = try await client.change(
                "app-passwords/revoke",
                ["did": .string(PasswordClient.did), "password": "abcd-efgh-ijkl-mnop"])
            #expect(ended["ended"] == 1)
            #expect(try await client.refresh(app.refresh).error == "ExpiredToken")
            #expect(try await client.create("carol.pds.test", "abcd-efgh-ijkl-mnop").status == 401)
            let next = try PasswordClient.tokens(in: try await client.refresh(main.refresh))
            _ = try await client.change("accounts/update", ["handle": "carol.pds.test", "password": "new"])
            #expect(try await client.refresh(next.refresh).error == "ExpiredToken")
            let last = try await client.login("new")
            _ = try await client.change("sessions/end", ["did": .string(PasswordClient.did)])
            #expect(try await client.refresh(last.refresh).error == "ExpiredToken")
        }
    }

    @Test("the journal tells oauth from bearer, and holds neither password nor JWT", .covers("A7"))
    func journal() async throws {
        try await withPasswords { client in
            let tokens = try await client.login("abcd-efgh-ijkl-mnop")
            _ = try await client.getSession(tokens.access)
            let next = try PasswordClient.tokens(in: try await client.refresh(tokens.refresh))
            _ = try await client.refresh(tokens.refresh)
            _ = try await client.delete(next.refresh)
            let lines = try await client.sandbox.journal()
            #expect(lines.map { $0["auth"]?.string } == [nil, "bearer", "bearer", "bearer", "bearer"])
            #expect(
                lines.map { $0["grant"]?.string } == [
                    "createSession", nil, "refreshSession", "refreshSession", "deleteSession",
                ])
            #expect(lines.map { $0["consumed"] == true } == [false, false, true, false, false])
            #expect(lines.map { $0["session_ended"] == true } == [false, false, false, false, true])
            #expect(lines.allSatisfy { $0["account"] == .string(PasswordClient.did) })
            let text = try await client.sandbox.get("/_sandbox/journal").text
            for secret in [tokens.access, tokens.refresh, next.refresh, "abcd-efgh-ijkl-mnop"] {
                #expect(!text.contains(secret))
            }
            let oauth = ScriptedClient(sandbox: client.sandbox)
            _ = try await oauth.resource(try await oauth.login().access)
            #expect(try await client.sandbox.journal().last?["auth"] == "oauth")
        }
    }
}
