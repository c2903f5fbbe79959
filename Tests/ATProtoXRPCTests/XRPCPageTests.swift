import ATPJSON
import ATPNetworking
import ATProtoIdentity
import ATProtoXRPC
import BskyAuthCovers
import HTTPTypes
import Testing

@Suite("Pages of a query") struct XRPCPageTests {
    private func page(_ text: String) throws -> XRPCPage { try XRPCPage(Array(text.utf8)) }

    @Test("the cursor goes into the next request, and everything else stays as it is", .covers("X11"))
    func requests() throws {
        let query = XRPCRequest(
            .query, try NSID(validating: "a.b.listThings"),
            parameters: ["limit": "2", "tag": "x", "tag": "y"],
            headerFields: [.acceptLanguage: "de"])
        var pages = XRPCPages(of: query)
        let server = Origin(scheme: .https, host: "pds.example.com")
        let first = try #require(pages.next).transportRequest(to: server)
        try pages.advance(past: try page(#"{"cursor":"a&b=c","things":[]}"#))
        let second = try #require(pages.next).transportRequest(to: server)
        try pages.advance(past: try page(#"{"cursor":"z","things":[]}"#))
        let third = try #require(pages.next).transportRequest(to: server)
        try pages.advance(past: try page(#"{"things":[1]}"#))
        #expect(pages.next == nil && pages.cursor == nil)
        #expect(first.url.query == "limit=2&tag=x&tag=y")
        #expect(second.url.query == "limit=2&tag=x&tag=y&cursor=a%26b%3Dc")
        #expect(third.url.query == "limit=2&tag=x&tag=y&cursor=z")
        for request in [first, second, third] {
            #expect(request.url.withoutQuery == first.url.withoutQuery && request.method == .get)
            #expect(request.headerFields == first.headerFields)
        }
    }

    @Test(
        "a page without a cursor is the last, however the server leaves it out", .covers("X11"),
        arguments: [#"{}"#, #"{"cursor":null}"#, #"{"cursor":""}"#])
    func last(text: String) throws {
        var pages = XRPCPages(of: XRPCRequest(.query, try NSID(validating: "a.b.list")), from: "c")
        #expect(pages.cursor == "c" && pages.next?.parameters.single("cursor") == "c")
        try pages.advance(past: try page(text))
        #expect(pages.next == nil && pages.cursor == nil)
    }

    @Test(
        "a cursor that came before ends it, wherever it came", .covers("X11"),
        arguments: [["start"], ["a", "a"], ["a", "b", "a"], ["a", "b", "start"]])
    func circle(cursors: [String]) throws {
        var pages = XRPCPages(of: XRPCRequest(.query, try NSID(validating: "a.b.list")), from: "start")
        for cursor in cursors.dropLast() { try pages.advance(past: try page(#"{"cursor":"\#(cursor)"}"#)) }
        let repeated = try page(#"{"cursor":"\#(cursors[cursors.count - 1])"}"#)
        #expect(throws: RepeatedCursor.self) { try pages.advance(past: repeated) }
        // There is no cursor to continue from.
        #expect(pages.next == nil && pages.cursor == nil)
    }

    @Test(
        "a page whose cursor is its own is the last one if its items are new; if not, the server ignores cursors, and others are missing",
        .covers("X11"))
    func ownCursor() throws {
        func pages(_ texts: [String], from start: String? = nil) throws -> [XRPCPages.Successor] {
            var pages = XRPCPages(of: XRPCRequest(.query, try NSID(validating: "a.b.list")), from: start)
            return try texts.map { try pages.advance(past: try page($0)) }
        }
        let (first, last) = (#"{"cursor":"c","things":[1,2]}"#, #"{"cursor":"c","things":[3,4]}"#)
        #expect(try pages([first, last]) == [.page, .noneButCursor])
        #expect(try pages([#"{"cursor":"c","things":[]}"#, last]) == [.page, .noneButCursor])
        // An empty page is the end, also of a list that was not begun here.
        #expect(try pages([first, #"{"cursor":"c","things":[]}"#]) == [.page, .noneButCursor])
        #expect(try pages([#"{"cursor":"c","things":[]}"#], from: "c") == [.noneButCursor])
        for (texts, start) in [
            ([first, first], nil), ([first, #"{"cursor":"c","things":[2,3]}"#], nil),
            // A count in an item has changed; items that nothing names.
            (
                [
                    #"{"cursor":"c","feed":[{"uri":"at://a","n":1}]}"#,
                    #"{"cursor":"c","feed":[{"uri":"at://a","n":2}]}"#,
                ], nil
            ),
            ([#"{"cursor":"c","feed":[{"n":1}]}"#, #"{"cursor":"c","feed":[{"n":2}]}"#], nil),
            // Whether the page is the first one again can't be seen.
            ([last], "c"),
            // A real circle.
            ([first, #"{"cursor":"d","things":[3]}"#, #"{"cursor":"c","things":[4]}"#], nil),
        ] as [([String], String?)] {
            #expect(throws: RepeatedCursor.self, "\(texts)") { try pages(texts, from: start) }
        }
    }

    @Test("a cursor may be a whole number", .covers("X11"))
    func number() throws {
        #expect(try page(#"{"cursor":2,"things":[]}"#).cursor == "2")
    }

    @Test("half a character in an item is replaced, and in the cursor it ends the pages", .covers("X11"))
    func halfSurrogates() throws {
        let page = try page(#"{"items":["\ud83d",{"text":"x\udc00"}],"cursor":"c"}"#)
        #expect(page.cursor == "c")
        #expect(try page.items(of: "items") == ["\u{fffd}", ["text": "x\u{fffd}"]])
        #expect(throws: InvalidXRPCPage.cursorHalfSurrogate) {
            try self.page(#"{"items":[],"cursor":"c\ud83d"}"#)
        }
        // A server may use the character itself.
        #expect(try self.page(#"{"cursor":"c\ufffd"}"#).cursor == "c\u{fffd}")
    }

    @Test(
        "a repeated name is an error, and where pages are printed only for the cursor and the items",
        .covers("X11"))
    func repeatedNames() throws {
        let text = #"{"items":[{"a":1,"a":2}],"other":1,"other":[],"cursor":"c"}"#
        #expect(throws: InvalidXRPCPage.self) { try self.page(text) }
        let page = try XRPCPage(Array(text.utf8), leniency: .repeatedNames)
        #expect(page.cursor == "c" && JSONValue.object(page.content).text == text)
        #expect(try page.items(of: "items").map(\.text) == [#"{"a":1,"a":2}"#])
        #expect(throws: InvalidXRPCPage.repeated("other")) { try page.items(of: "other") }
        for cursors in [#""cursor":"a","cursor":"b""#, #""cursor":"a","cursor":null"#] {
            #expect(throws: InvalidXRPCPage.repeated("cursor")) {
                try XRPCPage(Array("{\(cursors)}".utf8), leniency: .repeatedNames)
            }
        }
    }

    @Test("lists are the members that are arrays, in order")
    func lists() throws {
        #expect(try page(#"{"subject":{"a":[]},"z":[],"cursor":"c","b":[1]}"#).lists == ["z", "b"])
        #expect(try page("{}").lists.isEmpty)
    }

    @Test(
        "what is no page is told apart",
        arguments: [
            (#"[]"#, InvalidXRPCPage.notAnObject), (#""x""#, .notAnObject), (#"{"cursor":1.5}"#, .cursor),
            (#"{"cursor":["a"]}"#, .cursor),
        ])
    func invalid(text: String, error: InvalidXRPCPage) {
        #expect(throws: error) { try page(text) }
    }

    @Test("what is no JSON, or means two things, is no page", arguments: ["", "<html>", #"{"a":1,"a":2}"#])
    func unreadable(text: String) {
        #expect {
            try page(text)
        } throws: { error in
            if case InvalidXRPCPage.json = error { true } else { false }
        }
    }
}
