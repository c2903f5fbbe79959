import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    /// What a command says after a server refused its access token.
    @Suite(
        "Refused tokens", .enabled(if: ServerProfile.current == .official, "each server refuses otherwise"))
    struct RefusedTokenTests {
        private static let method = "com.atproto.server.getSession"
        private static let patient = ["--lock-timeout", "60s"]

        private let sandbox: Sandbox
        private let home: Home

        init() async throws {
            sandbox = try Sandbox()
            home = try Home(sandbox)
            try await home.logIn("alice.test")
            // From here on, no request is sent twice for its nonce.
            try await home.succeed("call", Self.method)
            try await sandbox.resetJournal()
        }

        private func statuses(of method: String = method) async throws -> [Int?] {
            try await sandbox.requests().filter { $0.path == "/xrpc/\(method)" }.map(\.status)
        }

        /// Starts a call, and waits until so many requests of it are on their way.
        private func start(_ requests: Int) async throws -> Program.Running {
            let call = try Program.Running(
                Paths.program, ["call", Self.method, "--json"] + Self.patient, environment: home.environment,
                directory: home.directory)
            while try await statuses().count < requests { await Task.yield() }
            return call
        }

        /// The session works, and no server was told to end it.
        private func expectKept() async throws {
            try await sandbox.setFaults("[]")
            try await home.succeed("call", Self.method)
            #expect(try await !sandbox.requests().contains { $0.sessionEnded || $0.path == "/oauth/revoke" })
        }

        @Test("a call waits for the refresh that spent the call's own new token")
        func ownTokenSpent() async throws {
            try await sandbox.setFaults(
                Faults.list(
                    [Faults.one(Self.method, times: 1, Faults.refusal)]
                        + Faults.slowRefusal(of: Self.method, after: 1)
                        + [Faults.oneOfRefreshes(skip: 1, times: 1, Faults.lateness("10s"))]))
            let call = try await start(2)
            try await home.succeed("refresh", "--force")
            let result = try await call.result()
            #expect(result.status == 0, "\(result.errors)")
            #expect(try await statuses() == [401, 401, 200])
            try await expectKept()
        }

        @Test("a call whose adopted token was spent meanwhile adopts the next one")
        func adoptedTokenSpent() async throws {
            try await sandbox.setFaults(
                Faults.list(
                    Faults.slowRefusal(of: Self.method, after: 0)
                        + [Faults.oneOfRefreshes(skip: 1, times: 1, Faults.lateness("10s"))]))
            let call = try await start(1)
            try await home.succeed("refresh", "--force")
            try await home.succeed("refresh", "--force")
            let result = try await call.result()
            #expect(result.status == 0, "\(result.errors)")
            #expect(try await statuses() == [401, 401, 200])
            try await expectKept()
        }

        @Test("after a refresh without an answer, nothing is said about the session")
        func lostAnswer() async throws {
            try await sandbox.setFaults(
                Faults.list(
                    [Faults.one(Self.method, times: 1, Faults.refusal)]
                        + Faults.slowRefusal(of: Self.method, after: 1)
                        + [Faults.oneOfRefreshes(skip: 1, times: 1, #"{"drop":"after"}"#)]))
            let call = try await start(2)
            #expect(try await home.run("refresh", "--force").status == 12)
            let result = try await call.result()
            #expect(result.status == 12 && result.errorLine?.code == "refresh_unclear", "\(result.errors)")
            #expect(try await home.active()?.handle == "alice.test")
        }

        @Test("the 401 of a service that the server asks by itself is the answer to the call")
        func service() async throws {
            let method = "app.bsky.actor.getProfile"
            try await sandbox.setFaults(
                Faults.answer(method, 401, body: #"{"error":"InvalidToken","message":"of the service"}"#))
            let result = try await home.run("call", method, "actor=alice.test", "--json")
            #expect(result.status == 10, "\(result.errors)")
            #expect(result.errorLine?.code != "token_refused" && result.errors.contains("of the service"))
            #expect(try await statuses(of: method) == [401, 401])
            // The server itself was asked about the token.
            #expect(try await statuses() == [200])
            #expect(try await sandbox.requests().filter { $0.isRefresh && $0.consumed }.count == 1)
            try await expectKept()
        }

        @Test("a server that can't be asked about the token says nothing about the session")
        func serverIsDown() async throws {
            let method = "app.bsky.actor.getProfile"
            for action in [Faults.respond(503, "{}"), #"{"drop":"before"}"#] {
                try await sandbox.setFaults(
                    Faults.list([
                        Faults.one(method, Faults.refusal), Faults.one(Self.method, action),
                    ]))
                let result = try await home.run("call", method, "actor=alice.test", "--json")
                #expect(
                    result.status == 10 && result.errorLine?.code != "token_refused", "\(result.errors)")
            }
            try await expectKept()
        }

        @Test("a server two hours ahead refuses every token, and the session stays")
        func clock() async throws {
            try await sandbox.setFaults(Self.twoHoursAhead())
            for method in [Self.method, "app.bsky.actor.getProfile"] {
                let result = try await home.run("call", method, "actor=alice.test", "--json")
                let line = try #require(result.errorLine)
                #expect(result.status == 4 && line.code == "token_refused", "\(result.errors)")
                #expect(line.message == "the PDS of @alice.test refuses a token that was just issued")
                #expect(
                    line.hint?.contains("bskyauth doctor, or log in again:  ") == true, "\(line.hint ?? "")")
            }
            let listing = try await home.run("accounts", "--json").json?["accounts"] as? [[String: Any]]
            #expect(listing?.first?["state"] as? String == "ok")
            try await expectKept()
        }

        /// The answers of an account's server whose clock is two hours ahead.
        private static func twoHoursAhead() -> String {
            let format = DateFormatter()
            format.locale = Locale(identifier: "en_US_POSIX")
            format.timeZone = .gmt
            format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
            let date = format.string(from: Date(timeIntervalSinceNow: 7200))
            let headers = #"{"www-authenticate":"DPoP error=\"invalid_token\"","date":"\#(date)"}"#
            return Faults.list([
                Faults.one(
                    matching: #"{"role":"pds","path_prefix":"/xrpc/"}"#,
                    Faults.respond(401, headers: headers, #"{"error":"invalid_token"}"#))
            ])
        }

        @Test("a program behind exec is told that the server fails, and works when it works again")
        func program() async throws {
            try await sandbox.setFaults(Self.twoHoursAhead())
            let script = """
                ask() { curl -sS -w ' %{http_code}\\n' -H "Authorization: Bearer $BSKYAUTH_PROXY_SECRET" \
                    "$BSKYAUTH_PROXY_URL/xrpc/com.atproto.repo.describeRepo?repo=alice.test"; }
                ask | grep -o 'UpstreamFailure.* 502'
                ask | grep -o 'UpstreamFailure.* 502'
                curl -sS --json '[]' "$BSKYAUTH_DEV_NETWORK/_sandbox/faults" >/dev/null
                ask | grep -o ' 200'
                """
            let result = try await home.succeed("exec", "--", "sh", "-c", script)
            let lines = result.text.split(separator: "\n")
            #expect(
                lines.count == 3 && lines.prefix(2).allSatisfy { $0.hasSuffix(" 502") }
                    && lines.last == " 200", "\(result.text)")
            // The user is told once.
            #expect(result.errors.split(separator: "that was just issued").count == 2, "\(result.errors)")
        }

        @Test("a program behind exec waits for the refresh that spent the new token of its request")
        func programWaits() async throws {
            let method = "com.atproto.repo.describeRepo"
            try await sandbox.setFaults(
                Faults.list(
                    [Faults.one(method, times: 1, Faults.refusal)] + Faults.slowRefusal(of: method, after: 1)
                        + [Faults.oneOfRefreshes(skip: 1, times: 1, Faults.lateness("10s"))]))
            let ask = """
                curl -sS -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $BSKYAUTH_PROXY_SECRET" \
                    "$BSKYAUTH_PROXY_URL/xrpc/com.atproto.repo.describeRepo?repo=alice.test"
                """
            let program = try home.start("exec", "--lock-timeout", "60s", "--", "sh", "-c", ask)
            while try await statuses(of: method).count < 2 { await Task.yield() }
            try await home.succeed("refresh", "--force")
            let result = try await program.result()
            #expect(result.text == "200", "\(result.text) \(result.errors)")
            #expect(try await statuses(of: method) == [401, 401, 200])
            try await expectKept()
        }

        @Test("a program behind exec hears the 401 of a service, and the user hears of no end")
        func programAndService() async throws {
            let method = "app.bsky.actor.getProfile"
            try await sandbox.setFaults(
                Faults.answer(method, 401, body: #"{"error":"InvalidToken","message":"of the service"}"#))
            let ask = """
                curl -sS -w ' %{http_code}' -H "Authorization: Bearer $BSKYAUTH_PROXY_SECRET" \
                    "$BSKYAUTH_PROXY_URL/xrpc/app.bsky.actor.getProfile?actor=alice.test"
                """
            let result = try await home.succeed("exec", "--", "sh", "-c", ask)
            #expect(
                result.text.contains("of the service") && result.text.hasSuffix(" 401"), "\(result.text)")
            #expect(!result.errors.contains("log in"), "\(result.errors)")
            try await expectKept()
        }
    }
}

/// The same for the tokens of an app password, which a service may refuse in its own words.
@Suite("Refused tokens of app passwords", .fewAtOnce)
struct RefusedPasswordTokenTests {
    @Test("the 401 of a service costs one refresh, and is the answer to the call")
    func service() async throws {
        let sandbox = try Sandbox(
            accounts: ["alice.test"], ["--app-password", "alice.test:abcd-efgh-ijkl-mnop"])
        let home = try Home(sandbox)
        try await home.succeed(
            "login", "alice.test", "--app-password", input: Data("abcd-efgh-ijkl-mnop\n".utf8))
        let method = "app.bsky.actor.getProfile"
        try await sandbox.setFaults(
            Faults.answer(
                method, 401, body: #"{"error":"AuthenticationRequired","message":"of the service"}"#))
        for options in [[], ["--proxy", "did:web:api.bsky.app#bsky_appview"]] {
            try await sandbox.resetJournal()
            let result = try await home.run(["call", method, "actor=alice.test", "--json"] + options)
            #expect(result.status == 10 && result.errors.contains("of the service"), "\(result.errors)")
            let requests = try await sandbox.requests()
            #expect(requests.filter { $0.path.hasSuffix("refreshSession") }.count == 1)
            #expect(requests.filter { $0.path.hasSuffix("getSession") }.map(\.status) == [200])
        }
        try await home.succeed("call", "com.atproto.server.getSession")
    }
}
