import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    /// Lexicons that their publishers prove, with a real name server and the repositories of the sandbox.
    @Suite("Lexicons of other apps") struct LexiconTests {
        private let publisher: LexiconPublisher
        /// Who looks: no vault and no key.
        private let reader: Home

        init() async throws {
            publisher = try await LexiconPublisher()
            reader = try Home(publisher.sandbox, key: publisher.variables)
        }

        private var cache: URL { reader.directory.appending(path: "cache/bskyauth/lexicons") }

        private var kept: [String] {
            (try? FileManager.default.contentsOfDirectory(atPath: cache.path)) ?? []
        }

        @Test(
            "help of a method comes from its publisher, with proof and without credentials, and is kept",
            .covers("X16"))
        func method() async throws {
            try await publisher.publish(LexiconPublisher.tree)
            let did = try await publisher.did
            let requests = try await publisher.sandbox.requests {
                let help = try await reader.succeed("help", LexiconPublisher.tree)
                #expect(
                    help.text.hasPrefix("\(LexiconPublisher.tree) is a query that \(did) publishes, proven "))
                #expect(help.text.contains("  ref   string  required\n"))
                #expect(help.text.contains("bskyauth call \(LexiconPublisher.tree) ref=REF repo="))
            }
            #expect(requests.map(\.path).count == 2, "\(requests.map(\.path))")
            #expect(requests.allSatisfy { $0.auth == nil && $0.proof == nil })
            let again = try await publisher.sandbox.requests {
                let help = try await reader.succeed("help", LexiconPublisher.tree)
                #expect(help.text.contains(" publishes, from the cache of this machine of "))
            }
            #expect(again.isEmpty)
        }

        @Test("help of a collection and of a permission set, whose words are made of its permissions")
        func others() async throws {
            try await publisher.publish("sh.tangled.repo.issue")
            let types = try #require(publisher.documents[LexiconPublisher.tree] as? [String: Any])
            try await publisher.publish(LexiconPublisher.tree, types)
            let type = try await reader.succeed("help", "\(LexiconPublisher.tree)#treeEntry")
            #expect(type.text.hasPrefix("\(LexiconPublisher.tree)#treeEntry is a type that did:plc:"))
            #expect(try await reader.run("help", "\(LexiconPublisher.tree)#nothing").status == 64)
            try FileManager.default.removeItem(at: cache)
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
            try await publisher.publish(
                LexiconPublisher.tree, changing: ["id": "sh.tangled.repo.issue", "defs": ["main": set]])
            // Another id than the record's key is no lexicon of this name.
            #expect(try await reader.run("help", LexiconPublisher.tree).status == 13)
            try await publisher.publish(LexiconPublisher.tree, changing: ["defs": ["main": set]])
            let help = try await reader.succeed("help", LexiconPublisher.tree)
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
            try await publisher.publish(LexiconPublisher.tree)
            try await publisher.fault(name)
            let help = try await reader.run("help", LexiconPublisher.tree)
            #expect(help.status == 13 && help.text.isEmpty, "\(name): \(help.errors)")
            #expect(help.errors.contains("bskyauth verify at://"))
            #expect(kept.isEmpty)
        }

        @Test("an older repository than one that was seen is refused")
        func older() async throws {
            try await publisher.publish("sh.tangled.repo.issue")
            try await publisher.publish(LexiconPublisher.tree)
            try await reader.succeed("help", LexiconPublisher.tree)
            try await publisher.fault("older_revision")
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
            try await publisher.publish(LexiconPublisher.tree)
            try await publisher.name(texts)
            let help = try await reader.run("help", LexiconPublisher.tree)
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
                try await publisher.publish(LexiconPublisher.tree, changing: changes)
                let help = try await reader.run("help", LexiconPublisher.tree, "--json")
                #expect(help.status == 13 && help.text.isEmpty, "\(place): \(help.errors)")
                #expect(help.errors.contains(place), "\(place): \(help.errors)")
            }
            #expect(kept.isEmpty)
        }

        @Test(
            "without its publisher, a lexicon of the last 90 days is shown; one that is gone is not",
            .covers("X17"))
        func withoutPublisher() async throws {
            try await publisher.publish(LexiconPublisher.tree)
            try await reader.succeed("help", LexiconPublisher.tree)
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
            try await publisher.sandbox.setFaults(
                Faults.answer("com.atproto.sync.getRecord", 503, body: "{}"))
            let stale = try await reader.succeed("help", LexiconPublisher.tree)
            #expect(stale.errors.contains("there may be a newer one"), "\(stale.errors)")
            #expect(stale.text.contains("  ref   string  required\n"))
            try age(91)
            #expect(try await reader.run("help", LexiconPublisher.tree).status == 11)
            try age(2)
            try await publisher.sandbox.setFaults("[]")
            try await publisher.remove(LexiconPublisher.tree)
            let gone = try await reader.run("help", LexiconPublisher.tree, "--json")
            #expect(gone.status == 64 && gone.errors.contains("unknown_lexicon"), "\(gone.errors)")
            #expect(kept.isEmpty)
        }

        @Test("BSKYAUTH_LEXICONS=off asks no publisher, nor does the help of what is compiled in")
        func off() async throws {
            try await publisher.publish(LexiconPublisher.tree)
            let off = ["BSKYAUTH_LEXICONS": "off"]
            let requests = try await publisher.sandbox.requests {
                let help = try await reader.run("help", LexiconPublisher.tree, environment: off)
                #expect(help.status == 64, "\(help.errors)")
                for name in ["app.bsky.feed.getTimeline", "app.bsky.feed.post", "call", "exit-codes"] {
                    try await reader.succeed("help", name)
                }
            }
            #expect(requests.isEmpty)
            let wrong = try await reader.run(
                "help", LexiconPublisher.tree, environment: ["BSKYAUTH_LEXICONS": "on"])
            #expect(wrong.status == 64 && wrong.errors.contains("there is no lexicons.json in on"))
        }
    }
}
