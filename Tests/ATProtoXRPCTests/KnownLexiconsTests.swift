import ATPJSON
import ATProtoIdentity
import ATProtoLexicons
import BskyAuthTestSupport
import Testing

@testable import ATProtoXRPC

@Suite("Lexicons of others") struct KnownLexiconsTests {
    private static let now = "2026-11-29T10:00:00.000Z"
    private let documents: JSONObject

    init() throws {
        documents = try #require(try Vectors.fixture("lexicons-tangled.json")["lexicons"]?.object)
    }

    private func lexicons(isFresh: Bool = true) throws -> KnownLexicons {
        var proven: [NSID: KnownLexicons.Foreign] = [:]
        for member in documents.members {
            let json = try #require(member.value.object)
            let document = try LexiconDocument(validating: json)
            proven[document.nsid] = KnownLexicons.Foreign(document, json, from: .publisher(isFresh: isFresh))
        }
        return KnownLexicons(proven)
    }

    @Test("say the kind and the parameters of each method")
    func methods() throws {
        let lexicons = try lexicons()
        var count = 0
        for member in documents.members {
            let main = member.value["defs"]?["main"]
            guard let type = main?["type"]?.string, ["query", "procedure"].contains(type) else { continue }
            count += 1
            let known = try #require(lexicons.method(try NSID(validating: member.name)))
            #expect(known.isForeign && known.method.kind == (type == "query" ? .query : .procedure))
            let names = main?["parameters"]?["properties"]?.object?.members.map(\.name) ?? []
            #expect(known.method.parameters.map(\.name) == names, "\(member.name)")
            let required = Set(main?["parameters"]?["required"]?.strings ?? [])
            #expect(Set(known.method.parameters.filter(\.isRequired).map(\.name)) == required)
        }
        #expect(count == 26)
    }

    @Test("decide nothing about the names of Bluesky, and nothing about a name that is not proven")
    func owned() throws {
        let post = try NSID(validating: "app.bsky.feed.post")
        let json: JSONObject = ["lexicon": 1, "id": .string(post.description), "defs": [:]]
        let forged = KnownLexicons.Foreign(
            try LexiconDocument(validating: json), json, from: .publisher(isFresh: true))
        let lexicons = KnownLexicons([post: forged])
        #expect(lexicons.document(post)?.main != nil && lexicons.record(post) != nil)
        let timeline = try NSID(validating: "app.bsky.feed.getTimeline")
        let main: JSONValue = ["main": ["type": "procedure"]]
        let procedure: JSONObject = ["lexicon": 1, "id": .string(timeline.description), "defs": main]
        let other = KnownLexicons([
            timeline: .init(try LexiconDocument(validating: procedure), procedure, from: .folder)
        ])
        #expect(other.method(timeline)?.method.kind == .query && other.method(timeline)?.isForeign == false)
        #expect(other.permissionSet(timeline) == nil)
        #expect(KnownLexicons.compiled.record(try NSID(validating: "sh.tangled.repo.issue")) == nil)
        #expect(!lexicons.limitsDecide(try NSID(validating: "sh.tangled.repo.issue")))
    }

    private func findings(_ record: JSONObject, _ lexicons: KnownLexicons) throws
        -> [RecordCheck.Finding]
    {
        let body: JSONObject = ["collection": "sh.tangled.feed.reaction", "record": .object(record)]
        let create = try NSID(validating: "com.atproto.repo.createRecord")
        return RecordCheck(body, of: create, lexicons).findings
    }

    @Test("refuse what is missing; a limit only if they are a day old at most")
    func records() throws {
        let good: JSONObject = [
            "subject": "at://did:web:a.example.com/a.b.c/d", "reaction": "👍", "createdAt": .string(Self.now),
        ]
        let (fresh, stale) = (try lexicons(), try lexicons(isFresh: false))
        #expect(try findings(good, fresh).isEmpty)
        var missing = good
        missing["subject"] = nil
        var unlisted = good
        unlisted["reaction"] = "no"
        for lexicons in [fresh, stale] {
            let found = try findings(missing, lexicons)
            #expect(found.map(\.place) == ["record[subject]"] && found.allSatisfy { !$0.isDoubt })
        }
        #expect(try findings(unlisted, fresh).map(\.isDoubt) == [false])
        #expect(try findings(unlisted, stale).map(\.isDoubt) == [true])
        #expect(try findings(missing, .compiled).isEmpty)
    }

    @Test("say which records need createdAt")
    func dates() throws {
        let defaults = WriteDefaults(repo: try DID(validating: "did:web:a.example.com"), try lexicons()) {
            Self.now
        }
        let create = try NSID(validating: "com.atproto.repo.createRecord")
        let body: JSONObject = ["collection": "sh.tangled.repo.issue", "record": ["title": "x"]]
        #expect(defaults.complete(body, of: create).filled.contains("record[createdAt]"))
        // Its createdAt is optional, or it has none.
        let other: JSONObject = ["collection": "sh.tangled.actor.profile", "record": [:]]
        #expect(!defaults.complete(other, of: create).filled.contains("record[createdAt]"))
    }

    @Test("name the documents that they refer to")
    func references() throws {
        let list: JSONValue = ["type": "array", "items": ["type": "ref", "ref": "a.b.d#e"]]
        let union: JSONValue = ["type": "union", "refs": ["#own", "a.b.f"]]
        let record: JSONValue = ["type": "object", "properties": ["x": list, "y": union]]
        let document = try LexiconDocument(validating: [
            "lexicon": 1, "id": "a.b.c",
            "defs": ["main": ["type": "record", "key": "tid", "record": record]],
        ])
        #expect(KnownLexicons.references(of: document).map(\.description).sorted() == ["a.b.d", "a.b.f"])
    }
}
