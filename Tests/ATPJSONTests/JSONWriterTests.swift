import ATPJSON
import Testing

@Suite("JSONWriter") struct JSONWriterTests {
    @Test(
        "gives back compact documents byte for byte",
        arguments: [
            "null", "[]", "{}", #"{"b":1,"a":[true,false,null],"c":{"z":"","y":-0.10e5}}"#,
            #"["é🦋","a/b",123456789012345678901234567890]"#, #"{"z":1,"y":2,"x":3,"w":4}"#,
        ])
    func roundTrip(text: String) throws {
        #expect(try JSONParser.parse(text).text == text)
    }

    @Test("escapes quotes, backslashes and every character that a terminal obeys")
    func escapes() throws {
        let text = JSONValue.string("\"\\\n\r\t\u{0}\u{1b}[31m\u{7f}\u{9b}\u{2028}\u{2029}é").text
        #expect(text == #""\"\\\n\r\t\u0000\u001b[31m\u007f\u009b\u2028\u2029é""#)
    }

    @Test("leaves no control character, and each survives the way there and back")
    func controls() throws {
        for code in Array(0..<0x20) + Array(0x7f...0xa0) {
            let scalar = try #require(Unicode.Scalar(UInt32(code)))
            let value: JSONValue = .object(["k\(scalar)": .string("v\(scalar)")])
            let controls = value.text.unicodeScalars.filter { $0.properties.generalCategory == .control }
            #expect(controls.isEmpty, "U+\(String(code, radix: 16))")
            #expect(try JSONParser.parse(value.text) == value)
        }
    }

    @Test("hands every token out to be set off, and none of what is between them")
    func decorated() throws {
        let value: JSONValue = ["a": 1, "b": ["c\n", true, nil], "d": [:]]
        let letters: [JSONToken: String] = [.name: "N", .string: "S", .literal: "L"]
        let text = value.indentedText(decorating: { token, text in "<\(letters[token] ?? "")\(text)>" })
        #expect(
            text == #"""
                {
                  <N"a">: <L1>,
                  <N"b">: [
                    <S"c\n">,
                    <Ltrue>,
                    <Lnull>
                  ],
                  <N"d">: {}
                }
                """#)
        #expect(value.indentedText(decorating: { $1 }) == value.indentedText)
    }

    @Test("indents by two spaces and keeps empty collections on one line")
    func indented() throws {
        let value: JSONValue = ["a": 1, "b": [true, ["c": nil]], "d": [], "e": [:]]
        #expect(
            value.indentedText == """
                {
                  "a": 1,
                  "b": [
                    true,
                    {
                      "c": null
                    }
                  ],
                  "d": [],
                  "e": {}
                }
                """)
        #expect(try JSONParser.parse(value.indentedText) == value)
    }
}

@Suite("JSONValue") struct JSONValueTests {
    @Test("answers for its own kind only")
    func kinds() {
        let value: JSONValue = ["s": "x", "t": true, "i": 7, "a": ["p", "q"], "m": ["p", 1], "n": nil]
        #expect(value["s"]?.string == "x" && value["s"]?.integer == nil && value["s"]?.bool == nil)
        #expect(value["t"]?.bool == true && value["t"]?.string == nil)
        #expect(
            value["a"]?.strings == ["p", "q"] && value["m"]?.strings == nil && value["s"]?.strings == nil)
        #expect(value["n"]?.isNull == true && value["absent"] == nil && value["s"]?["x"] == nil)
    }

    @Test(
        "reads whole numbers that fit and nothing else",
        arguments: [
            ("7", 7), ("-1", -1), ("9223372036854775807", .max), ("9223372036854775808", nil), ("1.0", nil),
            ("1e3", nil),
        ] as [(String, Int64?)])
    func integers(text: String, integer: Int64?) throws {
        #expect(try JSONParser.parse(text).integer == integer)
    }

    @Test("replaces a member in place, appends a new one, removes with nil")
    func members() {
        var object: JSONObject = ["a": 1, "b": 2, "c": 3]
        object["b"] = "x"
        object["d"] = 4
        object["a"] = nil
        object["absent"] = nil
        #expect(JSONValue.object(object).text == #"{"b":"x","c":3,"d":4}"#)
    }

    @Test("wraps Swift's values")
    func wraps() {
        #expect(JSONValue(UInt8(200)) == .number("200"))
        #expect(JSONValue(String?.none) == .null && JSONValue(Optional("a")) == "a")
        #expect(JSONValue(["a", "b"]) == ["a", "b"])
    }
}
