import ATPJSON
import Testing

@Suite("JSONPath") struct JSONPathTests {
    private func found(_ path: String, in document: String) throws -> [String] {
        try JSONPath(parsing: path).values(in: try JSONParser.parse(document)).map(\.text)
    }

    @Test(
        "leads to members and elements",
        arguments: [
            (".a", ["1.50"]), (".b.c", ["\"x\""]), (".list[0]", [#"{"n":1}"#]), (".list[].n", ["1", "2"]),
            (".list[1].n", []), (".\"na.me\"", ["true"]), (".\"q\\\"\\u0041\"", ["\"quoted\""]),
            (".list", [#"[{"n":1},{},{"n":2}]"#]), (".none", ["null"]), (".$type", ["\"t\""]),
            (".list.[2].n", ["2"]), (".nested[][]", ["1", "2", "3"]), (".big", ["9007199254740993"]),
        ] as [(String, [String])])
    func leads(path: String, values: [String]) throws {
        let document = #"""
            {"a":1.50,"b":{"c":"x"},"list":[{"n":1},{},{"n":2}],"na.me":true,"q\"A":"quoted","none":null,
            "$type":"t","nested":[[1],[2,3]],"big":9007199254740993}
            """#
        #expect(try found(path, in: document) == values)
    }

    @Test("refuses to choose between the members of a repeated name")
    func repeated() throws {
        let text = #"{"a":{"x":1,"x":2},"b":[{"n":1},{"n":2,"n":3}],"c":4}"#
        let document = try JSONParser.parse(Array(text.utf8), leniency: .repeatedNames)
        for (path, name) in [(".a.x", "x"), (".b[].n", "n"), (".b[1].n", "n")] {
            let path = try JSONPath(parsing: path)
            #expect(throws: RepeatedName(name: name)) { try path.values(in: document) }
        }
        for (path, found) in [(".c", ["4"]), (".b[0].n", ["1"]), (".a", [#"{"x":1,"x":2}"#]), (".a.y", [])] {
            #expect(try JSONPath(parsing: path).values(in: document).map(\.text) == found)
        }
    }

    @Test("begins with an element too", arguments: [("[1]", ["2"]), ("[]", ["1", "2"]), (".[0]", ["1"])])
    func array(path: String, values: [String]) throws {
        #expect(try found(path, in: "[1,2]") == values)
    }

    @Test(
        "leads nowhere where a step does not fit the value",
        arguments: [
            ".x", ".a.x", ".a[0]", ".a[]", "[0]", "[]", ".list[3]", ".list.n", ".s[0]", ".list[].x.y",
        ])
    func nowhere(path: String) throws {
        #expect(try found(path, in: #"{"a":{"b":1},"list":[{},{"x":1}],"s":"text"}"#).isEmpty)
    }

    @Test(
        "tells where it ends too early",
        arguments: [
            (".x", "", #"{"a":{"b":1},"list":[{},{"x":1}]}"#), (".a.x", ".a", #"{"b":1}"#),
            (".a.b.c", ".a.b", "1"), (".list[3]", ".list", #"[{},{"x":1}]"#), (".list[].y", ".list[]", "{}"),
            (".list[].x.y", ".list[].x", "1"), (".\"a\"[0]", ".\"a\"", #"{"b":1}"#),
        ])
    func end(path: String, place: String, value: String) throws {
        let document = try JSONParser.parse(#"{"a":{"b":1},"list":[{},{"x":1}]}"#)
        let end = try #require(try JSONPath(parsing: path).end(in: document))
        #expect(end.path == place && end.value.text == value)
        #expect(try JSONPath(parsing: ".list[].x").end(in: document) == nil)
    }

    @Test(
        "is refused where it is none",
        arguments: [
            "", ".", "a", ".a b", ".a..b", ".a[", ".a[-1]", ".a[x]", ".a[ ]", ".a[1", ".a]", ".\"a",
            ".\"a\\\"",
            ".a\"b\"", "\"a\"", ".a[99999999999999999999]", ".a[+1]", ".\"\\x\"", ".a.", " .a", ".a\n",
        ])
    func refused(path: String) {
        #expect(throws: InvalidJSONPath.self) { try JSONPath(parsing: path) }
    }
}
