import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    @Suite("A call that is tried again")
    struct CallRetryTests {
        private static let nsid = "com.atproto.server.getSession"
        private static let body = #"{"error":"RateLimitExceeded","message":"Rate Limit Exceeded"}"#

        @Test("is sent again when the server's time has come, says so, and prints the answer alone")
        func succeeds() async throws {
            let (sandbox, home) = try await loggedIn()
            try await sandbox.setFaults(
                Faults.answer(Self.nsid, 429, headers: #"{"retry-after":"1"}"#, body: Self.body, times: 1))
            let requests = try await sandbox.requests {
                let call = try await home.succeed("call", Self.nsid, "--retry", "2")
                #expect(call.json?["handle"] as? String == "alice.test")
                #expect(call.errors.contains("rate limit was reached; retrying in 1 s (1 of 2)"))
            }
            #expect(requests.map(\.status) == [429, 200])
        }

        @Test("waits for a lost answer within --max-wait only, and says when to come back")
        func lostAnswer() async throws {
            let sandbox = try Sandbox()
            let home = try Home(sandbox)
            try await sandbox.setFaults(Faults.tokenEndsAtOnce)
            try await home.logIn("alice.test")
            try await sandbox.setFaults(
                #"[{"match":{"grant":"refresh_token"},"times":1,"action":{"drop":"after"}}]"#)
            let lost = try await home.run("call", Self.nsid, "--json")
            #expect(lost.errorLine?.code == "refresh_unanswered", "\(lost.errors)")
            let requests = try await sandbox.requests {
                let call = try await home.run(
                    "call", Self.nsid, "--retry", "3", "--max-wait", "30s", "--json")
                #expect(call.status == 12 && call.errorLine?.code == "refresh_unanswered", "\(call.errors)")
                #expect(call.errorLine?.retryAt != nil)
            }
            #expect(!requests.contains { $0.line == "POST /oauth/token" })
        }

        @Test("may be a write that can be sent twice, and its body goes along again")
        func write() async throws {
            let (sandbox, home) = try await loggedIn()
            let put = "com.atproto.repo.putRecord"
            try await sandbox.setFaults(
                Faults.answer(put, 503, headers: #"{"retry-after":"1"}"#, body: #""<html>""#, times: 1))
            let file = home.directory.appending(path: "record.json")
            let did = try #require(try await home.active()).did
            let record =
                #"{"repo":"\#(did)","collection":"app.bsky.actor.profile","rkey":"self","record":{"a":1}}"#
            try Data(record.utf8).write(to: file)
            let requests = try await sandbox.requests {
                let call = try await home.succeed("call", put, "--input", file.path, "--retry", "1", "-q")
                #expect(call.json?["uri"] as? String == "at://\(did)/app.bsky.actor.profile/self")
                #expect(!call.errors.contains("again"))
            }
            #expect(requests.map(\.status) == [503, 200])
        }

        @Test("may have its body from a pipe, which goes along again byte for byte", .covers("F7"))
        func spooled() async throws {
            let (sandbox, home) = try await loggedIn()
            let upload = "com.atproto.repo.uploadBlob"
            let body = try Data.random(count: 2_000_000)
            try await sandbox.setFaults(
                Faults.answer(upload, 503, headers: #"{"retry-after":"1"}"#, body: #""""#, times: 1))
            let call = try await home.succeed(
                "call", upload, "--input", "-", "--content-type", "image/png", "--retry", "1", input: body)
            let again = try await home.succeed(
                "call", upload, "--input", "-", "--content-type", "image/png", input: body)
            // A blob is named by its bytes.
            #expect(call.text == again.text && call.text.contains("\"size\":2000000"))
        }

        @Test("is not waited for past --max-wait: exit 9 at once, with the time to come back")
        func tooLong() async throws {
            let (sandbox, home) = try await loggedIn()
            try await sandbox.setFaults(
                Faults.answer(
                    Self.nsid, 429, headers: #"{"ratelimit-reset":"1893456000"}"#, body: Self.body))
            let requests = try await sandbox.requests {
                let call = try await home.run(
                    "call", Self.nsid, "--retry", "5", "--max-wait", "10s", "--json")
                #expect(call.status == 9 && call.output.isEmpty)
                #expect(call.errorLine?.retryAt == "2030-01-01T00:00:00Z")
            }
            #expect(requests.map(\.status) == [429])
        }

        @Test("is given up after so many times, as what it ended with")
        func usedUp() async throws {
            let (sandbox, home) = try await loggedIn()
            try await sandbox.setFaults(
                #"[{"match":{"path":"/xrpc/\#(Self.nsid)"},"action":{"drop":"before"}}]"#)
            let requests = try await sandbox.requests {
                let call = try await home.run("call", Self.nsid, "--retry", "1", "--json")
                #expect(call.status == 12 && call.errorLine?.code == "connection_lost")
                #expect(call.errors.contains("was lost; retrying in 1 s (1 of 1)"))
            }
            #expect(requests.count == 2)
        }

        @Test(
            "of a write that may be done is not advised: the next step shows whether it is", .covers("X14"),
            arguments: [
                (#"{"delay":"8s","when":"after"}"#, "timed_out"), (#"{"drop":"after"}"#, "connection_lost"),
            ])
        func written(action: String, code: String) async throws {
            let (sandbox, home) = try await loggedIn()
            let create = "com.atproto.repo.createRecord"
            let post = ["call", create, "collection=app.bsky.feed.post", "record[text]=once"]
            try await sandbox.setFaults(#"[{"match":{"path":"/xrpc/\#(create)"},"action":\#(action)}]"#)
            let call = try await home.run(post + ["--http-timeout", "2s", "--json"])
            #expect(call.status == 12 && call.errorLine?.code == code, "\(call.errors)")
            #expect(call.errors.contains("the server may have carried it out"))
            #expect(call.errorLine?.retryable == false)
            let hint = try #require(call.errorLine?.hint)
            let look = try #require(hint.components(separatedBy: "again:  bskyauth ").last)
            let listed = try await home.run(look.split(separator: " ").map(String.init))
            let records = listed.json?["records"] as? [Any]
            #expect(records?.count == 1, "\(look): \(listed.text)\(listed.errors)")
            try await sandbox.setFaults(
                #"[{"match":{"path":"/xrpc/\#(create)"},"action":{"drop":"before"}}]"#)
            let lost = try await home.run(post + ["--json"])
            #expect(lost.errorLine?.retryable == false, "a request that was sent may be done: \(lost.errors)")
        }

        @Test("may be a page, or a call without an account")
        func others() async throws {
            let (sandbox, home) = try await loggedIn()
            let list = "com.atproto.repo.listRecords"
            for flags in [["--items"], ["--anonymous"]] {
                try await sandbox.setFaults(
                    Faults.answer(list, 503, headers: #"{"retry-after":"1"}"#, body: #""""#, times: 1))
                let call = try await home.run(
                    ["call", list, "repo=alice.test", "collection=a.b.c", "--retry", "1"] + flags)
                #expect(call.status == 0, "\(call.errors)")
            }
        }

        @Test("may be a page that broke off, and nothing is printed twice", .covers("X11"))
        func brokenPage() async throws {
            let (sandbox, home) = try await loggedIn()
            let list = "com.atproto.repo.listRecords"
            for text in ["one", "two"] {
                try await home.succeed(
                    "call", "com.atproto.repo.createRecord", "collection=a.b.c", #"record:={"n":"\#(text)"}"#)
            }
            try await sandbox.setFaults(
                #"[{"match":{"path":"/xrpc/\#(list)"},"skip":1,"times":1,"#
                    + #""action":{"truncate":10,"promise_all":true}}]"#)
            let requests = try await sandbox.requests {
                let call = try await home.succeed(
                    "call", list, "repo=alice.test", "collection=a.b.c", "limit==1", "--items", "--retry", "1"
                )
                #expect(call.text.split(separator: "\n").count == 2)
                #expect(call.text.contains("one") && call.text.contains("two"))
            }
            #expect(requests.filter { $0.path == "/xrpc/\(list)" }.count == 3)
        }

        @Test("is never one that may be carried out twice", .covers("F7"))
        func refused() async throws {
            let (sandbox, home) = try await loggedIn()
            let requests = try await sandbox.requests {
                let create = try await home.run(
                    "call", "com.atproto.repo.createRecord", "collection=a.b.c", "record:={}", "--retry", "1",
                    "--json")
                #expect(create.status == 64 && create.errorLine?.code == "not_idempotent")
                let file = home.directory.appending(path: "body.json").path
                try Data(#"{"repo":"alice.test","collection":"a.b.c","record":{}}"#.utf8).write(
                    to: URL(filePath: file))
                let whole = try await home.run(
                    "call", "com.atproto.repo.createRecord", "--input", file, "--retry", "1", "--json")
                #expect(
                    whole.errorLine?.hint?.hasSuffix("putRecord --input \(file) --retry 1") == true,
                    "\(whole.errors)")
                for arguments in [
                    ["com.example.queue.deleteNext", "--retry", "1"], [Self.nsid, "--max-wait", "1s"],
                    [Self.nsid, "--retry", "-1"], [Self.nsid, "--retry", "1", "--max-wait", "soon"],
                ] {
                    let result = try await home.run(["call"] + arguments)
                    #expect(result.status == 64 && result.output.isEmpty, "\(arguments): \(result.errors)")
                }
            }
            #expect(requests.isEmpty)
            // Without retries, it is sent once as any call.
            let once = try await sandbox.requests {
                _ = try await home.run("call", "com.example.queue.deleteNext", "--retry", "0")
            }
            #expect(once.contains { $0.line == "POST /xrpc/com.example.queue.deleteNext" })
        }

        @Test("a record that can't be created twice can be put: the hint is the whole command", .covers("F7"))
        func hint() async throws {
            let (sandbox, home) = try await loggedIn()
            let create = try await home.run(
                "call", "com.atproto.repo.createRecord", "collection=app.bsky.feed.post",
                "record[text]=it's \"here\"", "--retry", "2", "-a", "alice.test", "--json")
            #expect(create.status == 64)
            let hint = try #require(create.errorLine?.hint, "\(create.errors)")
            #expect(hint.hasPrefix("bskyauth call com.atproto.repo.putRecord repo=did:plc:"))
            #expect(hint.hasSuffix(" --retry 2 -a alice.test"))
            try await sandbox.setFaults(
                Faults.answer("com.atproto.repo.putRecord", 503, body: "{}", times: 1))
            let put = try await Program.run(
                "/bin/sh", ["-c", hint.replacing("bskyauth", with: Paths.program, maxReplacements: 1)],
                environment: home.environment)
            #expect(put.status == 0, "\(put.errors)")
            let uri = try #require(put.json?["uri"] as? String)
            let record = try await home.succeed("call", "com.atproto.repo.getRecord", uri)
            let value = record.json?["value"] as? [String: Any]
            #expect(value?["text"] as? String == "it's \"here\"" && value?["createdAt"] != nil)
            #expect(value?["$type"] as? String == "app.bsky.feed.post")

            // A record with this key is not written over, and a dry run stays one.
            let keyed = try await home.run(
                "call", "com.atproto.repo.createRecord", "collection=a.b.c", "rkey=mine", "record:={}",
                "--dry-run",
                "--retry", "1", "--json")
            let next = try #require(keyed.errorLine?.hint)
            #expect(next.hasSuffix("swapRecord:=null rkey=mine --retry 1 --dry-run"), "\(next)")
        }

        private func loggedIn() async throws -> (Sandbox, Home) {
            let sandbox = try Sandbox()
            let home = try Home(sandbox)
            try await home.logIn("alice.test")
            // The server's nonce is known from here on.
            try await home.succeed("call", Self.nsid)
            return (sandbox, home)
        }
    }
}
