import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    @Suite("Facets of a post")
    struct CallFacetTests {
        private static let create = [
            "call", "com.atproto.repo.createRecord", "collection=app.bsky.feed.post", "--facets",
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
            #expect(result.status == 0, "\(result.errors)")
            return result
        }

        /// The facets of the record that a call has made: each part of the text with what it stands for.
        private func facets(_ created: Program.Result) async throws -> [[String]] {
            #expect(created.status == 0, "\(created.errors)")
            let uri = try #require(created.json?["uri"] as? String)
            let read = try await home.succeed("call", "com.atproto.repo.getRecord", uri)
            let record = try #require(read.json?["value"] as? [String: Any])
            let text = Array(try #require(record["text"] as? String).utf8)
            return (record["facets"] as? [[String: Any]] ?? []).map { facet in
                guard let index = facet["index"] as? [String: Int], let start = index["byteStart"],
                    let end = index["byteEnd"],
                    let feature = (facet["features"] as? [[String: String]])?.first
                else { return [] }
                let values = ["did", "uri", "tag"].compactMap { feature[$0] }
                return [String(decoding: text[start..<end], as: UTF8.self), feature["$type"] ?? ""] + values
            }
        }

        @Test(
            "a post gets its facets, from an item, a file, standard input or a whole body",
            .covers("X15", "F11"))
        func post() async throws {
            let text = "👋🏽 @bob.test: see https://例え.test/x_(y)! (#日本語) #a1, bob.test"
            let bob = try #require(
                try await home.succeed("resolve", "bob.test", "--json").json?["did"] as? String)
            let expected = [
                ["@bob.test", "app.bsky.richtext.facet#mention", bob],
                ["https://例え.test/x_(y)", "app.bsky.richtext.facet#link", "https://例え.test/x_(y)"],
                ["#a1", "app.bsky.richtext.facet#tag", "a1"],
            ]
            let file = home.directory.appending(path: "text.txt")
            try Data(text.utf8).write(to: file)
            let did = try #require(try await home.active()).did
            let body = try JSONSerialization.data(withJSONObject: [
                "repo": did, "collection": "app.bsky.feed.post",
                "record": ["text": text, "createdAt": "2026-01-02T03:04:05Z"],
            ])
            for (arguments, input) in [
                (Self.create + ["record[text]=\(text)"], nil),
                (Self.create + ["--field", "record[text]=\(text)"], nil),
                (Self.create + ["--file", "record[text]=\(file.path)"], nil),
                (Self.create + ["--file", "record[text]=-"], Data(text.utf8)),
                (
                    Self.create + ["--file", "record:=-"],
                    try JSONSerialization.data(withJSONObject: ["text": text])
                ),
                (["call", "com.atproto.repo.createRecord", "--facets", "--input", "-"], body),
            ] as [([String], Data?)] {
                #expect(try await facets(home.run(arguments, input: input)) == expected, "\(arguments)")
            }
        }

        @Test("a mention that is not proven both ways stays text, and a line says so", .covers("X15"))
        func mentions() async throws {
            let created = try await home.run(
                Self.create + ["record[text]=@nobody.test @bob.test @nobody.test @photo.jpg", "--json"])
            #expect(try await facets(created).map(\.first) == ["@bob.test"])
            #expect(created.errors.contains("@nobody.test stays text: "))
            #expect(created.errors.contains("@photo.jpg stays text: .jpg is no top-level domain"))
            #expect(created.errors.split(separator: "\n").count { $0.contains("stays text") } == 2)
        }

        @Test(
            "a mention that can't be looked up now is not left out: nothing is written", .covers("X15"),
            arguments: [#"{"drop":"before"}"#, #"{"respond":{"status":503}}"#])
        func networkFailure(action: String) async throws {
            try await sandbox.setFaults(
                #"[{"match":{"path":"/xrpc/com.atproto.identity.resolveHandle"},"action":\#(action)}]"#)
            let refused = try await home.run(Self.create + ["record[text]=hi @bob.test", "--json"])
            #expect(refused.status == 12, "\(refused.errors)")
            #expect(refused.errors.contains("nothing was written, because @bob.test could not be looked up"))
            #expect(
                refused.errorLine?.hint == "run the same command again later, or write bob.test without @")
            let writes = try await sandbox.journal().filter {
                ($0["path"] as? String)?.hasSuffix("createRecord") == true
            }
            #expect(writes.isEmpty)
        }

        @Test("a mention whose account names another handle stays text", .covers("X15", "R8"))
        func oneWay() async throws {
            try await sandbox.post(
                "/_sandbox/faults",
                #"[{"match":{"role":"plc"},"action":{"amend":{"set":{"/alsoKnownAs":["at://mallory.test"]}}}}]"#
            )
            let shown = try await home.run(Self.create + ["record[text]=hi @bob.test"])
            #expect(try await facets(shown).isEmpty)
            #expect(shown.errors.contains("@bob.test stays text: "), "\(shown.errors)")
        }

        @Test("a handle is looked up now, and not taken from what is cached")
        func lookup() async throws {
            try await home.succeed("resolve", "bob.test")
            let requests = try await sandbox.requests {
                _ = try await succeed(Self.create + ["record[text]=@bob.test"])
            }
            #expect(
                requests.contains { $0.path.contains("atproto-did") || $0.path.contains("resolveHandle") })
            let plain = try await sandbox.requests {
                _ = try await succeed(Self.create + ["record[text]=https://a.com #b"])
            }
            #expect(plain.count == 1)
        }

        @Test("--dry-run shows the facets and looks up no handle")
        func dryRun() async throws {
            let requests = try await sandbox.requests {
                let shown = try await succeed(
                    Self.create + ["record[text]=é #b @bob.test", "--dry-run"])
                #expect(shown.text.contains(#""index":{"byteStart":3,"byteEnd":5}"#))
                #expect(!shown.text.contains("facet#mention"))
                #expect(shown.errors.contains("@bob.test stays text here: --dry-run looks up no handle"))
            }
            #expect(requests.isEmpty)
        }

        @Test("without a text, or with facets, nothing is sent", .covers("X15"))
        func refused() async throws {
            let long = home.directory.appending(path: "long.json")
            try Data(("{\"record\":{\"text\":\"" + String(repeating: "a", count: 1 << 20) + "\"}}").utf8)
                .write(to: long)
            let half = Data(#"{"record":{"text":"\ud800 #a"}}"#.utf8)
            let requests = try await sandbox.requests {
                for (arguments, code, words) in [
                    (["record:={}"], "invalid_record", "record[text] is missing"),
                    (["record[text]:=5"], "invalid_record", "record[text] has to be text"),
                    (["record[text]:=5", "--no-check"], "no_facets", "there is none"),
                    (
                        ["record[text]=#a", "record[facets]:=[]"], "facets_given",
                        "leave out --facets or record[facets]"
                    ),
                ] as [([String], String, String)] {
                    let result = try await home.run(Self.create + arguments)
                    #expect(result.status == 64 && result.errors.contains(words), "\(result.errors)")
                    let json = try await home.run(Self.create + arguments + ["--json"])
                    #expect(json.errorLine?.code == code)
                }
                for (arguments, words, input) in [
                    (
                        ["com.atproto.repo.deleteRecord", "collection=a.b.c", "rkey=x"],
                        "is for com.atproto.repo.createRecord", nil
                    ),
                    (["app.bsky.feed.getTimeline"], "is for com.atproto.repo.createRecord", nil),
                    (["com.atproto.repo.createRecord", "--input", long.path], "at most 1 MiB", nil),
                    (["com.atproto.repo.createRecord", "--input", "-"], "a JSON object in UTF-8", half),
                    (
                        ["com.atproto.repo.createRecord", "--input", "-"], "a JSON object in UTF-8",
                        Data("#a".utf8)
                    ),
                ] as [([String], String, Data?)] {
                    let result = try await home.run(["call", "--facets"] + arguments, input: input)
                    #expect(result.status == 64 && result.errors.contains(words), "\(result.errors)")
                }
            }
            #expect(requests.isEmpty)
        }

        @Test("the command in place of a retried createRecord finds the facets, too")
        func retry() async throws {
            let refused = try await home.run(
                Self.create + ["record[text]=see https://a.com #b", "--retry", "2"])
            #expect(refused.status == 64)
            let command = try #require(
                refused.errors.firstMatch(of: /bskyauth (call com.atproto.repo.putRecord.*)/)
            ).1
            #expect(command.contains("--facets"))
        }
    }
}
