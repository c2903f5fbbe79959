import ATProto
import Covers
import HTTPTypes
import JSON
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
            ("a b=c", .literal(name: "a b", value: "c")),
        ])
    func items(text: String, expected: CallItem) throws {
        #expect(try CallItem(parsing: text) == expected)
    }

    @Test(
        "what is no item is a usage error", arguments: ["", "a", "=b", ":b", ":=1", "a:=", "a:=word", "a:={"])
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

    @Test("goes where it belongs in a request", .covers("X10")) func request() throws {
        var values: [XRPCInput.Item] = []
        var fields = HTTPFields()
        for text in ["a=b", "c:=1", "d==e", "Accept-Language: de"] {
            try CallItem(parsing: text).add(to: &values, &fields)
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
    func refusedHeaders(name: String, value: String) {
        var values: [XRPCInput.Item] = []
        var fields = HTTPFields()
        let failure = #expect(throws: Failure.self) {
            try CallItem.header(name: name, value: value).add(to: &values, &fields)
        }
        #expect(failure?.status == .usage)
        #expect(fields.isEmpty)
    }
}
