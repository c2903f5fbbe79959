import ATPJSON
import ATProtoIdentity
import ATProtoLexicons
import BskyAuthTestSupport
import Testing

@Suite("LexiconDocument") struct LexiconDocumentTests {
    private func document(_ definition: String, named name: String = "main") throws -> LexiconDocument {
        let text = #"{"lexicon":1,"id":"com.example.thing","defs":{"\#(name)":\#(definition)}}"#
        return try LexiconDocument(validating: try #require(try JSONParser.parse(text).object))
    }

    @Test("accepts every valid vector, and refuses every invalid one", .enabled(if: Vectors.arePresent))
    func vectors() throws {
        func documents(_ file: String) throws -> [JSONValue] {
            let data = try Vectors.data("lexicon/lexicon-\(file).json")
            return try #require(try JSONParser.parse(Array(data)).array)
        }
        let (valid, invalid) = (try documents("valid"), try documents("invalid"))
        #expect(valid.count == 3 && invalid.count == 7)
        for vector in valid {
            _ = try LexiconDocument(validating: try #require(vector["lexicon"]?.object))
        }
        for vector in invalid {
            #expect(throws: InvalidLexicon.self, "\(vector["name"]?.string ?? "")") {
                try LexiconDocument(validating: try #require(vector["lexicon"]?.object))
            }
        }
        for name in ["permission-set", "procedure", "query", "record", "subscription"] {
            let data = try Vectors.data("lexicon/catalog/\(name).json")
            _ = try LexiconDocument(validating: try #require(try JSONParser.parse(Array(data)).object))
        }
    }

    @Test("reads the members, limits and references of a record")
    func record() throws {
        let read = try document(
            """
            {"type":"record","key":"literal:self","record":{"type":"object","required":["text"],"nullable":["link"],
            "properties":{"text":{"type":"string","maxLength":30,"maxGraphemes":3,"knownValues":["a"]},
            "link":{"type":"cid-link"},"size":{"type":"integer","minimum":-1,"enum":[1,2]},
            "other":{"type":"ref","ref":"#part"},"any":{"type":"union","refs":["com.example.a","#b"],"closed":true}}}}
            """)
        guard case .record(let record)? = read.main else { throw InvalidLexiconCase() }
        #expect(record.key == .literal("self"))
        #expect(record.object.members.map(\.name) == ["text", "link", "size", "other", "any"])
        let text = try #require(record.object["text"])
        #expect(text.isRequired && !text.isNullable && record.object["link"]?.isNullable == true)
        guard case .string(let string) = text.type, case .integer(let size)? = record.object["size"]?.type,
            case .reference(let other)? = record.object["other"]?.type,
            case .union(let references, let isClosed)? = record.object["any"]?.type
        else { throw InvalidLexiconCase() }
        #expect(string.length.maximum == 30 && string.graphemes.maximum == 3 && string.knownValues == ["a"])
        #expect(size.limits.minimum == -1 && size.values == [1, 2])
        #expect(other.description == "com.example.thing#part" && isClosed)
        #expect(references.map(\.description) == ["com.example.a", "com.example.thing#b"])
    }

    @Test("keeps kinds, types, formats, record keys and members that it does not know")
    func unknown() throws {
        #expect(try document(#"{"type":"mutation","x":[1]}"#).main == .type(.other("mutation")))
        #expect(
            try document(#"{"type":"array","items":{"type":"decimal"}}"#).main
                == .type(.array(of: .other("decimal"), LexiconLimits())))
        guard
            case .record(let record)? = try document(
                #"{"type":"record","key":"hash","record":{"type":"object","properties":{"a":{"type":"string","format":"iban"}}}}"#
            ).main, case .string(let string)? = record.object["a"]?.type
        else { throw InvalidLexiconCase() }
        #expect(record.key == .other("hash") && string.format == "iban")
    }

    @Test(
        "refuses members of another type, with their place",
        arguments: [
            (
                #"{"type":"object","properties":{"a":{"type":"string","maxLength":"9"}}}"#,
                "main.properties.a.maxLength"
            ),
            (
                #"{"type":"object","properties":{"a":{"type":"string","maxLength":-1}}}"#,
                "main.properties.a.maxLength"
            ),
            (
                #"{"type":"object","properties":{"a":{"type":"integer","minimum":1.5}}}"#,
                "main.properties.a.minimum"
            ),
            (#"{"type":"object","properties":{"a":7}}"#, "main.properties.a"),
            (#"{"type":"object","required":"a"}"#, "main.required"),
            (#"{"type":"array"}"#, "main.items"),
            (#"{"type":"object","properties":{"a":{"type":"ref","ref":"one"}}}"#, "main.properties.a.ref"),
            (##"{"type":"object","properties":{"a":{"type":"ref","ref":"#"}}}"##, "main.properties.a.ref"),
            (
                #"{"type":"object","properties":{"a":{"type":"union","refs":[],"closed":true}}}"#,
                "main.properties.a.refs"
            ),
            (#"{"type":"query","parameters":{"type":"object"}}"#, "main.parameters"),
            (#"{"type":"query","output":{"schema":{"type":"object"}}}"#, "main.output.encoding"),
            (#"{"type":"query","errors":[{}]}"#, "main.errors"),
            (#"{"type":"permission-set"}"#, "main.permissions"),
            (#"{"type":"permission-set","permissions":[{"type":"permission"}]}"#, "main.permissions"),
            (#"{"type":"permission-set","permissions":[],"title:lang":{"de":1}}"#, "main.title:lang"),
            (#"{}"#, "main.type"),
        ])
    func refused(definition: String, place: String) throws {
        let error = try #require(throws: InvalidLexicon.self) { try document(definition) }
        #expect(error.place == "defs.\(place)")
    }

    @Test("refuses methods, records and sets that are not what the document is about")
    func main() {
        for definition in [
            #"{"type":"query"}"#, #"{"type":"record","key":"tid","record":{"type":"object"}}"#,
            #"{"type":"permission-set","permissions":[]}"#,
        ] {
            #expect(throws: Never.self) { try document(definition) }
            #expect(throws: InvalidLexicon.self) { try document(definition, named: "part") }
        }
    }

    @Test("refuses what is too deep or too large")
    func limits() throws {
        func nested(_ depth: Int) -> JSONValue {
            (1..<depth).reduce(["type": "boolean"]) { inner, _ in ["type": "array", "items": inner] }
        }
        func read(_ definition: JSONValue) throws -> LexiconDocument {
            try LexiconDocument(validating: [
                "lexicon": 1, "id": "com.example.thing", "defs": ["part": definition],
            ])
        }
        _ = try read(nested(64))
        #expect(throws: InvalidLexicon.self) { try read(nested(65)) }
        func wide(_ count: Int) -> JSONValue {
            let members = (0..<count).map { JSONObject.Member(name: "a\($0)", value: ["type": "boolean"]) }
            return ["type": "object", "properties": .object(JSONObject(members))]
        }
        _ = try read(wide(9_999))
        #expect(throws: InvalidLexicon.self) { try read(wide(10_000)) }
        func set(_ count: Int) -> JSONObject {
            let permission: JSONValue = ["type": "permission", "resource": "repo"]
            let permissions = JSONValue.array(Array(repeating: permission, count: count))
            return [
                "lexicon": 1, "id": "com.example.thing",
                "defs": ["main": ["type": "permission-set", "permissions": permissions]],
            ]
        }
        _ = try LexiconDocument(validating: set(10_000))
        #expect(throws: InvalidLexicon.self) { try LexiconDocument(validating: set(10_001)) }
    }
}

/// A definition was read as another kind.
private struct InvalidLexiconCase: Error {
    @Test(
        "names are short and of printable ASCII, because they stand in messages and tables",
        arguments: [
            #"{"main":{"type":"object","properties":{"a\u001b]52;c;x\u0007":{"type":"string"}}}}"#,
            #"{"main":{"type":"object","properties":{"\u202e":{"type":"string"}}}}"#,
            #"{"main":{"type":"object","properties":{"":{"type":"string"}}}}"#,
            #"{"main":{"type":"string","format":"a\nb"}}"#, #"{"a\u0000":{"type":"token"}}"#,
            #"{"main":{"type":"x\u009b"}}"#, #"{"main":{"type":"ref","ref":"a.b.c#\u001b"}}"#,
            #"{"main":{"type":"blob","accept":["image/\u001b"]}}"#,
            #"{"main":{"type":"record","key":"literal:\u001b","record":{"type":"object"}}}"#,
            #"{"main":{"type":"query","output":{"encoding":"a\tb"}}}"#,
            #"{"main":{"type":"query","errors":[{"name":"\u001b"}]}}"#,
            #"{"main":{"type":"object","properties":{"LONG":{"type":"string"}}}}"#,
        ])
    func names(defs: String) throws {
        let defs = defs.replacing("LONG", with: String(repeating: "a", count: 257))
        let json = try JSONParser.parse(Array(#"{"lexicon":1,"id":"a.b.c","defs":\#(defs)}"#.utf8))
        let object = try #require(json.object)
        #expect(throws: InvalidLexicon.self) { try LexiconDocument(validating: object) }
    }
}
