import ATProtoIdentity
import BskyAuthCovers
import Foundation
import Testing

@Suite("TID") struct TIDTests {
    @Test("sorts by its time, and is the text that the specification shows for it")
    func text() {
        let time = Date(timeIntervalSince1970: 1_700_000_000)
        let text = TID(at: time, clock: 7).description
        #expect(text.count == 13 && text.hasSuffix("2b"))
        #expect(TID(at: Date(timeIntervalSince1970: 0), clock: 0).description == "2222222222222")
        #expect(TID(at: Date(timeIntervalSince1970: 0), clock: 1023).description == "22222222222zz")
        #expect(text < TID(at: time.addingTimeInterval(0.001), clock: 0).description)
        #expect(TID(at: time, clock: 6).description < text)
    }

    @Test(
        "is read with its time, and nothing else is one",
        arguments: [
            ("2222222222222", 0), ("22222222222zz", 0), ("2222222222322", 1),
            ("jzzzzzzzzzzzz", 1 << 54 - 1), ("kzzzzzzzzzzzz", nil), ("zzzzzzzzzzzzz", nil),
            ("222222222222", nil), ("22222222222222", nil), ("222222222222A", nil), ("22222222222é", nil),
            ("", nil),
        ] as [(String, UInt64?)])
    func reading(text: String, microseconds: UInt64?) {
        #expect(TID(text)?.microseconds == microseconds && TID.isValid(text) == (microseconds != nil))
        #expect(TID(text).map(\.description) ?? text == text)
    }
}

@Suite("RecordReference") struct RecordReferenceTests {
    private static let did = "did:plc:ewvi7nxzyoun6zhxrhs64oiz"

    @Test(
        "AT-URIs and pages of bsky.app name an account, a collection or a record",
        arguments: [
            ("at://\(did)/app.bsky.feed.post/3k", "at://\(did)/app.bsky.feed.post/3k"),
            ("at://Alice.Example.com/a.b.c/self", "at://alice.example.com/a.b.c/self"),
            ("at://alice.example.com/a.b.c", "at://alice.example.com/a.b.c"),
            ("at://\(did)/COM.Example.x/A", "at://\(did)/COM.Example.x/A"),
            ("at://\(did)", "at://\(did)"),
            ("https://bsky.app/profile/\(did)/post/3k", "at://\(did)/app.bsky.feed.post/3k"),
            ("https://bsky.app/profile/a.com/post/3k?ref=x#y", "at://a.com/app.bsky.feed.post/3k"),
            ("https://bsky.app/profile/a.com/feed/cats", "at://a.com/app.bsky.feed.generator/cats"),
            ("https://bsky.app/profile/a.com/lists/3k/", "at://a.com/app.bsky.graph.list/3k"),
            ("https://bsky.app/profile/a.com", "at://a.com"),
        ])
    func addresses(text: String, uri: String) throws {
        #expect(RecordReference.isMeant(by: text))
        #expect(try RecordReference(parsing: text).description == uri)
    }

    @Test(
        "what names none is refused",
        arguments: [
            "at://", "at://alice", "at://alice.example.com/", "at://alice.example.com/post/3k",
            "at://alice.example.com/a.b.c/", "at://alice.example.com/a.b.c/3k/x", "at://a.com/a.b.c/..",
            "at://a.com/a.b.c/3k?x", "at://a.com/a.b.c/3k#x", "at://a.com?x", "at://a.com/a.b.c/\u{e9}",
            "https://bsky.app/", "https://bsky.app/search", "https://bsky.app/profile",
            "https://bsky.app/profile/a.com/follows", "https://bsky.app/profile/a.com/likes/3k",
            "https://bsky.app/profile/a.com/post/3k/quotes", "https://bsky.app/profile/alice/post/3k",
        ])
    func invalid(text: String) {
        #expect(RecordReference.isMeant(by: text))
        #expect(throws: InvalidRecordReference.self) { try RecordReference(parsing: text) }
    }

    @Test(
        "other texts are no addresses",
        arguments: ["at:x", "a=at://a.com", "https://bsky.app.example.com/profile/a.com", "https://a.com"])
    func others(text: String) {
        #expect(!RecordReference.isMeant(by: text))
        #expect(throws: InvalidRecordReference.self) { try RecordReference(parsing: text) }
    }
}
