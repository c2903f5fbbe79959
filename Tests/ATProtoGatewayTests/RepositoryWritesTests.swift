import ATPNetworking
import ATProtoIdentity
import HTTPTypes
import Testing

@testable import ATProtoGateway

@Suite("Writes in a body") struct RepositoryWritesTests {
    private let limits: AccessLimits

    init() throws {
        let rules = [
            "repo:app.bsky.feed.post?action=create&action=delete", "repo:app.bsky.actor.profile",
            "repo:app.bsky.feed.threadgate?action=update",
        ]
        limits = AccessLimits(
            isReadOnly: false, rules: try rules.map { try AllowRule(validating: $0) }, services: [])
    }

    private func refusal(
        _ method: String, _ body: String, _ fields: HTTPFields = [.contentType: "application/json"]
    ) throws -> String? {
        let call = try call("POST com.atproto.repo.\(method)", fields, body: body)
        #expect(limits.verdict(on: call) == .readBody)
        return limits.refusal(ofBody: Array(body.utf8), in: call, owner: ["did:plc:alice", "alice.test"])
    }

    private func write(_ more: String) -> String { #"{"repo":"alice.test",\#(more)}"# }
    private func writes(_ list: String) -> String { write(#""writes":[\#(list)]"#) }
    private let create =
        #"{"$type":"com.atproto.repo.applyWrites#create","collection":"app.bsky.feed.post","value":{}}"#
    private let update =
        #"{"$type":"com.atproto.repo.applyWrites#update","collection":"app.bsky.feed.post","value":{}}"#

    @Test("what the rules allow passes")
    func allowed() throws {
        #expect(try refusal("createRecord", write(#""collection":"app.bsky.feed.post","record":{}"#)) == nil)
        #expect(
            try refusal(
                "deleteRecord", #"{"repo":"did:plc:alice","collection":"app.bsky.feed.post","rkey":"1"}"#)
                == nil)
        #expect(
            try refusal(
                "putRecord", write(#""collection":"app.bsky.actor.profile","rkey":"self","record":{}"#))
                == nil)
        #expect(try refusal("applyWrites", writes(create + "," + create)) == nil)
        #expect(
            try refusal(
                "createRecord", write(#""collection":"app.bsky.feed.post","record":{}"#),
                [.contentType: "application/json; charset=UTF-8"]) == nil)
    }

    @Test("a write of another collection, action or repository is refused")
    func refused() throws {
        let bodies = [
            ("createRecord", write(#""collection":"app.bsky.feed.like","record":{}"#)),
            ("createRecord", write(#""collection":"app.bsky.feed.POST","record":{}"#)),
            ("createRecord", write(#""collection":"APP.bsky.feed.post","record":{}"#)),
            ("createRecord", write(#""collection":"*","record":{}"#)),
            ("createRecord", write(#""record":{}"#)),
            ("createRecord", #"{"repo":"bob.test","collection":"app.bsky.feed.post"}"#),
            ("createRecord", #"{"collection":"app.bsky.feed.post"}"#),
            // Put makes a record that is not there.
            ("putRecord", write(#""collection":"app.bsky.feed.post","rkey":"1","record":{}"#)),
            ("putRecord", write(#""collection":"app.bsky.feed.threadgate","rkey":"1","record":{}"#)),
            ("deleteRecord", write(#""collection":"app.bsky.graph.follow","rkey":"1""#)),
            ("applyWrites", writes(create + "," + update)),
            (
                "applyWrites",
                writes(#"{"$type":"com.atproto.repo.applyWrites#purge","collection":"app.bsky.feed.post"}"#)
            ),
            ("applyWrites", writes(#"{"collection":"app.bsky.feed.post"}"#)),
            ("applyWrites", write(#""writes":{}"#)), ("applyWrites", write(#""write":[]"#)),
        ]
        for (method, body) in bodies { #expect(try refusal(method, body) != nil, "\(method) \(body)") }
    }

    @Test("a body that servers may read in another way is refused")
    func ambiguous() throws {
        let body = write(#""collection":"app.bsky.feed.post","record":{}"#)
        let twice =
            #"{"repo":"alice.test","collection":"app.bsky.feed.post","collection":"app.bsky.feed.like"}"#
        let escaped =
            #"{"repo":"alice.test","collection":"app.bsky.feed.post","coll\u0065ction":"app.bsky.feed.like"}"#
        for body in [twice, escaped, "", "[]", "null", body + body, "\u{feff}" + body, "{" + body] {
            #expect(try refusal("createRecord", body) != nil, "\(body)")
        }
        for type in [
            "text/plain", "application/json; charset=utf-16", "application/x-www-form-urlencoded",
            "application/jsonp",
        ] {
            #expect(try refusal("createRecord", body, [.contentType: type]) != nil, "\(type)")
        }
        #expect(
            try refusal("createRecord", body, [.contentType: "application/json", .contentEncoding: "gzip"])
                != nil)
        let call = try call(
            "POST com.atproto.repo.createRecord?collection=app.bsky.feed.like",
            [.contentType: "application/json"],
            body: body)
        #expect(limits.refusal(ofBody: Array(body.utf8), in: call, owner: ["alice.test"]) != nil)
    }
}
