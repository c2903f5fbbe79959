import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    @Suite("A call that is only shown")
    struct CallDryRunTests {
        @Test(
            "has method, URL, fields without secrets, and the body; nobody is asked and nothing changes",
            .covers("B21"))
        func procedure() async throws {
            let sandbox = try Sandbox(["--access-token-ttl", "10m"])
            let home = try Home(sandbox)
            let alice = try await home.logIn("alice.test")
            // A call would have to refresh first.
            try await sandbox.advanceClock("11m")
            let before = try home.vaultContent()
            let requests = try await sandbox.requests {
                let call = try await home.succeed(
                    "call", "com.atproto.repo.createRecord", "collection=app.bsky.feed.post",
                    #"record:={"text":"hällo"}"#, "validate==false", "Accept-Language:de", "--chat",
                    "--dry-run",
                    environment: Later.isPossible ? Later.anHour : [:])
                let time = #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/#
                #expect(
                    call.text.replacing(time, with: "TIME") == """
                        POST \(sandbox.address)/xrpc/com.atproto.repo.createRecord?validate=false
                        Authorization: DPoP <redacted>
                        DPoP: <redacted>
                        Accept-Language: de
                        atproto-proxy: did:web:api.bsky.chat#bsky_chat
                        Content-Type: application/json

                        {"repo":"\(alice.did)","collection":"app.bsky.feed.post",\
                        "record":{"$type":"app.bsky.feed.post","text":"hällo","createdAt":"TIME"}}

                        """)
            }
            #expect(requests.isEmpty)
            #expect(try home.vaultContent() == before)
        }

        @Test("is what is sent without --dry-run", .covers("F10"))
        func sent() async throws {
            let sandbox = try Sandbox()
            let home = try Home(sandbox)
            try await home.logIn("alice.test")
            let call = [
                "call", "com.atproto.repo.listRecords", "repo=alice.test", "collection==a.b.c", "limit:=5",
                "--paginate", "--cursor", "3k&x",
            ]
            let shown = try await home.run(call + ["--dry-run", "--json"])
            let requests = try await sandbox.requests { _ = try await home.run(call) }
            let sent = try #require(requests.last)
            #expect(shown.json?["schema"] as? String == "bskyauth.dry-run/1")
            #expect(shown.json?["method"] as? String == sent.method)
            #expect(
                shown.json?["url"] as? String == "\(sandbox.address)\(sent.path)?\(sent.query ?? "nothing")")
            #expect(shown.json?["body"] is NSNull)
        }

        @Test("tells of a body from a file or a pipe how long it is")
        func stream() async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test")
            let call = try await home.succeed(
                "call", "com.atproto.repo.uploadBlob", "--input", "-", "--content-type", "image/png",
                "--dry-run", input: Data(count: 2_000_000))
            #expect(call.text.hasSuffix("\nContent-Type: image/png\n\n(2000000 bytes)\n"))
        }

        @Test("has no credentials without an account, and needs no vault")
        func anonymous() async throws {
            let sandbox = try Sandbox()
            let home = try Home(sandbox, key: [:])
            let requests = try await sandbox.requests {
                let call = try await home.succeed(
                    "call", "app.bsky.actor.getProfile", "actor=bsky.app", "--anonymous", "--dry-run")
                #expect(call.text == "GET \(sandbox.address)/xrpc/app.bsky.actor.getProfile?actor=bsky.app\n")
            }
            #expect(requests.isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: home.directory.path).isEmpty)
        }

        @Test("is refused as it would be without --dry-run")
        func refused() async throws {
            let sandbox = try Sandbox()
            let home = try Home(sandbox)
            #expect(try await home.run("call", "a.b.get", "--dry-run").status == 4)
            try await home.logIn("alice.test")
            let requests = try await sandbox.requests {
                for arguments in [
                    ["Authorization:x"], ["--retry", "1", "-X", "procedure"], ["--limit-pages", "1"],
                    ["--host", "https://pds.example.com"],
                ] {
                    let result = try await home.run(["call", "a.b.get", "--dry-run"] + arguments)
                    #expect(result.status == 64 && result.output.isEmpty, "\(arguments): \(result.errors)")
                }
            }
            #expect(requests.isEmpty)
        }
    }
}
