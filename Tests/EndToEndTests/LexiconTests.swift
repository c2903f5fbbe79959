import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    /// Lexicons that their publishers prove, with a real name server and the repositories of the sandbox.
    @Suite("Lexicons of other apps") struct LexiconTests {
        private static let authority = "repo.tangled.sh"
        private static let tree = "sh.tangled.repo.tree"

        private let sandbox: Sandbox
        /// Who publishes.
        private let publisher: Home
        /// Who looks: no vault and no key.
        private let reader: Home
        /// Who calls.
        private let caller: Home
        private let documents: [String: Any]

        init() async throws {
            sandbox = try Sandbox(accounts: ["alice.test", "bob.test"])
            publisher = try Home(sandbox)
            let names = try await sandbox.post("/_sandbox/names", #"{"name":"unused.test","texts":[]}"#)
            let answer = try JSONSerialization.jsonObject(with: names) as? [String: String]
            let server = try #require(answer?["dns"])
            reader = try Home(sandbox, key: ["BSKYAUTH_DNS_SERVER": server])
            caller = try Home(sandbox, ["BSKYAUTH_DNS_SERVER": server])
            let file = try Data(
                contentsOf: Paths.repository.appending(path: "Tests/Fixtures/lexicons-tangled.json"))
            let all = try JSONSerialization.jsonObject(with: file) as? [String: Any]
            documents = try #require(all?["lexicons"] as? [String: Any])
            try await publisher.logIn("alice.test")
            try await name(["did=\(did)"])
        }

        private var did: String {
            get async throws {
                try await publisher.succeed("resolve", "alice.test", "--get", ".did").text
                    .trimmingCharacters(in: .newlines)
            }
        }

        /// Says in DNS who publishes.
        private func name(_ texts: [String]) async throws {
            let body: [String: Any] = ["name": "_lexicon.\(Self.authority)", "texts": texts]
            let json = try JSONSerialization.data(withJSONObject: body)
            try await sandbox.post("/_sandbox/names", String(decoding: json, as: UTF8.self))
        }

        /// Publishes a lexicon under a name, with members that differ.
        private func publish(_ nsid: String, changing changes: [String: Any] = [:]) async throws {
            let document = try #require(documents[nsid] as? [String: Any])
            try await publish(nsid, document.merging(changes) { $1 })
        }

        private func publish(_ nsid: String, _ document: [String: Any]) async throws {
            let document = ["$type": "com.atproto.lexicon.schema"].merging(document) { $1 }
            let file = publisher.directory.appending(path: "lexicon.json")
            try JSONSerialization.data(withJSONObject: document).write(to: file)
            try await publisher.succeed(
                "call", "com.atproto.repo.putRecord", "collection=com.atproto.lexicon.schema", "rkey=\(nsid)",
                "--file", "record:=\(file.path)", "--no-check")
        }

        private func fault(_ name: String) async throws {
            try await sandbox.post("/_sandbox/repositories", #"{"handle":"alice.test","fault":"\#(name)"}"#)
        }

        private var cache: URL { reader.directory.appending(path: "cache/bskyauth/lexicons") }

        private var kept: [String] {
            (try? FileManager.default.contentsOfDirectory(atPath: cache.path)) ?? []
        }

        @Test(
            "help of a method comes from its publisher, with proof and without credentials, and is kept",
            .covers("X16"))
        func method() async throws {
            try await publish(Self.tree)
            let did = try await did
            let requests = try await sandbox.requests {
                let help = try await reader.succeed("help", Self.tree)
                #expect(help.text.hasPrefix("\(Self.tree) is a query that \(did) publishes, proven "))
                #expect(help.text.contains("  ref   string  required\n"))
                #expect(help.text.contains("bskyauth call \(Self.tree) ref=REF repo="))
            }
            #expect(requests.map(\.path).count == 2, "\(requests.map(\.path))")
            #expect(requests.allSatisfy { $0.auth == nil && $0.proof == nil })
            let again = try await sandbox.requests {
                let help = try await reader.succeed("help", Self.tree)
                #expect(help.text.contains(" publishes, from the cache of this machine of "))
            }
            #expect(again.isEmpty)
        }

        @Test("help of a collection and of a permission set, whose words are made of its permissions")
        func others() async throws {
            try await publish("sh.tangled.repo.issue")
            let record = try await reader.succeed("help", "sh.tangled.repo.issue")
            #expect(record.text.contains("  title      required  text\n"), "\(record.text)")
            let permission: [String: Any] = [
                "type": "permission", "resource": "repo", "collection": ["sh.tangled.repo.issue"],
                "action": ["create", "delete"],
            ]
            let foreign: [String: Any] = [
                "type": "permission", "resource": "repo", "collection": ["app.bsky.feed.post"],
            ]
            let set: [String: Any] = [
                "type": "permission-set", "title": "Only look", "permissions": [permission, foreign],
            ]
            try await publish(
                Self.tree, changing: ["id": "sh.tangled.repo.issue", "defs": ["main": set]])
            // Another id than the record's key is no lexicon of this name.
            #expect(try await reader.run("help", Self.tree).status == 13)
            try await publish(Self.tree, changing: ["defs": ["main": set]])
            let help = try await reader.succeed("help", Self.tree)
            #expect(help.text.contains("create and delete records of sh.tangled.repo.issue"), "\(help.text)")
            #expect(help.text.contains(#"Its author calls it "Only look"."#))
            #expect(!help.text.contains("app.bsky.feed.post"))
        }

        @Test(
            "a lexicon without proof is neither shown nor kept", .covers("X16", "F14"),
            arguments: [
                "wrong_key", "wrong_did", "high_s", "future_revision", "missing_block", "non_canonical",
            ])
        func unproven(fault name: String) async throws {
            try await publish(Self.tree)
            try await fault(name)
            let help = try await reader.run("help", Self.tree)
            #expect(help.status == 13 && help.text.isEmpty, "\(name): \(help.errors)")
            #expect(help.errors.contains("bskyauth verify at://"))
            #expect(kept.isEmpty)
        }

        @Test("an older repository than one that was seen is refused")
        func older() async throws {
            try await publish("sh.tangled.repo.issue")
            try await publish(Self.tree)
            try await reader.succeed("help", Self.tree)
            try await fault("older_revision")
            let help = try await reader.run("help", "sh.tangled.repo.issue", "--json")
            #expect(help.status == 13 && help.errors.contains(#""code":"older_revision""#), "\(help.errors)")
        }

        @Test(
            "DNS has to name exactly one publisher",
            arguments: [
                ([], 64),
                (["did=did:plc:aaaaaaaaaaaaaaaaaaaaaaaa", "did=did:plc:bbbbbbbbbbbbbbbbbbbbbbbb"], 13),
                (["did=did:plc:aaaaaaaaaaaaaaaaaaaaaaaa"], 6), (["did=nothing"], 12),
                ([String(repeating: "x", count: 4097)], 12),
            ] as [([String], Int32)])
        func publishers(texts: [String], status: Int32) async throws {
            try await publish(Self.tree)
            try await name(texts)
            let help = try await reader.run("help", Self.tree)
            #expect(help.status == status && help.text.isEmpty, "\(texts): \(help.errors)")
            #expect(kept.isEmpty)
        }

        @Test("what is no lexicon of the name is refused with the place of the fault")
        func invalid() async throws {
            let deep = (0..<70).reduce(["type": "string"] as [String: Any]) { inner, _ in
                ["type": "array", "items": inner]
            }
            for (changes, place) in [
                (["$type": "app.bsky.feed.post"], "$type"), (["lexicon": 2], "lexicon"),
                (
                    ["defs": ["main": ["type": "query", "parameters": ["type": "params", "required": 5]]]],
                    "defs.main"
                ),
                (["defs": ["deep": deep]], "the record"),
            ] as [([String: Any], String)] {
                try await publish(Self.tree, changing: changes)
                let help = try await reader.run("help", Self.tree, "--json")
                #expect(help.status == 13 && help.text.isEmpty, "\(place): \(help.errors)")
                #expect(help.errors.contains(place), "\(place): \(help.errors)")
            }
            #expect(kept.isEmpty)
        }

        @Test(
            "without its publisher, a lexicon of the last 90 days is shown; one that is gone is not",
            .covers("X17"))
        func withoutPublisher() async throws {
            try await publish(Self.tree)
            try await reader.succeed("help", Self.tree)
            let file = cache.appending(path: try #require(kept.first))
            let text = try String(contentsOf: file, encoding: .utf8)
            let pattern = /proven_at\\":(?<time>[0-9]+)/
            let time = try #require(Int(text.firstMatch(of: pattern)?.time ?? ""))
            func age(_ days: Int) throws {
                let older = text.replacing(
                    "proven_at\\\":\(time)", with: "proven_at\\\":\(time - days * 86400)")
                try Data(older.utf8).write(to: file)
            }
            try age(2)
            try await sandbox.setFaults(
                Faults.answer("com.atproto.sync.getRecord", 503, body: "{}"))
            let stale = try await reader.succeed("help", Self.tree)
            #expect(stale.errors.contains("there may be a newer one"), "\(stale.errors)")
            #expect(stale.text.contains("  ref   string  required\n"))
            try age(91)
            #expect(try await reader.run("help", Self.tree).status == 11)
            try age(2)
            try await sandbox.setFaults("[]")
            try await publisher.succeed(
                "call", "com.atproto.repo.deleteRecord", "collection=com.atproto.lexicon.schema",
                "rkey=\(Self.tree)")
            let gone = try await reader.run("help", Self.tree, "--json")
            #expect(gone.status == 64 && gone.errors.contains("unknown_lexicon"), "\(gone.errors)")
            #expect(kept.isEmpty)
        }

        @Test("BSKYAUTH_LEXICONS=off asks nobody, and so does the help of what is compiled in")
        func off() async throws {
            try await publish(Self.tree)
            let off = ["BSKYAUTH_LEXICONS": "off"]
            let requests = try await sandbox.requests {
                let help = try await reader.run("help", Self.tree, environment: off)
                #expect(help.status == 64, "\(help.errors)")
                for name in ["app.bsky.feed.getTimeline", "app.bsky.feed.post", "call", "exit-codes"] {
                    try await reader.succeed("help", name)
                }
            }
            #expect(requests.isEmpty)
            let wrong = try await reader.run("help", Self.tree, environment: ["BSKYAUTH_LEXICONS": "on"])
            #expect(wrong.status == 64 && wrong.errors.contains("BSKYAUTH_LEXICONS takes off"))
        }

        // MARK: Calls

        /// The paths of the requests of a command.
        private func paths(_ arguments: String..., status: Int32? = nil) async throws -> [String] {
            var result: Program.Result?
            let requests = try await sandbox.requests { result = try await caller.run(arguments) }
            let errors = result?.errors ?? ""
            if let status { #expect(result?.status == status, "\(arguments): \(errors)") }
            return requests.map { "\($0.method) \($0.path.replacing("/xrpc/", with: ""))" }
        }

        @Test(
            "a call has the verb and the parameters of its publisher, and is one request once they are here")
        func call() async throws {
            try await publish(Self.tree)
            try await caller.logIn("bob.test")
            let words = ["call", Self.tree, "ref=main", "repo=x"]
            let first = try await sandbox.requests { _ = try await caller.run(words) }
            #expect(first.contains { $0.path.hasSuffix("com.atproto.sync.getRecord") && $0.auth == nil })
            #expect(first.count <= 5 && first.last?.method == "GET", "\(first.map(\.path))")
            #expect(try await paths("call", Self.tree, "ref=main", "repo=x") == ["GET \(Self.tree)"])
            #expect(try await paths("call", Self.tree, "repo=x", status: 64).isEmpty)
            #expect(
                try await paths("call", Self.tree, "repo=x", "--no-check", "-X", "procedure")
                    == ["POST \(Self.tree)"])
            // The service is another one, and the method is the same.
            let proxied = try await paths(
                "call", Self.tree, "ref=main", "--proxy", "did:web:knot.example.com#knot", status: 64)
            #expect(proxied.isEmpty)
        }

        @Test("a record of another app is completed and checked before it is sent")
        func record() async throws {
            let issue = "sh.tangled.repo.issue"
            try await publish(issue)
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
                unknown.errors.contains("the lexicon of \(issue)s is not known, so the record is neither"))
        }

        @Test("a publisher that can't be asked stops no call, and is left alone for a while")
        func quiet() async throws {
            try await publish(Self.tree)
            try await caller.logIn("bob.test")
            try await sandbox.setFaults(Faults.answer("com.atproto.sync.getRecord", 503, body: "{}"))
            let asked = try await paths("call", Self.tree, "ref=main")
            #expect(asked.contains("GET com.atproto.sync.getRecord") && asked.last == "POST \(Self.tree)")
            #expect(try await paths("call", Self.tree, "ref=main") == ["POST \(Self.tree)"])
        }

        @Test("nobody is asked by --dry-run, --no-check, --anonymous, -X, or if that is off")
        func asksNobody() async throws {
            try await publish(Self.tree)
            try await caller.logIn("bob.test")
            let requests = try await sandbox.requests {
                for options in [["--dry-run"], ["--no-check"], ["--anonymous"], ["-X", "query"]] {
                    _ = try await caller.run(["call", Self.tree, "ref=main"] + options)
                }
                _ = try await caller.run(
                    ["call", Self.tree, "ref=main"], environment: ["BSKYAUTH_LEXICONS": "off"])
            }
            #expect(requests.count >= 4)
            #expect(requests.allSatisfy { !$0.path.hasSuffix("com.atproto.sync.getRecord") })
        }

        @Test("what a publisher calls a query is not sent twice if its name says something else")
        func deleteEverything() async throws {
            let name = "sh.tangled.repo.deleteEverything"
            let main: [String: Any] = ["type": "query", "output": ["encoding": "application/json"]]
            var document = try #require(documents[Self.tree] as? [String: Any])
            document.merge(["id": name, "defs": ["main": main]]) { $1 }
            try await publish(name, document)
            try await caller.logIn("bob.test")
            #expect(try await paths("call", name).last == "GET \(name)")
            #expect(try await paths("call", name, "--retry", "3", status: 64).isEmpty)
            try await sandbox.setFaults(#"[{"match":{"path":"/xrpc/\#(name)"},"action":{"drop":"before"}}]"#)
            #expect(try await paths("call", name, status: 12) == ["GET \(name)"])
        }

        @Test("a lexicon of the cache that somebody changed is asked for again")
        func changed() async throws {
            try await publish(Self.tree)
            try await caller.logIn("bob.test")
            _ = try await paths("call", Self.tree, "ref=main", "repo=x")
            let folder = caller.directory.appending(path: "cache/bskyauth/lexicons")
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
                let file = folder.appending(path: name)
                let text = try String(contentsOf: file, encoding: .utf8)
                #expect(text.contains("query"))
                try Data(text.replacing("query", with: "procedure").utf8).write(to: file)
            }
            let asked = try await paths("call", Self.tree, "ref=main", "repo=x")
            #expect(asked.contains("GET com.atproto.sync.getRecord") && asked.last == "GET \(Self.tree)")
        }
    }
}
