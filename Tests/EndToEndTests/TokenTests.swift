import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    @Suite("Headers for another HTTP client")
    struct TokenTests {
        private let sandbox: Sandbox
        private let home: Home

        init() throws {
            sandbox = try Sandbox()
            home = try Home(sandbox)
        }

        private func curl(_ url: String, _ headers: String, _ more: String...) async throws -> Program.Result
        {
            try await Program.run(
                "/usr/bin/env", ["curl", "-sS", "-i", "-H", "@-"] + more + [url],
                environment: Program.inheritedEnvironment, input: Data(headers.utf8))
        }

        @Test("curl makes one request with them, and no second one")
        func once() async throws {
            let alice = try await home.logIn("alice.test")
            try await home.succeed("call", "com.atproto.server.getSession")
            let url = alice.pds + "/xrpc/com.atproto.server.getSession"
            let headers = try await home.succeed("token", "--dpop", "GET", url + "?probe=1").text
            let lines = headers.split(separator: "\n")
            #expect(
                lines.count == 2 && lines[0].hasPrefix("Authorization: DPoP ") && lines[1].hasPrefix("DPoP: ")
            )
            #expect(try await curl(url + "?probe=1", headers).text.contains(alice.did))
            // The proof was for this request alone: not again, not by another method, not for another path.
            let replay = try await curl(url, headers)
            #expect(replay.text.contains(alice.did) != ServerProfile.current.refusesReplays)
            let json = try await home.succeed("token", "--json", "--dpop", "GET", url).json
            let members = try #require(json?["headers"] as? [String: String])
            #expect(members.keys.sorted() == ["Authorization", "DPoP"])
            let written = members.map { "\($0): \($1)\n" }.joined()
            #expect(try await curl(url, written).text.contains(alice.did))
            #expect(json?["url"] as? String == url && json?["method"] as? String == "GET")
            let another = try await home.succeed("token", "--dpop", "POST", url).text
            #expect(try await !curl(url, another).text.contains(alice.did))
            let requests = try await sandbox.requests().filter { $0.query == "probe=1" }
            #expect(requests.map(\.status) == [200] && requests.map(\.jkt) == [alice.jkt])
        }

        @Test(
            "the first request of curl is accepted although no recent nonce is known",
            arguments: [true, false])
        func firstRequest(isForgotten: Bool) async throws {
            let alice = try await home.logIn("alice.test")
            try await home.succeed("call", "com.atproto.server.getSession")
            let cache = home.sessionCache(of: alice)
            if isForgotten {
                try FileManager.default.removeItem(at: cache)
            } else {
                try await sandbox.advanceClock("10m")
                try String(contentsOf: cache, encoding: .utf8)
                    .replacing(#/"nonce_times":\{[^}]*\}/#, with: #""nonce_times":{}"#)
                    .write(to: cache, atomically: false, encoding: .utf8)
            }
            let url = alice.pds + "/xrpc/com.atproto.server.getSession"
            let headers = try await home.succeed("token", "--dpop", "GET", url + "?probe=1").text
            #expect(try await curl(url + "?probe=1", headers).text.contains(alice.did))
            let requests = try await sandbox.requests().filter { $0.query == "probe=1" }
            #expect(requests.map(\.status) == [200])
        }

        @Test(
            "the nonce that the server has asked curl for goes into the next proof",
            .enabled(if: ServerProfile.current.asksForNonces, "the server has no nonces"))
        func nonce() async throws {
            let alice = try await home.logIn("alice.test")
            let url = alice.pds + "/xrpc/com.atproto.server.getSession"
            let stale = try await home.succeed(
                "token", "alice.test", "--dpop", "GET", url, "--nonce", "stale")
            let challenge = try await curl(url, stale.text).text
            #expect(challenge.contains("use_dpop_nonce"))
            let line = try #require(
                challenge.split(whereSeparator: \.isNewline)
                    .first { $0.lowercased().hasPrefix("dpop-nonce:") })
            let nonce = line.dropFirst("dpop-nonce:".count).trimmingCharacters(in: .whitespaces)
            let good = try await home.succeed("token", "--dpop", "GET", url, "--nonce", nonce)
            #expect(try await curl(url, good.text).text.contains(alice.did))
        }

        @Test("a terminal is shown nothing but how to go on, until it is asked for", .covers("B21"))
        func terminal() async throws {
            let alice = try await home.logIn("alice.test")
            let url = alice.pds + "/xrpc/com.atproto.server.getSession"
            let refused = try await home.runAtTerminal("token", "--dpop", "GET", url, steps: [])
            #expect(refused.status == 64)
            #expect(refused.screen.contains("| curl -sS -H @- \(url)"))
            #expect(!refused.screen.contains("DPoP "))
            let json = try await home.runAtTerminal("token", "--json", "--dpop", "GET", url, steps: [])
            #expect(json.status == 64 && !json.screen.contains("DPoP "))
            let shown = try await home.runAtTerminal("token", "--dpop", "GET", url, "--show", steps: [])
            #expect(shown.status == 0 && shown.screen.contains("Authorization: DPoP "))
        }
    }
}
