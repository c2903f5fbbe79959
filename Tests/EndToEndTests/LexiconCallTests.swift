import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    /// Calls that follow the lexicons of their publishers.
    @Suite("Calls of other apps") struct LexiconCallTests {
        private let publisher: LexiconPublisher
        /// Who calls.
        private let caller: Home

        init() async throws {
            publisher = try await LexiconPublisher()
            caller = try Home(publisher.sandbox, publisher.variables)
        }

        /// The paths of the requests of a command.
        private func paths(_ arguments: String..., status: Int32? = nil) async throws -> [String] {
            var result: Program.Result?
            let requests = try await publisher.sandbox.requests { result = try await caller.run(arguments) }
            let errors = result?.errors ?? ""
            if let status { #expect(result?.status == status, "\(arguments): \(errors)") }
            return requests.map { "\($0.method) \($0.path.replacing("/xrpc/", with: ""))" }
        }

        @Test(
            "a call has the verb and the parameters of its publisher, and is one request once they are here")
        func call() async throws {
            try await publisher.publish(LexiconPublisher.tree)
            try await caller.logIn("bob.test")
            let words = ["call", LexiconPublisher.tree, "ref=main", "repo=x"]
            let first = try await publisher.sandbox.requests { _ = try await caller.run(words) }
            #expect(first.contains { $0.path.hasSuffix("com.atproto.sync.getRecord") && $0.auth == nil })
            #expect(first.count <= 5 && first.last?.method == "GET", "\(first.map(\.path))")
            #expect(
                try await paths("call", LexiconPublisher.tree, "ref=main", "repo=x") == [
                    "GET \(LexiconPublisher.tree)"
                ])
            #expect(try await paths("call", LexiconPublisher.tree, "repo=x", status: 64).isEmpty)
            #expect(
                try await paths("call", LexiconPublisher.tree, "repo=x", "--no-check", "-X", "procedure")
                    == ["POST \(LexiconPublisher.tree)"])
            // The service is another one, and the method is the same.
            let proxied = try await paths(
                "call", LexiconPublisher.tree, "ref=main", "--proxy", "did:web:knot.example.com#knot",
                status: 64)
            #expect(proxied.isEmpty)
        }

        @Test("a record of another app is completed and checked before it is sent")
        func record() async throws {
            let issue = "sh.tangled.repo.issue"
            try await publisher.publish(issue)
            try await caller.logIn("bob.test")
            let create = ["call", "com.atproto.repo.createRecord", "collection=\(issue)"]
            let refused = try await caller.run(create + ["record[title]=hello"])
            #expect(refused.status == 64 && refused.errors.contains("record[repo] is missing"))
            #expect(refused.errors.contains("bskyauth help \(issue)"))
            let whole = ["record[title]=hello", "record[repo]=at://alice.test"]
            let shown = try await caller.run(create + whole + ["--dry-run"])
            #expect(shown.text.contains(#""createdAt":""#))
            let made = try await caller.run(create + whole)
            let uri = try #require(made.json?["uri"] as? String)
            let record = try await caller.succeed("call", "com.atproto.repo.getRecord", uri)
            let value = record.json?["value"] as? [String: Any]
            #expect((value?["createdAt"] as? String)?.hasSuffix("Z") == true)
            let misspelt = ["call", "com.atproto.repo.createRecord", "collection=\(issue)s"]
            let unknown = try await caller.run(misspelt + whole)
            #expect(
                unknown.errors.contains("the lexicon of \(issue)s is not known, so its record is not checked")
            )
        }

        @Test("a publisher that can't be asked stops no call, and is left alone for a while")
        func quiet() async throws {
            try await publisher.publish(LexiconPublisher.tree)
            try await caller.logIn("bob.test")
            try await publisher.sandbox.setFaults(
                Faults.answer("com.atproto.sync.getRecord", 503, body: "{}"))
            let asked = try await paths("call", LexiconPublisher.tree, "ref=main")
            #expect(
                asked.contains("GET com.atproto.sync.getRecord")
                    && asked.last == "POST \(LexiconPublisher.tree)")
            #expect(
                try await paths("call", LexiconPublisher.tree, "ref=main") == [
                    "POST \(LexiconPublisher.tree)"
                ])
        }

        @Test("no publisher is asked by --dry-run, --no-check, --anonymous, -X, or if that is off")
        func asksNobody() async throws {
            try await publisher.publish(LexiconPublisher.tree)
            try await caller.logIn("bob.test")
            let requests = try await publisher.sandbox.requests {
                for options in [["--dry-run"], ["--no-check"], ["--anonymous"], ["-X", "query"]] {
                    _ = try await caller.run(["call", LexiconPublisher.tree, "ref=main"] + options)
                }
                _ = try await caller.run(
                    ["call", LexiconPublisher.tree, "ref=main"], environment: ["BSKYAUTH_LEXICONS": "off"])
            }
            #expect(requests.count >= 4)
            #expect(requests.allSatisfy { !$0.path.hasSuffix("com.atproto.sync.getRecord") })
        }

        @Test("what a publisher calls a query is not sent twice if its name says something else")
        func deleteEverything() async throws {
            let name = "sh.tangled.repo.deleteEverything"
            let main: [String: Any] = ["type": "query", "output": ["encoding": "application/json"]]
            var document = try #require(publisher.documents[LexiconPublisher.tree] as? [String: Any])
            document.merge(["id": name, "defs": ["main": main]]) { $1 }
            try await publisher.publish(name, document)
            try await caller.logIn("bob.test")
            #expect(try await paths("call", name).last == "GET \(name)")
            #expect(try await paths("call", name, "--retry", "3", status: 64).isEmpty)
            try await publisher.sandbox.setFaults(
                #"[{"match":{"path":"/xrpc/\#(name)"},"action":{"drop":"before"}}]"#)
            #expect(try await paths("call", name, status: 12) == ["GET \(name)"])
        }

        @Test("a lexicon of the cache that was changed is asked for again")
        func changed() async throws {
            try await publisher.publish(LexiconPublisher.tree)
            try await caller.logIn("bob.test")
            _ = try await paths("call", LexiconPublisher.tree, "ref=main", "repo=x")
            let folder = caller.directory.appending(path: "cache/bskyauth/lexicons")
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
                let file = folder.appending(path: name)
                let text = try String(contentsOf: file, encoding: .utf8)
                #expect(text.contains("query"))
                try Data(text.replacing("query", with: "procedure").utf8).write(to: file)
            }
            let asked = try await paths("call", LexiconPublisher.tree, "ref=main", "repo=x")
            #expect(
                asked.contains("GET com.atproto.sync.getRecord")
                    && asked.last == "GET \(LexiconPublisher.tree)")
        }

        @Test("a name that its publisher does not have hides no other name of his")
        func misspelt() async throws {
            let issue = "sh.tangled.repo.issue"
            try await publisher.publish(issue)
            try await caller.logIn("bob.test")
            let create = ["call", "com.atproto.repo.createRecord", "record[title]=hello"]
            let misspelt = try await caller.run(create + ["collection=sh.tangled.repo.isue"])
            #expect(misspelt.errors.contains("sent as it is typed: the lexicon of sh.tangled.repo.isue"))
            let refused = try await caller.run(create + ["collection=\(issue)"])
            #expect(refused.status == 64 && refused.errors.contains("record[repo] is missing"))
            // What help keeps without a vault takes nothing away from calls.
            try await publisher.publish(LexiconPublisher.tree)
            try await caller.succeed("help", issue)
            let again = try await caller.run(create + ["collection=\(issue)"])
            #expect(again.status == 64, "\(again.errors)")
            let method = try await caller.run(create + ["collection=\(LexiconPublisher.tree)"])
            #expect(
                method.errors.contains("the lexicon of \(LexiconPublisher.tree) is not that of a collection"))
        }

        @Test("a record of another app in a file is checked, and its bytes are sent as they are")
        func file() async throws {
            let issue = "sh.tangled.repo.issue"
            try await publisher.publish(issue)
            try await caller.logIn("bob.test")
            let file = caller.directory.appending(path: "body.json")
            func write(_ record: String) async throws -> Program.Result {
                let body = #"{"repo":"bob.test","collection":"\#(issue)","record":\#(record)}"#
                try Data(body.utf8).write(to: file)
                return try await caller.run("call", "com.atproto.repo.createRecord", "--input", file.path)
            }
            let refused = try await write(#"{"title":"hello"}"#)
            #expect(refused.status == 64 && refused.errors.contains("record[repo] is missing"))
            let date = "2026-11-29T10:00:00Z"
            let whole = try await write(
                #"{"title":"hello","repo":"at://alice.test","createdAt":"\#(date)"}"#)
            #expect(whole.status == 0, "\(whole.errors)")
        }

        @Test(
            "a folder that lex install wrote comes first, and another file than its manifest names is refused"
        )
        func folder() async throws {
            try await caller.logIn("bob.test")
            let folder = caller.directory.appending(path: "lexicons")
            let place = folder.appending(path: "sh/tangled/repo")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            let document = try #require(publisher.documents[LexiconPublisher.tree] as? [String: Any])
            let data = try JSONSerialization.data(withJSONObject: document)
            try data.write(to: place.appending(path: "tree.json"))
            // The identifier of the value, which is that of the record without its $type.
            let manifest =
                #"{"version":1,"lexicons":["\#(LexiconPublisher.tree)"],"resolutions":"#
                + #"{"\#(LexiconPublisher.tree)":{"uri":"at://did:web:a.example.com/x/y","cid":"CID"}}}"#
            let list = caller.directory.appending(path: "lexicons.json")
            try Data(manifest.utf8).write(to: list)
            let line = ["call", LexiconPublisher.tree, "repo=x", "--lexicons", folder.path]
            let wrong = try await caller.run(line + ["--json"])
            #expect(
                wrong.status == 13 && wrong.errors.contains(#""code":"lexicon_changed""#), "\(wrong.errors)")
            let cid = try #require(wrong.errors.firstMatch(of: /bafyrei[a-z2-7]+/)?.output)
            try Data(manifest.replacing("CID", with: String(cid)).utf8).write(to: list)
            let requests = try await publisher.sandbox.requests {
                let refused = try await caller.run(line)
                #expect(refused.status == 64 && refused.errors.contains("needs the parameter"))
                let help = try await caller.succeed(
                    "help", LexiconPublisher.tree, "--lexicons", folder.path)
                #expect(help.text.contains("is a query of \(folder.path)"))
            }
            #expect(requests.isEmpty)
            let variable = try await caller.run(
                "help", LexiconPublisher.tree, environment: ["BSKYAUTH_LEXICONS": folder.path])
            #expect(variable.status == 0, "\(variable.errors)")
        }
    }
}
