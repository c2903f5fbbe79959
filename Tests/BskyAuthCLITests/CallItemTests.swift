import ATPJSON
import ATProtoIdentity
import ATProtoXRPC
import BskyAuthCovers
import HTTPTypes
import Testing

@testable import BskyAuthCLI

@Suite("CallItem") struct CallItemTests {
    @Test(
        "the first separator decides",
        arguments: [
            ("a=b", CallItem.literal(name: "a", value: "b")), ("a=", .literal(name: "a", value: "")),
            ("a=b=c", .literal(name: "a", value: "b=c")), ("a=@file", .literal(name: "a", value: "@file")),
            ("a==b", .query(name: "a", value: "b")), ("a===b", .query(name: "a", value: "=b")),
            ("a:=1", .typed(name: "a", value: 1)), ("a:=\"x\"", .typed(name: "a", value: "x")),
            ("a:={\"b\":[null]}", .typed(name: "a", value: ["b": [nil]])),
            ("A:b", .header(name: "A", value: "b")), ("A: b", .header(name: "A", value: " b")),
            ("A:", .header(name: "A", value: "")), ("a:b=c", .header(name: "a", value: "b=c")),
            ("a=https://x/?y:=z", .literal(name: "a", value: "https://x/?y:=z")),
            ("a b=c", .literal(name: "a b", value: "c")), ("a[b]=c", .literal(name: "a[b]", value: "c")),
            ("a[b]:=1", .typed(name: "a[b]", value: 1)), ("at=//x", .literal(name: "at", value: "//x")),
        ])
    func items(text: String, expected: CallItem) throws {
        #expect(try CallItem(parsing: text) == expected)
    }

    @Test(
        "what is no item is a usage error",
        arguments: [
            "", "a", "=b", ":b", ":=1", "a:=", "a:=word", "a:={", "https://example.com", "at://alice",
            "https://bsky.app/search",
        ])
    func invalid(text: String) {
        let failure = #expect(throws: Failure.self) { try CallItem(parsing: text) }
        #expect(failure?.status == .usage)
    }

    @Test("--field interprets nothing but the first =")
    func field() throws {
        #expect(try CallItem(field: "a:=b") == .literal(name: "a:", value: "b"))
        #expect(try CallItem(field: "a==b") == .literal(name: "a", value: "=b"))
        for text in ["", "a", "=b"] {
            #expect(throws: Failure.self) { try CallItem(field: text) }
        }
    }

    @Test("an address of a record is an item of methods that take repo, collection and rkey")
    func addresses() throws {
        for (name, text, expected) in [
            ("getRecord", "at://a.com/a.b.c/k", ["repo=a.com", "collection=a.b.c", "rkey=k"]),
            ("createRecord", "at://a.com/a.b.c", ["repo=a.com", "collection=a.b.c"]),
            ("listRecords", "at://a.com/a.b.c", ["repo=a.com", "collection=a.b.c"]),
            ("describeRepo", "https://bsky.app/profile/a.com", ["repo=a.com"]),
            (
                "deleteRecord", "https://bsky.app/profile/a.com/post/k",
                ["repo=a.com", "collection=app.bsky.feed.post", "rkey=k"]
            ),
        ] {
            let values = try values(of: text, "com.atproto.repo.\(name)")
            #expect(
                values.map { value in
                    guard case .text(let name, let text) = value else { return "?" }
                    return "\(name)=\(text)"
                } == expected)
        }
        for (nsid, text) in [
            ("com.atproto.repo.listRecords", "at://a.com/a.b.c/k"),
            ("com.atproto.repo.describeRepo", "at://a.com/a.b.c"),
            ("com.atproto.repo.applyWrites", "at://a.com/a.b.c"),
        ] {
            #expect(throws: Failure.self, "\(nsid)") { try values(of: text, nsid) }
        }
    }

    @Test(
        "the refusal of another method names its parameter for an address, if it has one",
        arguments: [
            ("feed.getPostThread", "at://a.com/app.bsky.feed.post/k", "uri=at://a.com/app.bsky.feed.post/k"),
            (
                "feed.getPosts", "https://bsky.app/profile/a.com/post/k",
                "uris=at://a.com/app.bsky.feed.post/k"
            ),
            (
                "feed.getFeed", "https://bsky.app/profile/a.com/feed/k",
                "feed=at://a.com/app.bsky.feed.generator/k"
            ),
            (
                "graph.getList", "https://bsky.app/profile/a.com/lists/k",
                "list=at://a.com/app.bsky.graph.list/k"
            ),
            ("actor.getProfile", "https://bsky.app/profile/a.com", "actor=a.com"),
            ("feed.getTimeline", "at://a.com/app.bsky.feed.post/k", nil),
            ("feed.getTimeline", "at://a.com", nil), ("feed.getFeed", "at://a.com/app.bsky.feed.post/k", nil),
            ("unheard.getThing", "at://a.com/a.b.c/k", "NAME=at://a.com/a.b.c/k"),
        ] as [(String, String, String?)])
    func otherMethods(name: String, text: String, item: String?) {
        let nsid = "app.bsky.\(name)"
        let failure = #expect(throws: Failure.self) { try values(of: text, nsid) }
        #expect(failure?.status == .usage)
        #expect(failure?.hint == item.map { "bskyauth call \(nsid) \($0)" } ?? "bskyauth help \(nsid)")
    }

    private func values(of text: String, _ nsid: String) throws -> [XRPCInput.Item] {
        var values: [XRPCInput.Item] = []
        var fields = HTTPFields()
        try CallItem(parsing: text).add(to: &values, &fields, of: NSID(validating: nsid))
        return values
    }

    @Test("goes where it belongs in a request", .covers("X10")) func request() throws {
        var values: [XRPCInput.Item] = []
        var fields = HTTPFields()
        for text in ["a=b", "c:=1", "d==e", "Accept-Language: de"] {
            try CallItem(parsing: text).add(to: &values, &fields, of: NSID(validating: "a.b.c"))
        }
        #expect(values.count == 3)
        #expect(fields[.acceptLanguage] == "de")
    }

    @Test(
        "credentials and framing are the program's own, and no header splits a request", .covers("F5"),
        arguments: [
            ("Authorization", "DPoP x"), ("authorization", "x"), ("DPoP", "x"), ("Host", "x"),
            ("Content-Length", "1"), ("Transfer-Encoding", "chunked"), ("Connection", "close"),
            ("Cookie", "a=b"), ("X-A", "b\r\nC: d"), ("X-A", "b\nc"), ("X A", "b"), ("Ü", "b"),
        ])
    func refusedHeaders(name: String, value: String) throws {
        let nsid = try NSID(validating: "a.b.c")
        var values: [XRPCInput.Item] = []
        var fields = HTTPFields()
        let failure = #expect(throws: Failure.self) {
            try CallItem.header(name: name, value: value).add(to: &values, &fields, of: nsid)
        }
        #expect(failure?.status == .usage)
        #expect(fields.isEmpty)
    }
}
