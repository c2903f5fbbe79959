import ATPJSON
import ATPNetworking
import ATProtoXRPC
import BskyAuthCovers
import Testing

@Suite("XRPCInput") struct XRPCInputTests {
    /// The body of items that are written `name=text` or `name:=json`.
    private func body(_ items: String...) throws -> String? {
        try XRPCInput(items.map(Self.item), for: .procedure).body.map { JSONValue.object($0).text }
    }

    private static func item(_ text: String) throws -> XRPCInput.Item {
        let index = try #require(text.firstIndex(of: "="))
        let (name, value) = (text[..<index], String(text[text.index(after: index)...]))
        guard name.hasSuffix(":") else { return .text(name: String(name), value) }
        return .json(name: String(name.dropLast()), try JSONParser.parse(value))
    }

    @Test("brackets in a name make objects and lists", .covers("F10"))
    func nested() throws {
        #expect(
            try body("a=1", "b[c]=2", "b[d][e]:=3", "a2=4")
                == #"{"a":"1","b":{"c":"2","d":{"e":3}},"a2":"4"}"#)
        #expect(try body("a[]=x", "a[]=x", "a[]:=null") == #"{"a":["x","x",null]}"#)
        #expect(try body("a[][b]=1", "a[][b]=2") == #"{"a":[{"b":"1"},{"b":"2"}]}"#)
        let images = #"{"r":{"images":[{"alt":"a","image":{"n":1.50}},{"alt":"b"}]}}"#
        let items = ["r[images][0][alt]=a", #"r[images][0][image]:={"n":1.50}"#, "r[images][1][alt]=b"]
        #expect(try body(items[0], items[1], items[2]) == images)
        // The members come in the order of the items, the elements in that of their numbers.
        #expect(
            try body(items[2], items[1], items[0])
                == #"{"r":{"images":[{"image":{"n":1.50},"alt":"a"},{"alt":"b"}]}}"#)
    }

    @Test("an object and items for members of it are one object, in any order")
    func merged() throws {
        #expect(try body(#"r:={"a":1}"#, "r[b]=2") == #"{"r":{"a":1,"b":"2"}}"#)
        #expect(try body("r[b]=2", #"r:={"a":1}"#) == #"{"r":{"b":"2","a":1}}"#)
        #expect(try body(#"r:={"a":{"x":1}}"#, "r[a][y]=2") == #"{"r":{"a":{"x":1,"y":"2"}}}"#)
        #expect(try body("r:=[1]", "r[]=2", "r[3]=4", "r[2]=3") == #"{"r":[1,"2","3","4"]}"#)
    }

    @Test("a backslash makes a bracket, a backslash and a number literal")
    func literal() throws {
        #expect(
            try body(#"a\[b\]=1"#, #"c[d\[e]=2"#, #"f[\0]=3"#)
                == #"{"a[b]":"1","c":{"d[e":"2"},"f":{"0":"3"}}"#)
        #expect(try body(#"a\\[b]=1"#, #"c\d=2"#, #"e\0=3"#) == #"{"a\\":{"b":"1"},"c\\d":"2","e\\0":"3"}"#)
    }

    @Test(
        "a name whose brackets don't match is refused",
        arguments: [
            "[a]", "[]", "a[", "a[b", "a]", "a[b]c", "a[b]]", "a[b[c]]", #"a[b\]"#, "a[10000]",
            "a[99999999999999999999]",
        ])
    func invalidNames(name: String) {
        for method in [XRPCMethod.procedure, .query] {
            #expect(throws: InvalidXRPCInput.invalidName(name)) {
                try XRPCInput([.text(name: name, "x")], for: method)
            }
        }
    }

    @Test("a name is at most a hundred levels deep")
    func depth() throws {
        let name = "a" + String(repeating: "[b]", count: 99)
        #expect(try XRPCInput([.text(name: name, "x")], for: .procedure).body?["a"] != nil)
        #expect(throws: InvalidXRPCInput.invalidName(name + "[b]")) {
            try XRPCInput([.text(name: name + "[b]", "x")], for: .procedure)
        }
    }

    @Test("items that contradict each other are refused, in any order")
    func contradictions() throws {
        for pair in [
            ["a=1", "a[b]=2"], ["a=1", "a[]=2"], ["a[b]=1", "a[]=2"], ["a[b]=1", "a[0]=2"],
            [#"a:={"b":1}"#, "a[b]=2"], ["a:=[1]", "a[0]=2"], ["a[b][c]=1", "a[b]=2"],
            [#"a:={"b":1}"#, #"a[b]:={"c":2}"#],
        ] {
            for items in [pair, pair.reversed()] {
                let error = #expect(throws: InvalidXRPCInput.self) {
                    try XRPCInput(items.map(Self.item), for: .procedure)
                }
                let name = try Self.item(items[1]).name
                #expect(error == .contradiction(name), "\(items)")
            }
        }
        #expect(throws: InvalidXRPCInput.repeated("a[b]")) { try body("a[b]=1", "a[b]=1") }
        #expect(throws: InvalidXRPCInput.repeated("a")) { try body("a:={}", "a:={}") }
    }

    @Test("a list without one of its elements is refused")
    func missing() {
        #expect(throws: InvalidXRPCInput.missingElement("a[0]")) { try body("a[1]=x") }
        #expect(throws: InvalidXRPCInput.missingElement("r[a][1][0]")) {
            try body("r[a][]=x", "r[a][1][1]=y")
        }
    }

    @Test("nothing is nested in a URL, where a literal bracket can be sent")
    func parameters() throws {
        for method in [XRPCMethod.procedure, .query] {
            #expect(throws: InvalidXRPCInput.nestedParameter("a[b]")) {
                try XRPCInput([.parameter(name: "a[b]", "x")], for: method)
            }
            let input = try XRPCInput([.parameter(name: #"a\[b\]"#, "x")], for: method)
            #expect(input.parameters.values("a[b]") == ["x"])
        }
        for item in [XRPCInput.Item.text(name: "a[]", "x"), .json(name: "a[0]", 1)] {
            #expect(throws: InvalidXRPCInput.nestedParameter(item.name)) {
                try XRPCInput([item], for: .query)
            }
        }
    }
}
