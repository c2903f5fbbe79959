import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    @Suite("Writes by short calls")
    struct CallWriteTests {
        private static let create = [
            "call", "com.atproto.repo.createRecord", "collection=app.bsky.feed.post",
        ]

        private let sandbox: Sandbox
        private let home: Home

        init() async throws {
            sandbox = try Sandbox()
            home = try Home(sandbox)
            try await home.logIn("alice.test")
        }

        private func succeed(_ arguments: [String]) async throws -> Program.Result {
            let result = try await home.run(arguments)
            #expect(result.status == 0, "\(arguments): \(result.errors)")
            return result
        }

        @Test("a post is one line without JSON, and reads back whole", .covers("F11"))
        func post() async throws {
            let created = try await succeed(
                Self.create + [
                    "record[text]=Hello!", "record[langs][]=en", "--field", "record[a][b]=x=[y]", "-v",
                ])
            #expect(
                created.errors.contains(
                    "filled in: repo, record[$type], record[createdAt] (--no-defaults sends the items alone)")
            )
            let uri = try #require(created.json?["uri"] as? String)
            let read = try await home.succeed("call", "com.atproto.repo.getRecord", uri)
            let record = try #require(read.json?["value"] as? [String: Any])
            #expect(Set(record.keys) == ["$type", "text", "langs", "a", "createdAt"])
            #expect(
                record["$type"] as? String == "app.bsky.feed.post" && record["text"] as? String == "Hello!")
            #expect(
                record["langs"] as? [String] == ["en"] && record["a"] as? [String: String] == ["b": "x=[y]"])
            let createdAt = try #require(record["createdAt"] as? String)
            #expect(try Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(createdAt) <= Date())
            #expect(createdAt.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
        }

        @Test("createdAt is in the server's time, which a refused proof has taught", .covers("F11"))
        func serverTime() async throws {
            try await sandbox.advanceClock("30m")
            let before = Date()
            try await home.succeed("call", "com.atproto.server.getSession")
            let shown = try await succeed(Self.create + ["record[text]=x", "--dry-run"])
            let createdAt = try #require(shown.text.firstMatch(of: /"createdAt":"([^"]*)"/)).1
            let time = try Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(String(createdAt))
            #expect(time > before.addingTimeInterval(29 * 60) && time < before.addingTimeInterval(60 * 60))
        }

        @Test("a record is read and deleted by its address, of an AT-URI or of a page")
        func addresses() async throws {
            for key in ["one", "two"] {
                _ = try await succeed(
                    [
                        "call", "com.atproto.repo.putRecord", "at://alice.test/app.bsky.feed.post/\(key)",
                        "record:={}", "--no-check",
                    ])
            }
            let page = "https://bsky.app/profile/alice.test/post/two"
            let read = try await home.succeed("call", "com.atproto.repo.getRecord", page, "--anonymous")
            #expect(read.json?["value"] as? [String: String] == ["$type": "app.bsky.feed.post"])
            let did = try #require(try await home.active()).did
            for address in ["at://\(did)/app.bsky.feed.post/one", page] {
                try await home.succeed("call", "com.atproto.repo.deleteRecord", address)
            }
            let list = try await home.succeed(
                "call", "com.atproto.repo.listRecords", "at://alice.test/app.bsky.feed.post")
            #expect((list.json?["records"] as? [Any])?.isEmpty == true)
        }

        @Test("--no-defaults sends the items alone, and a whole body is sent as it is")
        func noDefaults() async throws {
            let items = ["collection=app.bsky.feed.post", "record[text]=x"]
            let shown = try await succeed(
                [
                    "call", "com.atproto.repo.createRecord", "--no-defaults", "--dry-run", "--json", "-v",
                    "--no-check",
                ]
                    + items)
            let text = (shown.json?["body"] as? [String: Any])?["text"] as? String
            #expect(text == #"{"collection":"app.bsky.feed.post","record":{"text":"x"}}"#)
            #expect(!shown.errors.contains("filled in"))
            let body = Data(
                #"{"repo":"alice.test","collection":"com.example.note","record":{"text":"x"}}"#.utf8)
            let created = try await home.succeed(
                "call", "com.atproto.repo.createRecord", "--input", "-", input: body)
            let uri = try #require(created.json?["uri"] as? String)
            let read = try await home.succeed("call", "com.atproto.repo.getRecord", uri)
            #expect(read.json?["value"] as? [String: String] == ["text": "x"])
        }

        @Test("a repository may be named by the account's handle, and by nothing else but its DID")
        func repository() async throws {
            let requests = try await sandbox.requests {
                for repo in [
                    "repo=bob.test", "repo=did:web:example.com", "repo=alice", "repo:=5", "repo:=null",
                ] {
                    for more in [[], ["--no-defaults"]] {
                        let refused = try await home.run(
                            Self.create + ["record[text]=x", repo, "--json"] + more)
                        #expect(refused.status == 64, "\(repo) \(refused.errors)")
                        #expect(refused.errorLine?.code == "foreign_repository")
                    }
                }
                let deleted = try await home.run(
                    "call", "com.atproto.repo.deleteRecord", "at://bob.test/a.b.c/x")
                #expect(deleted.status == 64)
                #expect(deleted.errors.contains("bskyauth call -a bob.test com.atproto.repo.deleteRecord …"))
            }
            #expect(requests.isEmpty)
            _ = try await succeed(Self.create + ["record[text]=x", "repo=Alice.Test"])
        }

        @Test("items that say two things, or say them in the wrong place, are refused and nothing is sent")
        func refused() async throws {
            let requests = try await sandbox.requests {
                for (arguments, words) in [
                    (["com.atproto.repo.createRecord", "record=hi", "record[text]=x"], "record"),
                    (["a.b.put", "a=1", "a[b]=2"], "\"a[b]\" contradicts another item"),
                    (["a.b.put", "a[b=1"], "a literal bracket is written \\["),
                    (["a.b.put", "a[1]=x"], "but not \"a[0]\""),
                    (["a.b.get", "a[b]=1"], "nothing is nested"),
                    (["a.b.put", "a[b]==1"], "nothing is nested"),
                    (["com.atproto.repo.getRecord", "at://a.com/a.b.c/k", "rkey=x"], "rkey is given twice"),
                    (["com.atproto.repo.getRecord", "at://a.com", "at://a.com"], "repo is given twice"),
                    (["app.bsky.feed.getPostThread", "at://a.com/a.b.c/k"], "uri=at://a.com/a.b.c/k"),
                    (["com.atproto.repo.listRecords", "at://a.com/a.b.c/k"], "takes at://REPO/COLLECTION"),
                    (
                        ["com.atproto.repo.putRecord", "at://a.com/a.b.c/k", "--input", "key"],
                        "the body names"
                    ),
                    (["a.b.get", "https://example.com"], "write name=URL"),
                    (["com.atproto.repo.createRecord", "text=hello"], "write 'record[text]=hello'"),
                    (["com.atproto.repo.createRecord", "record.a.b=x y"], "write 'record[a][b]=x y'"),
                    (["com.atproto.repo.putRecord", "langs[]=en"], "write 'record[langs][]=en'"),
                    (["com.atproto.repo.createRecord", "tags:=[1]"], "write 'record[tags]:=[1]'"),
                    (
                        ["com.atproto.repo.deleteRecord", "uri=at://a.com/a.b.c/k"],
                        "\n  bskyauth call com.atproto.repo.deleteRecord at://a.com/a.b.c/k\n"
                    ),
                    (
                        ["com.atproto.repo.getRecord", "uri=at://a.com/a.b.c/k"],
                        "\n  bskyauth call com.atproto.repo.getRecord at://a.com/a.b.c/k\n"
                    ),
                    (
                        ["com.atproto.repo.listRecords", "collection=a.b.c"],
                        "\n  bskyauth call com.atproto.repo.listRecords at://HANDLE/a.b.c\n"
                    ),
                    (
                        ["com.atproto.repo.getRecord", "collection=a.b.c"],
                        "\n  bskyauth call com.atproto.repo.getRecord at://HANDLE/a.b.c/RKEY\n"
                    ),
                    (["com.atproto.repo.uploadBlob", "my photo.png"], "uploadBlob --input 'my photo.png'\n"),
                    (["com.atproto.repo.createRecord", "body.json"], "createRecord --input body.json\n"),
                    (["getRecord", "at://a.com/a.b.c/k"], "did you mean com.atproto.repo.getRecord or "),
                ] {
                    let result = try await home.run(["call"] + arguments)
                    #expect(result.status == 64 && result.output.isEmpty, "\(arguments): \(result.errors)")
                    #expect(result.errors.contains(words), "\(result.errors)")
                }
            }
            #expect(requests.isEmpty)
        }

        @Test("several writes are carried out in one commit, or none of them", .covers("F11"))
        func severalWrites() async throws {
            let nsid = "com.atproto.repo.applyWrites"
            func write(_ index: Int, _ action: String, _ key: String, _ text: String? = nil) -> [String] {
                let members =
                    ["[$type]=\(nsid)#\(action)", "[collection]=com.example.note", "[rkey]=\(key)"]
                    + (text.map { ["[value][text]=\($0)"] } ?? [])
                return members.map { "writes[\(index)]\($0)" }
            }
            let made = try await succeed(
                ["call", nsid] + write(0, "create", "a", "one") + write(1, "create", "b", "two"))
            #expect((made.json?["results"] as? [Any])?.count == 2)
            // The second one fails, because its key is taken.
            let half = try await home.run(
                ["call", nsid] + write(0, "delete", "a") + write(1, "create", "b", "three"))
            #expect(half.status != 0)
            for (key, text) in [("a", "one"), ("b", "two")] {
                let read = try await home.succeed(
                    "call", "com.atproto.repo.getRecord", "at://alice.test/com.example.note/\(key)")
                #expect(
                    read.json?["value"] as? [String: String]
                        == ["$type": "com.example.note", "text": text])
            }
            let changed = try await succeed(
                ["call", nsid] + write(0, "delete", "a") + write(1, "update", "b", "three"))
            let types = (changed.json?["results"] as? [[String: Any]])?.map { $0["$type"] as? String }
            #expect(types == ["\(nsid)#deleteResult", "\(nsid)#updateResult"])
        }

        @Test("--no-check sends what is written, also beside the record")
        func unchecked() async throws {
            for items in [["text=hello"], ["uri=at://a.com/a.b.c/k"], ["record[a]=x", "text=hello"]] {
                let shown = try await home.run(
                    ["call", "com.atproto.repo.createRecord", "--dry-run", "--no-check"] + items)
                #expect(shown.status == 0, "\(shown.errors)")
            }
        }

        @Test("a refused body of --input is explained, and its doubts are said once")
        func refusedBody() async throws {
            let nsid = "com.atproto.repo.createRecord"
            let body = Data(#"{"collection":"a.b.c","record":{}}"#.utf8)
            let noRepo = try await home.run(["call", nsid, "--input", "-"], input: body)
            #expect(noRepo.status == 10)
            #expect(
                noRepo.errors.hasSuffix(
                    "\n  nothing is added to a body from --input, so it must have \"repo\" too; "
                        + "with items it is filled in: bskyauth help \(nsid)\n"), "\(noRepo.errors)")
            try Data([0x89, 0x50, 0x4e, 0x47]).write(to: home.directory.appending(path: "photo.png"))
            let photo = try await home.run(
                "call", nsid, "collection=a.b.c", "--input", home.directory.appending(path: "photo.png").path)
            #expect(
                photo.status == 10 && photo.errors.contains("uploadBlob --input FILE\n"), "\(photo.errors)")
            #expect(photo.errors.components(separatedBy: "has no parameter").count == 2, "\(photo.errors)")
        }

        @Test("text for a record is refused with the two ways to write it")
        func textForRecord() async throws {
            for (arguments, hint) in [
                (Self.create + ["record={}"], "record:='{}', or 'record[text]=…'"),
                (Self.create + ["--field", #"record={"text":"it's"}"#], "'record[text]=…'"),
                (["call", "com.atproto.repo.applyWrites", "writes=[]"], "'writes[0][collection]=…'"),
            ] {
                let result = try await home.run(arguments)
                #expect(result.status == 64 && result.errors.contains(hint), "\(result.errors)")
            }
            // Of other methods the program does not know.
            let other = try await home.run("call", "a.b.put", "record={}", "--dry-run")
            #expect(other.status == 0, "\(other.errors)")
        }
    }
}
