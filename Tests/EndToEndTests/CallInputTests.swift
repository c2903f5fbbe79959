import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    @Suite("What call sends")
    struct CallInputTests {
        @Test("items of a query are its parameters, typed and repeated ones too", .covers("X2", "X13", "F10"))
        func query() async throws {
            let (sandbox, home) = try await loggedIn()
            let requests = try await sandbox.requests {
                try await home.succeed(
                    "call", "com.atproto.server.getSession", "q=a b&c=d", "limit:=5", "on:=true",
                    "uri==at://one", "uri==at://two", "tags:=[\"x\",\"y\"]", "--field", "text=a==b:c")
            }
            let query = try #require(requests.last?.query)
            let items = try #require(URLComponents(string: "?" + query)?.queryItems)
            #expect(
                items.map { "\($0.name)=\($0.value ?? "")" } == [
                    "q=a b&c=d", "limit=5", "on=true", "uri=at://one", "uri=at://two", "tags=x", "tags=y",
                    "text=a==b:c",
                ])
        }

        @Test(
            "items of a procedure are its body, with the account's own repository filled in", .covers("F11"))
        func procedure() async throws {
            let (_, home) = try await loggedIn()
            let created = try await home.succeed(
                "call", "com.atproto.repo.createRecord", "collection=app.bsky.feed.post",
                #"record:={"$type":"app.bsky.feed.post","text":"hällo","n":9007199254740993}"#)
            let uri = try #require(created.json?["uri"] as? String)
            let did = try #require(try await home.active()).did
            #expect(uri.hasPrefix("at://\(did)/app.bsky.feed.post/"))
            let key = try #require(uri.split(separator: "/").last)
            let read = try await home.succeed(
                "call", "com.atproto.repo.getRecord", "repo=\(did)", "collection=app.bsky.feed.post",
                "rkey=\(key)")
            #expect((read.json?["value"] as? [String: Any])?["text"] as? String == "hällo")
            let deleted = try await home.succeed(
                "call", "com.atproto.repo.deleteRecord", "--field", "collection=app.bsky.feed.post",
                "rkey=\(key)")
            #expect(deleted.status == 0)
        }

        @Test("text of a field is sent as it is, whatever separators are in it")
        func field() async throws {
            let (_, home) = try await loggedIn()
            let text = "@file a:=1 b==2 \\n \"quoted\" ü"
            let created = try await home.succeed(
                "call", "com.atproto.repo.putRecord", "collection=app.bsky.actor.profile", "rkey=self",
                #"record:={"displayName":"Alice"}"#, "--field", "note=\(text)")
            #expect(created.json?["uri"] != nil)
        }

        @Test(
            "--file takes a text or JSON from a file as it is, in the query and in the body", .covers("F10"))
        func file() async throws {
            let (_, home) = try await loggedIn()
            let text = "@a:=1 \"ü\"\n"
            for (name, content) in [("post.json", #"{"text":"hällo","n":1.50}"#), ("note.txt", text)] {
                try Data(content.utf8).write(to: home.directory.appending(path: name))
            }
            let create = try await home.succeed(
                "call", "com.atproto.repo.createRecord", "collection=a.b.c", "--file", "record:=post.json",
                "--file", "note=note.txt", "--dry-run", "--json")
            let sent = try #require((create.json?["body"] as? [String: Any])?["text"] as? String)
            #expect(sent.contains(#""record":{"$type":"a.b.c","text":"hällo","n":1.50}"#))
            let body = try JSONSerialization.jsonObject(with: Data(sent.utf8)) as? [String: Any]
            #expect(body?["note"] as? String == text)
            let query = try await home.succeed(
                "call", "a.b.search", "--file", "q=note.txt", "tag=@file", "--dry-run", "--json")
            let url = try #require(query.json?["url"] as? String)
            #expect(
                URLComponents(string: url)?.queryItems?.map(\.value) == ["@file", text], "\(url)")
        }

        @Test("--file reads standard input as -, once, and -o - writes to standard output")
        func standardStreams() async throws {
            let (_, home) = try await loggedIn()
            let sent = try await home.succeed(
                "call", "a.b.put", "--file", "r[v]:=-", "--dry-run", "--json",
                input: Data(#"{"n":1.50}"#.utf8))
            #expect((sent.json?["body"] as? [String: Any])?["text"] as? String == #"{"r":{"v":{"n":1.50}}}"#)
            for line in [["--file", "a=-", "--file", "b=-"], ["--file", "a=-", "--input", "-"]] {
                let refused = try await home.run(["call", "a.b.put"] + line, input: Data("x".utf8))
                #expect(refused.status == 64 && refused.errors.contains("can only be read once"))
            }
            let both = try await home.succeed(
                "call", "a.b.put", "--file", "a=-", "b=-", "--dry-run", "--json", input: Data("x\n".utf8))
            #expect((both.json?["body"] as? [String: Any])?["text"] as? String == #"{"b":"-","a":"x\n"}"#)
            for more in [[], ["--items"]] {
                let read = try await home.run(
                    ["call", "com.atproto.repo.listRecords", "at://alice.test/a.b.c", "-o", "-"] + more)
                #expect(read.status == 0 && read.output.isEmpty == !more.isEmpty, "\(read.errors)")
            }
            #expect(!FileManager.default.fileExists(atPath: home.directory.appending(path: "-").path))
        }

        @Test("an image from standard input has its own type", .covers("X7"))
        func image() async throws {
            let (_, home) = try await loggedIn()
            let upload = try await home.succeed(
                "call", "com.atproto.repo.uploadBlob", "--input", "-", "--dry-run",
                input: Data([0xff, 0xd8, 0xff, 0xe0]))
            #expect(upload.text.contains("Content-Type: image/jpeg\n"))
        }

        @Test("a body that can't be kept because of TMPDIR says so, and nothing is sent")
        func temporaryDirectory() async throws {
            let (sandbox, home) = try await loggedIn()
            let requests = try await sandbox.requests {
                let refused = try await home.run(
                    "call", "com.atproto.repo.uploadBlob", "--input", "-", "--json",
                    input: Data(count: 2_000_000), environment: ["TMPDIR": "/nonexistent"])
                #expect(refused.status == 1 && refused.errorLine?.code == "temporary_file")
                #expect(
                    refused.errorLine?.message
                        == "a copy of the body can't be kept in /nonexistent: No such file or directory")
                #expect(refused.errorLine?.hint?.hasSuffix(":  export TMPDIR=DIR") == true)
            }
            #expect(requests.isEmpty)
        }

        @Test("what is named beside a whole body goes into the query")
        func besideInput() async throws {
            let (_, home) = try await loggedIn()
            let call = try await home.succeed(
                "call", "a.b.put", "--input", "-", "k=v", "n:=1", "q==w", "--dry-run", "--json",
                input: Data("{}".utf8))
            #expect((call.json?["url"] as? String)?.hasSuffix("/xrpc/a.b.put?k=v&n=1&q=w") == true)
            #expect((call.json?["body"] as? [String: Any])?["length"] as? Int == 2)
        }

        @Test("-X says what the name of a method hides, and a wrong guess names it", .covers("F10"))
        func method() async throws {
            let (sandbox, home) = try await loggedIn()
            let requests = try await sandbox.requests {
                let wrong = try await home.run(
                    "call", "-X", "procedure", "com.atproto.server.getSession", "--json")
                let isExplained = ServerProfile.current.explainsWrongVerb
                #expect(wrong.status == (isExplained ? 10 : 11))
                #expect(
                    wrong.errorLine?.hint?.hasPrefix("bskyauth call -X query com.atproto.server.")
                        == isExplained)
                try await home.succeed("call", "-X", "query", "com.atproto.server.getSession")
            }
            #expect(requests.first?.method == "POST")
            #expect(requests.last?.method == "GET")
        }

        @Test(
            "a body of 20 MB from standard input survives a refresh and a nonce challenge byte for byte",
            .covers("R60", "X7", "F7", "F12"))
        func largeBody() async throws {
            let sandbox = try Sandbox(["--access-token-ttl", "10m"])
            let home = try Home(sandbox)
            let alice = try await home.logIn("alice.test")
            // Without a nonce that looks good, the program would ask for one before it sends the body.
            try await home.succeed("call", "com.atproto.server.getSession")
            try await sandbox.advanceClock("11m")
            let body = try Data.random(count: 20_000_000)
            try await sandbox.resetJournal()
            let upload = try await home.succeed(
                "call", "com.atproto.repo.uploadBlob", "--input", "-", "--content-type", "image/png",
                input: body)
            let requests = try await sandbox.requests()
            let uploads = requests.filter { $0.path == "/xrpc/com.atproto.repo.uploadBlob" }
            let profile = ServerProfile.current
            #expect(uploads.contains { $0.isNonceChallenge || $0.error == profile.refusedProof })
            #expect(uploads.contains { $0.error == profile.refusedToken })
            #expect(requests.filter { $0.isRefresh && $0.consumed }.count == 1)
            #expect(uploads.filter { $0.status == 200 }.count == 1)

            let blob = try #require(upload.json?["blob"] as? [String: Any])
            #expect(blob["size"] as? Int == body.count)
            let cid = try #require((blob["ref"] as? [String: Any])?["$link"] as? String)
            let read = try await home.succeed(
                "call", "com.atproto.sync.getBlob", "did=\(alice.did)", "cid=\(cid)")
            #expect(read.output == body)
            let file = home.directory.appending(path: "blob")
            let saved = try await home.succeed(
                "call", "com.atproto.sync.getBlob", "did=\(alice.did)", "cid=\(cid)", "-o", file.path)
            #expect(saved.output.isEmpty)
            #expect(try Data(contentsOf: file) == body)
        }

        @Test("headers that are the program's own are refused before anything is sent")
        func reservedHeaders() async throws {
            let (sandbox, home) = try await loggedIn()
            let requests = try await sandbox.requests {
                for header in [
                    "Authorization:DPoP x", "DPoP:x", "host:example.com", "Content-Length:3",
                    "Transfer-Encoding:chunked", "Cookie:a=b", "X-Split:a\r\nDPoP: b",
                ] {
                    let item = try await home.run("call", "com.atproto.server.getSession", header)
                    #expect(item.status == 64, "\(header)")
                    let flag = try await home.run("call", "com.atproto.server.getSession", "-H", header)
                    #expect(flag.status == 64, "\(header)")
                }
            }
            #expect(requests.isEmpty)
        }

        @Test("what makes no call is a usage error and asks nobody")
        func usage() async throws {
            let (sandbox, home) = try await loggedIn()
            let requests = try await sandbox.requests {
                for arguments in [
                    ["getSession"], ["https://evil.example/xrpc/a.b.get"],
                    ["com.atproto.server.getSession", "item"],
                    ["com.atproto.server.getSession", "a:={"],
                    ["com.atproto.server.getSession", "a:={}"],
                    ["com.atproto.server.getSession", "--input", "-"],
                    ["com.atproto.repo.createRecord", "collection=a", "collection=b"],
                    ["com.atproto.server.getSession", "--unknown"],
                    ["a.b.put", "--file", "record"], ["a.b.put", "--file", "record=absent.json"],
                    ["a.b.put", "--file", "record=key"], ["a.b.put", "--file", "record:=key"],
                    ["a.b.put", "--input", "absent.json"],
                ] {
                    let result = try await home.run(["call"] + arguments)
                    #expect(result.status == 64, "\(arguments): \(result.errors)")
                    #expect(result.output.isEmpty)
                }
            }
            #expect(requests.isEmpty)
        }

        private func loggedIn() async throws -> (Sandbox, Home) {
            let sandbox = try Sandbox()
            let home = try Home(sandbox)
            try await home.logIn("alice.test")
            return (sandbox, home)
        }
    }
}
