import ATPJSON
import Testing

@Suite("JSONParser") struct JSONParserTests {
    @Test(
        "accepts every kind of value",
        arguments: [
            ("null", .null), ("true", true), ("false", false), (#""""#, ""), ("[]", []), ("{}", [:]),
            (" \t\r\n[ 1 , 2 ]\n", [1, 2]), (#"{"a":{"b":[null]}}"#, ["a": ["b": [nil]]]),
            (#"{"":1}"#, ["": 1]), ("\"\u{7f}\u{2028}\"", "\u{7f}\u{2028}"),
            (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"),
            (#""\u0000\u0041\u00e9\uFFFF""#, "\0Aé\u{ffff}"),
            (#""\ud83e\udD8b""#, "🦋"), (#""🦋é""#, "🦋é"),
        ] as [(String, JSONValue)])
    func accepts(text: String, value: JSONValue) throws {
        #expect(try JSONParser.parse(text) == value)
    }

    @Test(
        "keeps a number as it was written",
        arguments: [
            "0", "-0", "7", "-12", "0.5", "10.00", "1e5", "1E+05", "-1.5e-10", "9007199254740993",
            "123456789012345678901234567890",
        ])
    func numbers(text: String) throws {
        #expect(try JSONParser.parse(text) == .number(text))
        #expect(try JSONParser.parse("[\(text)]").text == "[\(text)]")
    }

    @Test(
        "refuses what is not JSON",
        arguments: [
            "", " ", "nul", "nulll", "True", "TRUE", "NaN", "Infinity", "undefined", "'a'", "a",
            "01", "-", "-01", "+1", "1.", ".5", "1.e5", "1e", "1e+", "0x10", "1_000", "--1", "1 2",
            "[", "]", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1;2]", "[1]]", "{", "}", "{]", "[}",
            #"{"a"}"#, #"{"a":}"#, #"{"a" 1}"#, #"{"a":1,}"#, #"{,"a":1}"#, #"{"a":1"#, "{a:1}", "{1:1}",
            #"{"a":1 "b":2}"#, #"{"a":1}x"#, #"{"a"::1}"#, #"""#, #""a"#, #""\"#, #""\""#, #""\x41""#,
            #""\'""#,
            #""\u""#, #""\u00""#, #""\u00g0""#, #""\u+041""#, #""\U0041""#, "\"a\nb\"", "\"\t\"", "\"\u{0}\"",
            "\"\u{1f}\"", "// c\n1", "/* c */1", "\u{feff}1", "\u{a0}1", "1\u{c}", "1\0", #""a""b""#,
        ])
    func refuses(text: String) {
        let error = #expect(throws: JSONError.self) { try JSONParser.parse(text) }
        #expect(error?.reason == .syntax)
    }

    @Test(
        "refuses a surrogate without its other half",
        arguments: [
            #""\ud800""#, #""\udc00""#, #""\udfff\ud800""#, #""\ud800\ud800""#, #""\ud800A""#, #""\ud800\n""#,
            #""\ud83e\u0041""#,
        ])
    func loneSurrogates(text: String) {
        let error = #expect(throws: JSONError.self) { try JSONParser.parse(text) }
        #expect(error?.reason == .encoding)
    }

    @Test(
        "reads one as U+FFFD in a value where that is allowed, and what follows it as it is",
        arguments: [
            (#""\ud800""#, "\u{fffd}"), (#""\udc00a""#, "\u{fffd}a"),
            (#""\udfff\ud800""#, "\u{fffd}\u{fffd}"),
            (#""\ud800\ud800""#, "\u{fffd}\u{fffd}"), (#""\ud800A""#, "\u{fffd}A"),
            (#""\ud800\n""#, "\u{fffd}\n"), (#""\ud83e\u0041""#, "\u{fffd}A"),
            (#""\ud83e\ud83e\udd8b""#, "\u{fffd}🦋"), (#""\udd8b\ud83e\"""#, "\u{fffd}\u{fffd}\""),
        ])
    func replacedSurrogates(text: String, value: String) throws {
        for leniency in [JSONFlaws.halfSurrogates, [.halfSurrogates, .repeatedNames]] {
            let read = try JSONParser.read(Array(#"{"a":[\#(text)]}"#.utf8), leniency: leniency)
            #expect(read.value == ["a": [.string(value)]] && read.flaws == .halfSurrogates)
        }
        for leniency in [JSONFlaws(), .repeatedNames] {
            let error = #expect(throws: JSONError.self) {
                try JSONParser.parse(Array(text.utf8), leniency: leniency)
            }
            #expect(error?.reason == .encoding)
        }
    }

    @Test(
        "refuses it in a name, and broken escapes and bytes, also then",
        arguments: [
            (#"{"\ud800":1}"#, .encoding), (#"{"a":{"\udc00":1}}"#, .encoding), (#""\ud800\x""#, .syntax),
            (#""\ud800\u""#, .syntax), (#""\ud800\u00g0""#, .syntax), (#""\ud8""#, .syntax),
            (#""\ud800"#, .syntax),
        ] as [(String, JSONError.Reason)])
    func stillRefused(text: String, reason: JSONError.Reason) {
        let all: JSONFlaws = [.halfSurrogates, .repeatedNames]
        let error = #expect(throws: JSONError.self) {
            try JSONParser.parse(Array(text.utf8), leniency: all)
        }
        #expect(error?.reason == reason)
        // The bytes of a surrogate in UTF-8.
        let bytes = #expect(throws: JSONError.self) {
            try JSONParser.parse([0x22, 0xed, 0xa0, 0xbd, 0x22], leniency: all)
        }
        #expect(bytes?.reason == .encoding)
    }

    @Test("keeps both members of a repeated name where that is allowed")
    func keptNames() throws {
        let text = #"{"a":1,"b":{"x":[2],"\u0078":null},"a":"3"}"#
        let read = try JSONParser.read(Array(text.utf8), leniency: .repeatedNames)
        #expect(read.value.text == text.replacing(#"\u0078"#, with: "x") && read.flaws == .repeatedNames)
        #expect(read.value.object?.repeats("a") == true && read.value.object?.repeats("b") == false)
        #expect(
            try JSONParser.read(Array("{}".utf8), leniency: [.halfSurrogates, .repeatedNames]).flaws == [])
        let error = #expect(throws: JSONError.self) {
            try JSONParser.parse(Array(text.utf8), leniency: .halfSurrogates)
        }
        #expect(error?.reason == .repeatedName)
    }

    @Test(
        "refuses strings that are not UTF-8",
        arguments: [
            [0xff], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82], [0x80],
        ] as [[UInt8]])
    func notUTF8(bytes: [UInt8]) {
        let error = #expect(throws: JSONError.self) { try JSONParser.parse([0x22] + bytes + [0x22]) }
        #expect(error?.reason == .encoding)
    }

    @Test(
        "refuses a name that comes twice, however it is written and however deep",
        arguments: [
            #"{"a":1,"a":1}"#, #"{"a":1,"b":2,"a":3}"#, #"{"a":1,"\u0061":2}"#, #"[{"x":{"a":1,"a":2}}]"#,
            #"{"":1,"":2}"#,
        ])
    func repeatedNames(text: String) {
        let error = #expect(throws: JSONError.self) { try JSONParser.parse(text) }
        #expect(error?.reason == .repeatedName)
    }

    @Test(
        "sees it among very many, wherever the two are",
        arguments: [(0, 19), (3, 400), (16, 17), (398, 400), (15, 16)])
    func repeatedAmongMany(first: Int, second: Int) throws {
        func object(_ name: (Int) -> Int) -> String {
            "{" + (0...400).map { #""n\#(name($0))":1"# }.joined(separator: ",") + "}"
        }
        #expect(try JSONParser.parse(object { $0 }).object?.members.count == 401)
        let error = #expect(throws: JSONError.self) {
            try JSONParser.parse(object { $0 == second ? first : $0 })
        }
        #expect(error?.reason == .repeatedName)
    }

    @Test("takes the same name in different objects, and names that differ in case")
    func unrepeatedNames() throws {
        let value = try JSONParser.parse(#"{"a":{"a":1},"A":[{"a":2}]}"#)
        #expect(value["a"]?["a"]?.integer == 1)
        #expect(value["A"]?.array?.first?["a"]?.integer == 2)
    }

    @Test("takes 128 levels and no more", arguments: [("[", "]"), (#"{"a":"#, "}")])
    func depth(open: String, close: String) throws {
        func nested(_ levels: Int) -> String {
            String(repeating: open, count: levels) + "[]" + String(repeating: close, count: levels)
        }
        _ = try JSONParser.parse(nested(127))
        let error = #expect(throws: JSONError.self) { try JSONParser.parse(nested(128)) }
        #expect(error?.reason == .tooDeep)
    }

    @Test("does not run out of stack on a document that only opens")
    func endlessDepth() {
        let text = String(repeating: "[", count: 1_000_000)
        let error = #expect(throws: JSONError.self) { try JSONParser.parse(text) }
        #expect(error?.reason == .tooDeep)
    }

    @Test("counts depth, not objects one after the other")
    func manySiblings() throws {
        let text = "[" + Array(repeating: "[[]]", count: 500).joined(separator: ",") + "]"
        #expect(try JSONParser.parse(text).array?.count == 500)
    }

    @Test("says at which byte it stopped")
    func offset() {
        let error = #expect(throws: JSONError.self) { try JSONParser.parse(#"{"é":x}"#) }
        #expect(error?.offset == 6)
    }
}
