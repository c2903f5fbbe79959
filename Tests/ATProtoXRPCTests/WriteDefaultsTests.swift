import ATPJSON
import ATProtoIdentity
import ATProtoXRPC
import BskyAuthCovers
import BskyAuthTestSupport
import Testing

@Suite("WriteDefaults") struct WriteDefaultsTests {
    private static let now = "2026-08-01T12:00:00.123Z"
    private let defaults: WriteDefaults

    init() throws {
        defaults = WriteDefaults(repo: try DID(validating: "did:web:example.com")) { Self.now }
    }

    private func complete(_ body: String?, _ name: String) throws -> (body: String, filled: [String]) {
        let nsid = try NSID(validating: "com.atproto.repo.\(name)")
        let object = try body.map { try #require(try JSONParser.parse($0).object) }
        let done = defaults.complete(object, of: nsid)
        return (JSONValue.object(done.body).text, done.filled)
    }

    @Test("a new record gets repo, $type and createdAt", .covers("F11"))
    func create() throws {
        let post = try complete(
            #"{"collection":"app.bsky.feed.post","record":{"text":"hi"}}"#, "createRecord")
        #expect(
            post.body
                == #"{"repo":"did:web:example.com","collection":"app.bsky.feed.post","record":"#
                + #"{"$type":"app.bsky.feed.post","text":"hi","createdAt":"\#(Self.now)"}}"#)
        #expect(post.filled == ["repo", "record[$type]", "record[createdAt]"])
    }

    @Test("what is given stays, null and another type too")
    func given() throws {
        for record in [
            #"{"$type":"app.bsky.feed.post","createdAt":"2020-01-01T00:00:00Z"}"#,
            #"{"$type":"a.b.c","createdAt":null}"#, #"{"$type":null,"createdAt":5}"#,
        ] {
            let body = #"{"repo":"bob.com","collection":"app.bsky.feed.post","record":\#(record)}"#
            let done = try complete(body, "createRecord")
            #expect(done.body == body && done.filled.isEmpty)
        }
    }

    @Test("a record of another lexicon gets no date, and what is no record nothing")
    func others() throws {
        let other = try complete(#"{"repo":"x","collection":"a.b.c","record":{}}"#, "createRecord")
        #expect(other.body == #"{"repo":"x","collection":"a.b.c","record":{"$type":"a.b.c"}}"#)
        for body in [
            #"{"repo":"x","record":{}}"#, #"{"repo":"x","collection":5,"record":{}}"#,
            #"{"repo":"x","collection":"app.bsky.feed.post","record":[]}"#,
            #"{"repo":"x","collection":"app.bsky.feed.post"}"#,
        ] {
            #expect(try complete(body, "createRecord").body == body)
        }
    }

    @Test("a record that may replace another one gets no date", .covers("F11"))
    func put() throws {
        let done = try complete(
            #"{"collection":"app.bsky.feed.post","rkey":"3k","record":{}}"#, "putRecord")
        #expect(done.filled == ["repo", "record[$type]"])
        #expect(!done.body.contains("createdAt"))
        #expect(try complete(nil, "deleteRecord").body == #"{"repo":"did:web:example.com"}"#)
    }

    @Test("each write of applyWrites is completed as the method for it", .covers("F11"))
    func applyWrites() throws {
        let kind = "com.atproto.repo.applyWrites"
        let value = #""collection":"app.bsky.graph.follow","value":{}"#
        let writes = [
            #"{"$type":"\#(kind)#create",\#(value)}"#, #"{"$type":"\#(kind)#update",\#(value)}"#,
            #"{"$type":"\#(kind)#delete",\#(value)}"#, #"{\#(value)}"#, "5",
        ]
        let done = try complete(#"{"repo":"x","writes":[\#(writes.joined(separator: ","))]}"#, "applyWrites")
        #expect(
            done.filled == [
                "writes[0][value][$type]", "writes[0][value][createdAt]", "writes[1][value][$type]",
            ])
        let typed = #""value":{"$type":"app.bsky.graph.follow""#
        #expect(done.body.contains(typed + #","createdAt":"\#(Self.now)"}"#))
        #expect(done.body.contains(typed + "}"))
        #expect(done.body.hasSuffix(writes[2...].joined(separator: ",") + "]}"))
    }

    @Test("these are the methods with a repo in the body")
    func methods() throws {
        for name in ["applyWrites", "createRecord", "deleteRecord", "putRecord"] {
            #expect(WriteDefaults.apply(to: try NSID(validating: "com.atproto.repo.\(name)")))
            #expect(!WriteDefaults.apply(to: try NSID(validating: "com.example.repo.\(name)")))
        }
        #expect(!WriteDefaults.apply(to: try NSID(validating: "com.atproto.repo.uploadBlob")))
    }

    @Test("the dated collections are those of the public lexicons that must have createdAt")
    func collections() throws {
        let records = try Vectors.lexicons().compactMap { document in
            document.value["defs"]?["main"]?["record"].map { (document.name, $0["required"]?.strings ?? []) }
        }
        #expect(records.count == 26)
        let dated = records.filter { WriteDefaults.isDated($0.0) }.map(\.0)
        // The edition does not decide for other domains.
        let theirs = records.filter { $0.0.hasPrefix("site.") || $0.0.hasPrefix("com.germnetwork.") }.map(\.0)
        #expect(dated == records.filter { $0.1.contains("createdAt") && !theirs.contains($0.0) }.map(\.0))
        #expect(dated.count == 15 && theirs.count == 6)
        for name in ["app.bsky.feed.getTimeline", "app.bsky.feed.defs", "com.example.note", "", "x"] {
            #expect(!WriteDefaults.isDated(name), "\(name)")
        }
    }
}
