import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    @Suite("What call makes of answers")
    struct CallAnswerTests {
        private static let nsid = "com.atproto.server.getSession"

        @Test("the answer's bytes are all there is on standard output", .covers("X5"))
        func bytes() async throws {
            let (sandbox, home) = try await loggedIn()
            let raw = #"{\"b\":1,  \"a\":1.50, \"b\":\"\\u00e4\"}"#
            try await sandbox.setFaults(
                #"[{"match":{"path":"/xrpc/\#(Self.nsid)"},"action":{"raw_body":"\#(raw)"}}]"#)
            let call = try await home.succeed("call", Self.nsid, "-v")
            #expect(call.text == #"{"b":1,  "a":1.50, "b":"\u00e4"}"#)
        }

        @Test("a person sees JSON indented, and in colours where the terminal has them")
        func readable() async throws {
            let (sandbox, home) = try await loggedIn()
            try await sandbox.setFaults(
                Faults.answer(
                    Self.nsid, 200, headers: #"{"content-type":"application/json"}"#, body: #"{"a":[1,"b"]}"#)
            )
            let plain = try await home.runAtTerminal("call", Self.nsid, steps: [])
            #expect(
                plain.screen.contains("{\r\n  \"a\": [\r\n    1,\r\n    \"b\"\r\n  ]\r\n}"), "\(plain.screen)"
            )
            let colored = try await home.runAtTerminal(
                "call", Self.nsid, "--no-pager", steps: [], environment: ["TERM": "xterm"])
            let name = "\u{1b}[34;1m\"a\"\u{1b}[0m"
            let text = "\u{1b}[32m\"b\"\u{1b}[0m"
            #expect(
                colored.screen.contains("{\r\n  \(name): [\r\n    \u{1b}[36m1\u{1b}[0m,\r\n    \(text)"),
                "\(colored.screen)")
            let piped = try await home.succeed("call", Self.nsid, environment: ["TERM": "xterm"])
            #expect(piped.text == #"{"a":[1,"b"]}"#)
        }

        @Test(
            "a terminal gets no character that changes the reading order, and a pipe gets the answer as it is"
        )
        func readingOrder() async throws {
            let (sandbox, home) = try await loggedIn()
            let body = #"{"xs":["a\#u{202e}b\#u{2066}c"]}"#
            let answer = Faults.answer(
                Self.nsid, 200, headers: #"{"content-type":"application/json"}"#,
                body: try #require(String(data: JSONEncoder().encode(body), encoding: .utf8)))
            try await sandbox.setFaults(answer)
            for arguments in [
                ["call", Self.nsid], ["call", Self.nsid, "--items"], ["call", Self.nsid, "--paginate"],
            ] {
                let seen = try await home.runAtTerminal(Paths.program, arguments, steps: [])
                #expect(seen.screen.contains(#""a\u202eb\u2066c""#), "\(seen.screen)")
                #expect(!seen.screen.contains("\u{202e}") && !seen.screen.contains("\u{2066}"))
            }
            #expect(try await home.succeed("call", Self.nsid).text == body)
            try await sandbox.setFaults(
                Faults.answer(
                    Self.nsid, 200, headers: #"{"content-type":"text/plain"}"#, body: #""a\#u{202e}b""#))
            let plain = try await home.runAtTerminal("call", Self.nsid, steps: [])
            #expect(plain.status == 64 && plain.screen.contains("use -o FILE"), "\(plain.screen)")
        }

        @Test("--http-timeout is how long a server may keep a request waiting, but not a refresh")
        func timeout() async throws {
            let (sandbox, home) = try await loggedIn()
            let slow = #"[{"match":{"path":"/oauth/token"},"action":{"delay":"6s","when":"after"}}]"#
            try await sandbox.setFaults(slow)
            try await home.succeed("refresh", "--force", "--http-timeout", "3s")
            let late = #"[{"match":{"path":"/xrpc/\#(Self.nsid)"},"action":{"delay":"8s","when":"after"}}]"#
            try await sandbox.setFaults(late)
            let call = try await home.run("call", Self.nsid, "--http-timeout", "1s", "--json")
            #expect(call.status == 12 && call.errorLine?.code == "timed_out", "\(call.errors)")
            let other = try await home.run("call", Self.nsid, environment: ["BSKYAUTH_HTTP_TIMEOUT": "1"])
            #expect(other.status == 12, "\(other.errors)")
            for wrong in ["0", "soon"] {
                let environment = ["BSKYAUTH_HTTP_TIMEOUT": wrong]
                #expect(try await home.run("call", Self.nsid, environment: environment).status == 64)
                #expect(try await home.run("call", Self.nsid, "--http-timeout", wrong).status == 64)
            }
        }

        @Test("an empty answer is a success that prints nothing", .covers("X5"))
        func empty() async throws {
            let (sandbox, home) = try await loggedIn()
            try await sandbox.setFaults(Faults.answer("app.bsky.actor.putPreferences", 200, body: #""""#))
            let call = try await home.succeed("call", "app.bsky.actor.putPreferences", "preferences:=[]")
            #expect(call.output.isEmpty)
        }

        @Test("-i puts the status and the headers first")
        func head() async throws {
            let (_, home) = try await loggedIn()
            let call = try await home.succeed("call", "-i", Self.nsid)
            let parts = call.text.split(separator: "\n\n", maxSplits: 1)
            let lines = try #require(parts.first).split(separator: "\n")
            #expect(lines.first == "HTTP 200")
            #expect(lines.contains { $0.lowercased().hasPrefix("content-type: application/json") })
            #expect(parts.last?.hasPrefix("{") == true)
        }

        @Test("-i with -o keeps the head on standard output and the body in the file")
        func headAndFile() async throws {
            let (_, home) = try await loggedIn()
            let call = try await home.succeed("call", "-i", Self.nsid, "-o", "answer.json")
            #expect(call.text.hasPrefix("HTTP 200\n") && call.text.hasSuffix("\n\n"))
            let file = try Data(contentsOf: home.directory.appending(path: "answer.json"))
            #expect(String(decoding: file, as: UTF8.self).hasPrefix("{"))
        }

        @Test("-v tells of the request, without what is asked and without secrets")
        func verbose() async throws {
            let (_, home) = try await loggedIn()
            let call = try await home.succeed("call", Self.nsid, "q=private", "X-Key:private", "-v")
            #expect(
                call.errors.contains(
                    /(?m)^GET http:\/\/[0-9.:]+\/xrpc\/com\.atproto\.server\.getSession: 200 \(\d+ ms\)$/))
            #expect(!call.errors.contains("private") && !call.errors.contains("DPoP"))
        }

        @Test("-o writes the body to a file and nothing to standard output")
        func file() async throws {
            let (_, home) = try await loggedIn()
            let file = home.directory.appending(path: "answer.json")
            let call = try await home.succeed("call", Self.nsid, "-o", file.path)
            #expect(call.output.isEmpty)
            #expect(String(decoding: try Data(contentsOf: file), as: UTF8.self).contains("alice.test"))
        }

        @Test("a file for the answer that can't be made is told before anything is sent")
        func noFile() async throws {
            let (sandbox, home) = try await loggedIn()
            let requests = try await sandbox.requests {
                for path in ["absent/answer", ".", "key/answer"] {
                    let call = try await home.run("call", Self.nsid, "-o", path, "--json")
                    #expect(call.status == 1 && call.errorLine?.code == "output_failed", "\(path)")
                }
            }
            #expect(requests.isEmpty)
            try await home.succeed("call", Self.nsid, "-o", "/dev/null")
        }

        @Test(
            "a write whose response can't be written says that it was carried out, and is not to be repeated")
        func lostResponse() async throws {
            let (sandbox, home) = try await loggedIn()
            let requests = try await sandbox.requests {
                let call = try await home.run(
                    "call", "com.atproto.repo.createRecord", "collection=app.bsky.feed.post",
                    "record[text]=x",
                    "-o", "/dev/full", "--json")
                #expect(call.status == 1 && call.errorLine?.code == "output_failed", "\(call.errors)")
                #expect(call.errorLine?.message.contains("createRecord was carried out") == true)
                #expect(call.errorLine?.hint?.hasPrefix("don't run the command again") == true)
            }
            #expect(requests.contains { $0.path.hasSuffix("createRecord") && $0.status == 200 })
        }

        @Test("a refusal is exit 10, in words on standard error, and no data", .covers("F10"))
        func refused() async throws {
            let (_, home) = try await loggedIn()
            let file = home.directory.appending(path: "none")
            let call = try await home.run(
                "call", "com.atproto.repo.getRecord", "repo=alice.test", "collection=a.b.c", "rkey=x", "-o",
                file.path, "--json")
            #expect(call.status == 10)
            #expect(call.output.isEmpty)
            #expect(!FileManager.default.fileExists(atPath: file.path))
            let error = try #require(call.errorLine)
            #expect(error.code == "refused" && error.serverError == "RecordNotFound")
            #expect(error.http == 400 && error.exit == 10 && !error.retryable)
            #expect(error.account == "@alice.test")
        }

        @Test("a server's failure is exit 11, and is worth another try", arguments: [500, 502, 503])
        func serverError(status: Int) async throws {
            let (sandbox, home) = try await loggedIn()
            try await sandbox.setFaults(Faults.answer(Self.nsid, status, body: #""<html>busy</html>""#))
            let call = try await home.run("call", Self.nsid, "--json")
            #expect(call.status == 11)
            #expect(call.output.isEmpty)
            #expect(call.errorLine?.retryable == true && call.errorLine?.http == status)
            #expect(!call.errors.contains("<html>"))
        }

        @Test("a rate limit is exit 9 and says when it ends, by the window or by Retry-After")
        func rateLimited() async throws {
            let (sandbox, home) = try await loggedIn()
            let body = #"{"error":"RateLimitExceeded","message":"Rate Limit Exceeded"}"#
            try await sandbox.setFaults(
                Faults.answer(
                    Self.nsid, 429, headers: #"{"ratelimit-limit":"10","ratelimit-reset":"1893456000"}"#,
                    body: body))
            let window = try await home.run("call", Self.nsid, "--json")
            #expect(window.status == 9)
            #expect(window.errorLine?.retryAt == "2030-01-01T00:00:00Z")
            #expect(window.errorLine?.retryable == true)
            #expect(window.errorLine?.hint == "wait until 2030-01-01T00:00:00Z, then run the command again")

            try await sandbox.setFaults(
                Faults.answer(Self.nsid, 429, headers: #"{"retry-after":"3600"}"#, body: body))
            let before = Date()
            let after = try await home.run("call", Self.nsid, "--json")
            #expect(after.status == 9)
            let retryAt = try Date(#require(after.errorLine?.retryAt), strategy: .iso8601)
            #expect(abs(retryAt.timeIntervalSince(before) - 3600) < 120)

            for header in ["ratelimit-reset", "retry-after"] {
                let headers = #"{"\#(header)":"9223372036854775807"}"#
                try await sandbox.setFaults(Faults.answer(Self.nsid, 429, headers: headers, body: body))
                #expect(try await home.run("call", Self.nsid, "--json").status == 9)
            }
        }

        @Test(
            "a missing scope is exit 8 and names the login that asks for it besides what is held",
            .covers("S8"))
        func scopeMissing() async throws {
            let home = try Home(try Sandbox())
            try await home.logIn(
                "alice.test", "--label", "small", "--scope", "atproto", "--scope", "repo:app.bsky.feed.like")
            let call = try await home.run(
                "call", "com.atproto.repo.createRecord", "collection=app.bsky.feed.post", "record[text]=a",
                "--json")
            #expect(call.status == 8)
            #expect(call.output.isEmpty)
            let error = try #require(call.errorLine)
            #expect(error.code == "scope_missing" && error.http == 403)
            let hint = try #require(error.hint)
            #expect(hint.hasPrefix("bskyauth login alice.test --label small --scope repo:"))
            #expect(hint.contains("repo:app.bsky.feed.like"))
            #expect(hint.contains("repo:app.bsky.feed.post?action=create"))
        }

        @Test("a reader that closes the pipe ends the call quietly")
        func closedPipe() async throws {
            let (sandbox, home) = try await loggedIn()
            try await sandbox.setFaults(
                #"[{"match":{"path":"/xrpc/\#(Self.nsid)"},"action":{"body_bytes":20000000}}]"#)
            let script = #""$0" call "$1" 2>errors | head -c 1 >/dev/null; echo "${PIPESTATUS[0]}""#
            let result = try await Program.run(
                "/bin/bash", ["-c", script, Paths.program, Self.nsid], environment: home.environment,
                directory: home.directory)
            #expect(result.text == "0\n")
            let errors = try String(contentsOf: home.directory.appending(path: "errors"), encoding: .utf8)
            #expect(errors.split(separator: "\n").allSatisfy { $0.hasPrefix("using the dev network") })
        }

        @Test("a server that can't be reached is exit 12")
        func unreachable() async throws {
            let (sandbox, home) = try await loggedIn()
            try await sandbox.setFaults(
                #"[{"match":{"path":"/xrpc/\#(Self.nsid)"},"action":{"drop":"before"}}]"#)
            let call = try await home.run("call", Self.nsid, "--json")
            #expect(call.status == 12)
            #expect(call.output.isEmpty)
            #expect(call.errorLine?.retryable == true)
        }

        private func loggedIn() async throws -> (Sandbox, Home) {
            let sandbox = try Sandbox()
            let home = try Home(sandbox)
            try await home.logIn("alice.test")
            return (sandbox, home)
        }
    }
}
