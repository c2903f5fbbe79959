import ATPNetworking
import ATProtoIdentity
import ATProtoXRPC
import HTTPTypes
import Testing

@testable import BskyAuthCLI

@Suite("RecordRefusal") struct RecordRefusalTests {
    private func written(_ method: String, _ body: String) throws -> LexiconCheck {
        LexiconCheck(
            XRPCRequest(
                .procedure, try NSID(validating: "com.atproto.repo.\(method)"), body: .bytes(Array(body.utf8))
            ))
    }

    private struct FileBody: RequestBodySource {
        let bytes: [UInt8]
        var length: Int64? { Int64(bytes.count) }

        func open(wake: @escaping @Sendable () -> Void) -> any RequestBodyReader { Reader(rest: bytes[...]) }

        struct Reader: RequestBodyReader {
            var rest: ArraySlice<UInt8>

            mutating func read(upTo count: Int, into room: inout MutableRawSpan) -> Int? {
                let piece = rest.prefix(min(count, room.byteCount))
                unsafe room.withUnsafeMutableBytes { unsafe $0.copyBytes(from: piece) }
                rest = rest.dropFirst(piece.count)
                return piece.count
            }
        }
    }

    @Test("checks a file of JSON up to 1 MiB, and leaves other files alone")
    func files() throws {
        func check(
            _ body: String, _ contentType: String = "application/json", _ fields: HTTPFields = [:]
        ) throws -> LexiconCheck {
            LexiconCheck(
                XRPCRequest(
                    .procedure, try NSID(validating: "com.atproto.repo.createRecord"),
                    body: .stream(FileBody(bytes: Array(body.utf8))), contentType: contentType,
                    headerFields: fields))
        }
        func post(_ members: String) -> String {
            #"{"repo":"a.com","collection":"app.bsky.feed.post","record":{\#(members)}}"#
        }
        let wrong = post(#""text":"a","langs":"en","createdAt":"2026-01-02T03:04:05Z""#)
        for type in ["application/json", "Application/JSON; charset=utf-8"] {
            let refusal = try #require(try check(wrong, type).refusal)
            #expect(refusal.code == "invalid_record")
            #expect(refusal.message == "record[langs] has to be a list, and is text")
            // No item gives this value.
            #expect(refusal.hint?.contains("NAME:=JSON") == false)
        }
        let limit = 1 << 20
        let padded = { (length: Int) in wrong + String(repeating: " ", count: length - wrong.utf8.count) }
        #expect(try check(padded(limit)).refusal != nil)
        #expect(try check(padded(limit + 1)).refusal == nil)
        #expect(try check(wrong, "text/plain").refusal == nil)
        #expect(try check(wrong, "application/json", [.contentType: "text/plain"]).refusal == nil)
        #expect(try check(wrong + "}").refusal == nil)
        #expect(try check(post(#""text":"a",\#(Self.dated)"#)).refusal == nil)
        let long = post(#""text":"\#(String(repeating: "a", count: 301))",\#(Self.dated)"#)
        #expect(try check(long).refusal == nil && check(long).doubts.count == 1)
    }

    private static let dated = #""createdAt":"2026-01-02T03:04:05Z""#

    @Test(
        "refuses a record that does not fit its lexicon, and names the place of each fault",
        arguments: [
            (
                "createRecord",
                #"{"collection":"app.bsky.feed.post","record":{"$type":"app.bsky.feed.post"}}"#,
                "record[text] is missing; record[createdAt] is missing"
            ),
            (
                "putRecord",
                #"{"collection":"app.bsky.actor.profile","rkey":"me","record":{"$type":"app.bsky.actor.profile"}}"#,
                "rkey has to be self"
            ),
            (
                "createRecord",
                #"{"collection":"app.bsky.actor.profile","record":{"$type":"app.bsky.actor.profile"}}"#,
                "rkey has to be self"
            ),
            (
                "createRecord",
                #"{"collection":"app.bsky.feed.post","rkey":"first","record":{"$type":"app.bsky.feed.post","text":"a",\#(dated)}}"#,
                "rkey has to be a timestamp, such as 3l6oveex3ii2l; leave it out"
            ),
            (
                "applyWrites",
                #"{"writes":[{"$type":"com.atproto.repo.applyWrites#create","collection":"app.bsky.feed.like","value":"#
                    + #"{"$type":"app.bsky.feed.post","subject":{},\#(dated)}}]}"#,
                "writes[0][value][$type] has to be \"app.bsky.feed.like\"; writes[0][value][subject][uri] is missing; "
                    + "writes[0][value][subject][cid] is missing"
            ),
        ])
    func wrongRecords(method: String, body: String, message: String) throws {
        let refusal = try #require(try written(method, body).refusal)
        #expect(refusal.code == "invalid_record" && refusal.status == .usage && refusal.message == message)
        #expect(refusal.hint?.hasPrefix("correct it (bskyauth help app.bsky.") == true)
        #expect(refusal.hint?.hasSuffix("), or add --no-check to send it anyway") == true)
        // The user has said that the server is not to look.
        let unchecked = body.replacing("{", with: #"{"validate":false,"#, maxReplacements: 1)
        #expect(try written(method, unchecked).refusal == nil)
    }

    @Test(
        "names the place of a record and of a key that can't be one",
        arguments: [
            ("createRecord", #"{"collection":"app.bsky.feed.post"}"#, "record is missing"),
            ("createRecord", #"{"collection":"com.example.note","record":5}"#, "record has to be an object"),
            (
                "createRecord",
                #"{"collection":"app.bsky.feed.post","rkey":5,"record":{"text":"a",\#(dated)}}"#,
                "rkey has to be text"
            ),
            (
                "putRecord", #"{"collection":"app.bsky.feed.post","record":{"text":"a",\#(dated)}}"#,
                "rkey is missing"
            ),
            (
                "applyWrites",
                #"{"writes":[{"$type":"com.atproto.repo.applyWrites#create","collection":"app.bsky.actor.profile","value":{}}]}"#,
                "writes[0][rkey] has to be self"
            ),
            ("applyWrites", #"{"writes":[5]}"#, "writes[0] has to be an object"),
            (
                "applyWrites", #"{"writes":[{"collection":"com.example.note","value":{}}]}"#,
                "writes[0][$type] is missing, and has to be one of com.atproto.repo.applyWrites#create, "
                    + "com.atproto.repo.applyWrites#update, com.atproto.repo.applyWrites#delete"
            ),
            (
                "applyWrites", ##"{"writes":[{"$type":"create"},{"$type":"#delete"}]}"##,
                #"writes[0][$type] has to be "com.atproto.repo.applyWrites#create"; "#
                    + #"writes[1][$type] has to be "com.atproto.repo.applyWrites#delete""#
            ),
            (
                "applyWrites", #"{"writes":[{"$type":"com.atproto.repo.applyWrites#purge"},{"$type":5}]}"#,
                "writes[0][$type] has to be one of com.atproto.repo.applyWrites#create, "
                    + "com.atproto.repo.applyWrites#update, com.atproto.repo.applyWrites#delete; "
                    + "writes[1][$type] has to be one of com.atproto.repo.applyWrites#create, "
                    + "com.atproto.repo.applyWrites#update, com.atproto.repo.applyWrites#delete"
            ),
        ])
    func places(method: String, body: String, message: String) throws {
        #expect(try written(method, body).refusal?.message == message)
    }

    @Test("lets every kind of write pass that applyWrites has") func kinds() throws {
        let writes = ["create", "update", "delete"].map {
            #"{"$type":"com.atproto.repo.applyWrites#\#($0)","collection":"com.example.note","rkey":"a","value":{}}"#
        }
        let check = try written("applyWrites", #"{"writes":[\#(writes.joined(separator: ","))]}"#)
        #expect(check.refusal == nil && check.doubts.isEmpty)
    }

    @Test(
        "names the way to give a value that is no text, whatever else is wrong",
        arguments: [
            (#""langs":"en""#, "record[langs] has to be a list, and is text", true),
            (#""reply":"x""#, "record[reply] has to be an object, and is text", true),
            (#""langs":5"#, "record[langs] has to be a list", false),
            (#""langs":["e n"]"#, "record[langs][0] is no language, such as pt-BR", false),
        ])
    func textForOthers(member: String, message: String, isText: Bool) throws {
        let body = #"{"collection":"app.bsky.feed.post","record":{"text":"a",\#(Self.dated),\#(member)}}"#
        let refusal = try #require(try written("createRecord", body).refusal)
        #expect(refusal.message == message)
        #expect(refusal.hint?.hasPrefix("an item NAME:=JSON gives another value than text; ") == isText)
    }

    @Test(
        "names the way to a DID where one is needed",
        arguments: [
            ("alice.example.com", "alice.example.com"), ("@Alice.example.com", "alice.example.com"),
            ("alice", "HANDLE"), ("did:plc", "HANDLE"),
        ])
    func dids(value: String, account: String) throws {
        let body = #"{"collection":"app.bsky.graph.follow","record":{"subject":"\#(value)",\#(Self.dated)}}"#
        let refusal = try #require(try written("createRecord", body).refusal)
        #expect(refusal.message.hasPrefix("record[subject] is no did, such as did:plc:"))
        #expect(refusal.hint == "this prints the DID of an account:  bskyauth resolve \(account)")
    }

    @Test("lets a record be changed that has a key no new one may have, and says what is there")
    func changes() throws {
        let list = #""collection":"app.bsky.feed.post","rkey":"my-post""#
        let changed = try written("putRecord", #"{\#(list),"record":{"text":"a",\#(Self.dated)}}"#)
        #expect(changed.refusal == nil)
        #expect(
            changed.doubts == [
                "rkey has to be a timestamp, such as 3l6oveex3ii2l, in the lexicons of August 2026"
            ])
        let half = try written("putRecord", #"{"repo":"did:plc:abc",\#(list),"record":{"text":"a"}}"#)
        #expect(
            half.refusal?.hint
                == "putRecord replaces the whole record; this prints the one that is there:  bskyauth call "
                + "com.atproto.repo.getRecord at://did:plc:abc/app.bsky.feed.post/my-post")
    }

    @Test("asks about another spelling of a collection, and names no more than three doubts")
    func manyDoubts() throws {
        let spelled = try written("createRecord", #"{"collection":"App.bsky.feed.post","record":{}}"#)
        #expect(spelled.refusal == nil)
        #expect(
            spelled.doubts.first?.hasPrefix(
                "collection is spelled \"App.bsky.feed.post\", and the collection is app.bsky.feed.post")
                == true)
        let long = #"{"text":"\#(String(repeating: "a", count: 301))",\#(Self.dated)}"#
        let write =
            #"{"$type":"com.atproto.repo.applyWrites#create","collection":"app.bsky.feed.post","value":\#(long)}"#
        let many = try written(
            "applyWrites", #"{"writes":[\#(Array(repeating: write, count: 9).joined(separator: ","))]}"#)
        #expect(many.refusal == nil && many.doubts.count == 3)
        #expect(many.doubts.last?.hasSuffix(", in the lexicons of August 2026; and more") == true)
    }

    @Test(
        "asks about a name that is similar to one of the lexicon, and sends it",
        arguments: [
            (
                #""record":{"text":"a",\#(dated),"langz":[]}"#,
                "record[langz] is not known; did you mean langs?"
            ),
            (
                #""record":{"text":"a",\#(dated),"Langs":[]}"#,
                "record[Langs] is not known; did you mean langs?"
            ),
            // What is there was not meant by another name.
            (#""record":{"text":"a",\#(dated),"lang":[],"langs":[]}"#, nil),
            (#""record":{"text":"a",\#(dated),"bridgyOriginalUrl":"x"}"#, nil),
            (
                #""record":{"text":"a",\#(dated),"embed":{"$type":"app.bsky.embed.image"}}"#,
                "record[embed][$type] is not known; did you mean app.bsky.embed.images?"
            ),
            (#""record":{"text":"a",\#(dated),"embed":{"$type":"com.example.thing"}}"#, nil),
            (
                #""recrod":{},"record":{"text":"a",\#(dated)}"#, nil
            ),
            (
                #""swapComit":"x","record":{"text":"a",\#(dated)}"#,
                "swapComit is not known; did you mean swapCommit?"
            ),
        ] as [(String, String?)])
    func misspelt(members: String, doubt: String?) throws {
        let check = try written(
            "createRecord", #"{"repo":"a.com","collection":"app.bsky.feed.post",\#(members)}"#)
        #expect(check.refusal == nil && check.doubts == (doubt.map { [$0] } ?? []))
    }

    @Test("asks about a name beside a record, also in one of several writes") func misspeltBeside() throws {
        let create = try written("createRecord", #"{"repo":"a.com","colection":"a.b.c","record":{}}"#)
        #expect(create.doubts == ["colection is not known; did you mean collection?"])
        let delete = try written("deleteRecord", #"{"repo":"a.com","collection":"a.b.c","rkye":"a"}"#)
        #expect(delete.doubts == ["rkye is not known; did you mean rkey?"])
        let several = try written(
            "applyWrites",
            #"{"repo":"a.com","swapcommit":"x","writes":[{"$type":"com.atproto.repo.applyWrites#create","#
                + #""collection":"a.b.c","valeu":{},"value":{},"kind":1,"rky":"a"}]}"#)
        #expect(
            several.doubts == [
                "swapcommit is not known; did you mean swapCommit?",
                "writes[0][rky] is not known; did you mean rkey?",
            ])
    }

    @Test("only asks about what a newer lexicon may allow, and sends what no lexicon here has")
    func doubtfulRecords() throws {
        let long = String(repeating: "a", count: 301)
        let post = try written(
            "createRecord",
            #"{"collection":"app.bsky.feed.post","record":{"$type":"app.bsky.feed.post","text":"\#(long)",\#(Self.dated)}}"#
        )
        #expect(post.refusal == nil)
        #expect(
            post.doubts == [
                "record[text] is too long: 301 of at most 300 characters, in the lexicons of August 2026"
            ])
        let misspelt = try written("createRecord", #"{"collection":"app.bsky.feed.psot","record":{}}"#)
        #expect(misspelt.refusal == nil)
        #expect(
            misspelt.doubts == [
                "there is no collection app.bsky.feed.psot in the lexicons of August 2026; did you mean app.bsky.feed.post?"
            ])
        let foreign = try written("createRecord", #"{"collection":"com.example.note","record":{}}"#)
        #expect(foreign.refusal == nil && foreign.doubts.isEmpty)
    }
}
