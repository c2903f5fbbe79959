import ATPJSON
import ATProtoIdentity
import ATProtoXRPC
import BskyAuthCovers
import Testing

@Suite("Facets of texts") struct TextFacetTests {
    /// Each facet as its bytes, its part of the text, and what the record says.
    private func facets(_ text: String) -> [String] {
        let bytes = Array(text.utf8)
        return TextFacet.all(in: text).map { facet in
            let part = String(decoding: bytes[facet.bytes], as: UTF8.self)
            let feature =
                switch facet.feature {
                case .mention(let handle): "mention \(handle)"
                case .link(let uri): "link \(uri)"
                case .tag(let tag): "tag \(tag)"
                }
            return "\(facet.bytes.lowerBound)-\(facet.bytes.upperBound) [\(part)] \(feature)"
        }
    }

    private func features(_ text: String) -> [String] {
        facets(text).map { String($0[$0.index($0.lastIndex(of: "]") ?? $0.startIndex, offsetBy: 2)...]) }
    }

    @Test(
        "mentions",
        .covers("X15"),
        arguments: [
            ("no mention, not@right.com", []),
            ("@handle.com middle", ["0-11 [@handle.com] mention handle.com"]),
            ("see (@Alice.Example.COM).", ["5-23 [@Alice.Example.COM] mention alice.example.com"]),
            ("@full123-chars.test!", ["0-19 [@full123-chars.test] mention full123-chars.test"]),
            ("hi @a.com-. x", ["3-9 [@a.com] mention a.com"]), ("@a.com_b @.com @a @photo.jpg @-a.com", []),
            ("@handle.comさん", ["0-11 [@handle.com] mention handle.com"]),
            ("@a.com\n@a.com", ["0-6 [@a.com] mention a.com", "7-13 [@a.com] mention a.com"]),
            ("👨‍👩‍👧‍👧 @a.com 👍🏽", ["26-32 [@a.com] mention a.com"]),
            ("مرحبا @a.com!", ["11-17 [@a.com] mention a.com"]),
        ] as [(String, [String])])
    func mentions(_ text: String, _ found: [String]) {
        #expect(facets(text).map(Self.exact) == found.map(Self.exact))
    }

    @Test(
        "a handle whose last label is no top-level domain is told apart from other words",
        arguments: [
            ("hi @alice.bsky.socail, (@bob.exmaple)", ["alice.bsky.socail", "bob.exmaple"]),
            ("@photo.jpg", ["photo.jpg"]), ("@handle.com @a @a.com_b @-a.comm", []),
            ("me@example.socail @x.test", []),
        ] as [(String, [String])])
    func almostMentions(_ text: String, _ found: [String]) {
        #expect(TextFacet.almostMentions(in: text) == found)
        #expect(!TextFacet.all(in: text).contains { "\($0.feature)".contains("socail") })
    }

    /// The text itself. Strings that look alike must not be equal here.
    private static func exact(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test(
        "links, and what behind them is no part of them",
        .covers("X15"),
        arguments: [
            (
                "start https://a.com/b?c=d#e end",
                ["6-27 [https://a.com/b?c=d#e] link https://a.com/b?c=d#e"]
            ),
            ("HTTP://a.com", ["0-12 [HTTP://a.com] link HTTP://a.com"]),
            (
                "https://a.com, https://b.com; https://c.com.",
                [
                    "0-13 [https://a.com] link https://a.com", "15-28 [https://b.com] link https://b.com",
                    "30-43 [https://c.com] link https://c.com",
                ]
            ),
            ("https://a.com/?!... x", ["0-14 [https://a.com/] link https://a.com/"]),
            ("(https://a.com)", ["1-14 [https://a.com] link https://a.com"]),
            ("(see https://a.com).", ["5-18 [https://a.com] link https://a.com"]),
            (
                "https://a.com/x_(y) (https://a.com/x_(y)).",
                [
                    "0-19 [https://a.com/x_(y)] link https://a.com/x_(y)",
                    "21-40 [https://a.com/x_(y)] link https://a.com/x_(y)",
                ]
            ),
            ("https://a.com/x_(y:)", ["0-20 [https://a.com/x_(y:)] link https://a.com/x_(y:)"]),
            ("https:// https://) http://.", []),
            ("end.com/a?b=c#d e", ["0-15 [end.com/a?b=c#d] link https://end.com/a?b=c#d"]),
            ("Start.COM.", ["0-9 [Start.COM] link https://Start.COM"]),
            (
                "not.. a..url ..here e.g. e.g./foo website.com.jpg/x some-thing.com 1a.com a.com",
                ["74-79 [a.com] link https://a.com"]
            ),
            ("café https://例え.jp/パス 次", ["6-30 [https://例え.jp/パス] link https://例え.jp/パス"]),
            ("cafe\u{301} https://a.com", ["7-20 [https://a.com] link https://a.com"]),
            (" \u{301}https://a.com \u{301} https://b.com", ["20-33 [https://b.com] link https://b.com"]),
            ("\u{3000}https://a.com\u{a0}x", ["3-16 [https://a.com] link https://a.com"]),
            ("\u{202b}שלום\u{202c} https://a.com", ["15-28 [https://a.com] link https://a.com"]),
        ] as [(String, [String])])
    func links(_ text: String, _ found: [String]) {
        #expect(facets(text).map(Self.exact) == found.map(Self.exact))
    }

    @Test(
        "tags",
        .covers("X15"),
        arguments: [
            ("#a #b", ["0-2 [#a] tag a", "3-5 [#b] tag b"]), ("#1 #_ # ## #? text#no (#no)", []),
            ("#1a #2026年", ["0-3 [#1a] tag 1a", "4-12 [#2026年] tag 2026年"]),
            ("＃タグ。", ["0-9 [＃タグ] tag タグ"]), ("＃１", ["0-6 [＃１] tag １"]),
            ("its a #double#rainbow", ["6-21 [#double#rainbow] tag double#rainbow"]),
            ("##hashash", ["0-9 [##hashash] tag #hashash"]),
            ("some #n0n3s@n5e!", ["5-15 [#n0n3s@n5e] tag n0n3s@n5e"]),
            ("#multi_trailing___...", ["0-15 [#multi_trailing] tag multi_trailing"]),
            ("#🦋 #butter🦋fly", ["0-5 [#🦋] tag 🦋", "6-20 [#butter🦋fly] tag butter🦋fly"]),
            ("this #\u{fe0f}\u{20e3}tag", []),
            ("this ##\u{fe0f}\u{20e3}tag", ["5-16 [##\u{fe0f}\u{20e3}tag] tag #\u{fe0f}\u{20e3}tag"]),
            ("#a\u{200b}b", ["0-2 [#a] tag a"]), ("#\u{200b}a", []),
            ("#cafe\u{301}!", ["0-7 [#cafe\u{301}] tag cafe\u{301}"]),
            ("#שלום.", ["0-9 [#שלום] tag שלום"]), ("#مرحبا،", ["0-11 [#مرحبا] tag مرحبا"]),
        ] as [(String, [String])])
    func tags(_ text: String, _ found: [String]) {
        #expect(facets(text).map(Self.exact) == found.map(Self.exact))
    }

    @Test("a tag has at most 64 characters and 640 bytes, as in the lexicon")
    func longTags() {
        let most = String(repeating: "a", count: 64)
        #expect(features("#\(most) #\(most)! #\(most)a") == ["tag \(most)", "tag \(most)"])
        let butterflies = String(repeating: "🦋", count: 64)
        #expect(features("#\(butterflies) #\(butterflies)🦋") == ["tag \(butterflies)"])
        let family = String(repeating: "👩🏽", count: 64)
        #expect(family.utf8.count == 512 && features("#\(family)") == ["tag \(family)"])
        #expect(features("#" + String(repeating: "e\u{301}\u{302}\u{303}\u{304}\u{305}", count: 64)) == [])
    }

    @Test("facets don't overlap: the first one counts", .covers("X15"))
    func overlaps() {
        #expect(features("https://a.com/(@b.com)") == ["link https://a.com/(@b.com)"])
        #expect(features("#a(@b.com) #c(https://d.com)") == ["tag a(@b.com", "tag c(https://d.com"])
        #expect(
            features("a.com/#b @c.com/(d.com)") == [
                "link https://a.com/#b", "mention c.com", "link https://d.com",
            ])
        let text = "#a(@b.com) (https://c.com/(@d.com) e.com/(f.com) @g.com(h.com) ＃i(j.com)"
        let found = TextFacet.all(in: text).map(\.bytes)
        #expect(found.count > 4)
        for (one, next) in zip(found, found.dropFirst()) { #expect(one.upperBound <= next.lowerBound) }
    }

    @Test(
        "every record of a write gets the facets of its own text, and each handle is asked for once",
        .covers("X15"))
    func writes() throws {
        let body = try #require(
            try JSONParser.parse(
                #"{"writes":[{"$type":"com.atproto.repo.applyWrites#create","collection":"a.b.c","value":{"text":"é @a.com @b.com"}},"#
                    + #"{"$type":"com.atproto.repo.applyWrites#delete","value":{"text":"@c.com"}},"#
                    + #"{"$type":"com.atproto.repo.applyWrites#update","value":{"text":"plain @a.com"}},"#
                    + #"{"$type":"com.atproto.repo.applyWrites#update","value":{"text":"plain"}}]}"#
            ).object)
        let found = try WriteFacets(body, of: NSID(validating: "com.atproto.repo.applyWrites"))
        #expect(found.handles.map(\.description) == ["a.com", "b.com"])
        let did = try DID(validating: "did:web:a.com")
        let writes =
            JSONValue.object(found.body(naming: [try Handle(validating: "a.com"): did]))["writes"]?.array
            ?? []
        let mention = #""features":[{"$type":"app.bsky.richtext.facet#mention","did":"did:web:a.com"}]}]"#
        #expect(
            writes.map { $0["value"]?["facets"]?.text } == [
                #"[{"index":{"byteStart":3,"byteEnd":9},\#(mention)"#, nil,
                #"[{"index":{"byteStart":6,"byteEnd":12},\#(mention)"#, nil,
            ])
    }

    @Test(
        "a body without a record or a text, or with facets, is refused",
        arguments: [
            ("createRecord", #"{"record":{}}"#, .noText),
            ("createRecord", #"{"record":{"text":5}}"#, .noText),
            ("putRecord", #"{"record":{"text":"a","facets":[]}}"#, .given("record[facets]")),
            ("createRecord", #"{"record":{"facets":null}}"#, .given("record[facets]")),
            ("createRecord", "{}", .noRecord), ("deleteRecord", #"{"record":{"text":"a"}}"#, .noRecord),
            ("uploadBlob", #"{"record":{"text":"a"}}"#, .noRecord),
            ("applyWrites", #"{"writes":[]}"#, .noRecord),
            (
                "applyWrites",
                #"{"writes":[{"$type":"com.atproto.repo.applyWrites#create","value":{"text":"a"}},"#
                    + #"{"$type":"com.atproto.repo.applyWrites#create","value":{"facets":[]}}]}"#,
                .given("writes[1][value][facets]")
            ),
        ] as [(String, String, InvalidWriteFacets)])
    func refused(_ name: String, _ body: String, _ problem: InvalidWriteFacets) throws {
        let body = try #require(try JSONParser.parse(body).object)
        let nsid = try NSID(validating: "com.atproto.repo.\(name)")
        #expect(throws: problem) { _ = try WriteFacets(body, of: nsid) }
    }
}
