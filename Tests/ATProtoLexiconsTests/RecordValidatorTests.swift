import ATPJSON
import ATProtoIdentity
import ATProtoLexicons
import BskyAuthTestSupport
import Synchronization
import Testing

@Suite("RecordValidator") struct RecordValidatorTests {
    private func json(_ text: String) throws -> JSONValue { try JSONParser.parse(Array(text.utf8)) }

    private typealias Fault = RecordValidator.Fault

    private func faults(_ record: String, of collection: String) throws -> [Fault] {
        var validator = RecordValidator(CompiledLexicons.document)
        return validator.faults(in: try json(record), of: try NSID(validating: collection))
    }

    @Test("accepts every valid vector, and refuses every invalid one", .enabled(if: Vectors.arePresent))
    func vectors() throws {
        let lexicon = try LexiconDocument(
            validating: try #require(
                try JSONParser.parse(Array(try Vectors.data("lexicon/catalog/record.json"))).object))
        var validator = RecordValidator { $0 == lexicon.nsid ? lexicon : nil }
        func records(_ file: String) throws -> [JSONValue] {
            try #require(
                try JSONParser.parse(Array(try Vectors.data("lexicon/record-data-\(file).json"))).array)
        }
        let (valid, invalid) = (try records("valid"), try records("invalid"))
        #expect(valid.count == 3 && invalid.count == 50)
        // An unknown name is no fault.
        func faults(_ vector: JSONValue) -> [Fault] {
            validator.faults(in: vector["data"] ?? nil, of: lexicon.nsid).filter {
                $0.problem.kind != .unknown
            }
        }
        for vector in valid {
            let found = faults(vector)
            #expect(found.isEmpty, "\(vector["name"]?.string ?? ""): \(found)")
        }
        for vector in invalid { #expect(!faults(vector).isEmpty, "\(vector["name"]?.string ?? "")") }
    }

    @Test(
        "reads every vector of a format", .enabled(if: Vectors.arePresent),
        arguments: ["cid", "datetime", "did", "handle", "language", "nsid", "recordkey", "tid", "uri"])
    func formats(name: String) throws {
        let format = name == "recordkey" ? "record-key" : name
        let lexicon = try LexiconDocument(
            validating: try #require(
                try json(
                    """
                    {"lexicon":1,"id":"com.example.thing","defs":{"main":{"type":"record","key":"any","record":{"type":"object",
                    "required":["a"],"properties":{"a":{"type":"string","format":"\(format)"}}}}}}
                    """
                ).object))
        var validator = RecordValidator { $0 == lexicon.nsid ? lexicon : nil }
        func accepts(_ text: String) -> Bool {
            validator.faults(in: ["$type": "com.example.thing", "a": .string(text)], of: lexicon.nsid).isEmpty
        }
        let (valid, invalid) = (
            try Vectors.lines("syntax/\(name)_syntax_valid"),
            try Vectors.lines("syntax/\(name)_syntax_invalid")
        )
        #expect(valid.count > 3 && invalid.count > 3)
        for text in valid { #expect(accepts(text), "\(text)") }
        for text in invalid { #expect(!accepts(text), "\(text)") }
        if name == "datetime" {
            for text in try Vectors.lines("syntax/datetime_parse_invalid") {
                #expect(!accepts(text), "\(text)")
            }
        }
    }

    @Test(
        "names the way to each fault",
        arguments: [
            (#"{"createdAt":"2026-01-02T03:04:05Z"}"#, [Fault("[text]", .missing)]),
            (
                #"{"text":5,"createdAt":"now"}"#,
                [
                    Fault("[text]", .mistyped(.text, isText: false)),
                    Fault("[createdAt]", .malformed(.datetime, "now")),
                ]
            ),
            (
                #"{"text":"","createdAt":"2026-01-02T03:04:05Z","langs":"en"}"#,
                [Fault("[langs]", .mistyped(.list, isText: true))]
            ),
            (
                #"{"text":"","createdAt":"2026-01-02T03:04:05Z","embed":{"$type":"app.bsky.embed.images","images":[{"image":{}}]}}"#,
                [
                    Fault("[embed][images][0][image]", .mistyped(.blob, isText: false)),
                    Fault("[embed][images][0][alt]", .missing),
                ]
            ),
            (
                #"{"text":"","createdAt":"2026-01-02T03:04:05Z","embed":{"images":[]}}"#,
                [
                    Fault(
                        "[embed][$type]",
                        .untyped(
                            ["images", "video", "gallery", "external", "record", "recordWithMedia"].map {
                                "app.bsky.embed.\($0)"
                            }))
                ]
            ),
            // Of a union that is open, other types are allowed, and so are members that no lexicon has.
            (
                #"{"text":"","createdAt":"2026-01-02T03:04:05Z","labels":{"$type":"com.example.thing"},"$mood":1}"#,
                [
                    Fault(
                        "[labels][$type]",
                        .unlistedType("com.example.thing", listed: ["com.atproto.label.defs#selfLabels"]))
                ]
            ),
            (
                #"{"text":"","createdAt":"2026-01-02T03:04:05Z","reply":{"root":{"uri":"at://a.com/a.b.c/d","cid":"bafkreiaaaaaaaaaa","x":1},"parent":{"uri":"at://a.com/a.b.c/d","cid":"bafkreiaaaaaaaaaa"},"rot":{}}}"#,
                [
                    Fault("[reply][root][x]", .unknown("x", others: [])),
                    Fault("[reply][rot]", .unknown("rot", others: [])),
                ]
            ),
            (
                #"{"text":"","createdAt":"2026-01-02T03:04:05Z","langs":["en","e n"]}"#,
                [Fault("[langs][1]", .malformed(.language, "e n"))]
            ),
            (
                #"{"text":"","createdAt":"2026-01-02T03:04:05Z","reply":null}"#,
                [Fault("[reply]", .null)]
            ),
        ] as [(String, Set<RecordValidator.Fault>)])
    func places(record: String, expected: Set<RecordValidator.Fault>) throws {
        let typed = record.replacing("{", with: #"{"$type":"app.bsky.feed.post","#, maxReplacements: 1)
        let found = try faults(typed, of: "app.bsky.feed.post")
        #expect(Set(found) == expected && found.count == expected.count)
    }

    @Test("takes a number with a fraction of zeros for a whole one, as readers of JSON do")
    func wholeNumbers() throws {
        func post(_ width: String) -> String {
            #"{"text":"a","createdAt":"2026-01-02T03:04:05Z","embed":{"$type":"app.bsky.embed.images","images":[{"#
                + #""alt":"","image":{"$type":"blob","ref":{"$link":"bafkreiaaaaaaaaaa"},"mimeType":"image/png","size":5.0},"#
                + #""aspectRatio":{"width":\#(width),"height":3}}]}}"#
        }
        for width in ["4", "4.0", "4e0", "400e-2"] {
            #expect(try faults(post(width), of: "app.bsky.feed.post") == [], "\(width)")
        }
        #expect(
            try faults(post("4.5"), of: "app.bsky.feed.post")
                == [
                    Fault("[embed][images][0][aspectRatio][width]", .mistyped(.integer, isText: false))
                ])
    }

    @Test(
        "reads the address of what is in a space",
        arguments: [
            ("at://did:plc:abc/space/app.bsky.group/default", true),
            (
                "at://did:plc:abc/space/app.bsky.group/default/did:plc:xyz/app.bsky.feed.post/3l6oveex3ii2l",
                true
            ),
            ("at://did:plc:abc/space", false), ("at://did:plc:abc/space/app.bsky.group", false),
            ("at://did:plc:abc/space/app.bsky.group/default/did:plc:xyz/app.bsky.feed.post", false),
            ("at://did:plc:abc/space/app.bsky.group/default/xyz/app.bsky.feed.post/3l6oveex3ii2l", false),
            ("at://did:plc:abc/app.bsky.feed.post/3l6oveex3ii2l/more", false), ("at://did:plc:abc", true),
        ])
    func spaces(address: String, isValid: Bool) throws {
        let like =
            #"{"subject":{"uri":"\#(address)","cid":"bafkreiaaaaaaaaaa"},"createdAt":"2026-01-02T03:04:05Z"}"#
        #expect(try faults(like, of: "app.bsky.feed.like").isEmpty == isValid)
    }

    @Test(
        "takes only days that there are, in leap years too",
        arguments: [
            ("2026-02-28", true), ("2026-02-29", false), ("2026-02-30", false), ("2024-02-29", true),
            ("2024-02-30", false), ("2000-02-29", true), ("1900-02-29", false), ("2026-04-30", true),
            ("2026-04-31", false), ("2026-12-31", true), ("2026-12-32", false), ("2026-01-00", false),
        ])
    func days(date: String, isValid: Bool) throws {
        let post = #"{"text":"a","createdAt":"\#(date)T12:00:00Z"}"#
        #expect(try faults(post, of: "app.bsky.feed.post").isEmpty == isValid)
    }

    @Test("takes a file as old records have it") func oldFile() throws {
        func profile(_ avatar: String) -> String { #"{"avatar":\#(avatar)}"# }
        let old = profile(#"{"cid":"bafkreiaaaaaaaaaa","mimeType":"image/png"}"#)
        #expect(try faults(old, of: "app.bsky.actor.profile") == [])
        let wrong = profile(#"{"cid":"none","mimeType":"image/png"}"#)
        #expect(
            try faults(wrong, of: "app.bsky.actor.profile") == [
                Fault("[avatar]", .mistyped(.blob, isText: false))
            ])
    }

    @Test("finds a fault of shape behind twenty limits") func limitsFirst() throws {
        let tag = #"{"$type":"app.bsky.richtext.facet#tag","tag":"\#(String(repeating: "a", count: 641))"}"#
        let facet = #"{"index":{"byteStart":0,"byteEnd":1},"features":[\#(tag)]}"#
        let facets = Array(repeating: facet, count: 25).joined(separator: ",")
        let found = try faults(
            #"{"text":"a","createdAt":"now","facets":[\#(facets)]}"#, of: "app.bsky.feed.post")
        #expect(found.contains(Fault("[createdAt]", .malformed(.datetime, "now"))))
    }

    @Test("calls lengths and lists of values limits, which a newer lexicon may raise") func limits() throws {
        let long = String(repeating: "👩🏽‍🚀", count: 301)
        var validator = RecordValidator(CompiledLexicons.document)
        let found = validator.faults(
            in: ["$type": "app.bsky.feed.post", "text": .string(long), "createdAt": "2026-01-02T03:04:05Z"],
            of: try NSID(validating: "app.bsky.feed.post"))
        #expect(!found.isEmpty && found.allSatisfy { $0.problem.kind == .limit && $0.place == "[text]" })
        #expect(found.contains { $0.problem == .tooLong(301, most: 300, .characters) })
    }

    @Test("reads each lexicon once for all elements and records, also one that is not there") func readOnce()
        throws
    {
        let asked = Mutex<[NSID]>([])
        let lexicon = try LexiconDocument(
            validating: try #require(
                try json(
                    """
                    {"lexicon":1,"id":"com.example.thing","defs":{"main":{"type":"record","key":"any","record":{"type":"object",
                    "properties":{"a":{"type":"array","items":{"type":"ref","ref":"#one"}},
                    "b":{"type":"array","items":{"type":"ref","ref":"com.example.missing"}}}}},
                    "one":{"type":"object","properties":{}}}}
                    """
                ).object))
        var validator = RecordValidator { nsid in
            asked.withLock { $0.append(nsid) }
            return nsid == lexicon.nsid ? lexicon : nil
        }
        let many = JSONValue.array(Array(repeating: [:], count: 100))
        for _ in 0..<2 {
            #expect(
                validator.faults(
                    in: ["$type": "com.example.thing", "a": many, "b": many], of: lexicon.nsid) == [])
        }
        let missing = try NSID(validating: "com.example.missing")
        #expect(asked.withLock { $0 } == [lexicon.nsid, missing])
    }

    @Test("ends in a type that names itself, and in a value that is very deep") func loops() throws {
        let lexicon = try LexiconDocument(
            validating: try #require(
                try json(
                    """
                    {"lexicon":1,"id":"com.example.thing","defs":{"main":{"type":"record","key":"any","record":{"type":"object",
                    "properties":{"a":{"type":"ref","ref":"#again"},"b":{"type":"ref","ref":"#one"}}}},
                    "again":{"type":"object","properties":{"a":{"type":"ref","ref":"#again"}}},
                    "one":{"type":"object","properties":{"c":{"type":"ref","ref":"#one"}}}}}
                    """
                ).object))
        var validator = RecordValidator { $0 == lexicon.nsid ? lexicon : nil }
        var value: JSONValue = [:]
        for _ in 0..<100 { value = ["a": value] }
        let found = validator.faults(in: ["$type": "com.example.thing", "a": value], of: lexicon.nsid)
        #expect(found.map(\.problem) == [.tooDeep])
    }
}
