internal import ATPJSON

/// Reads a line of the compiled edition into the JSON of lexicons. `scripts/lib/lexicons.py` writes these lines, and its page
/// shows some.
///
/// Each member of a type has a place of its own in the result, so that the same lexicon is always the same JSON.
struct CompiledText {
    private var rest: Substring.UTF8View
    private let authority: String

    /// - Parameter text: a line after its name.
    init(_ text: Substring.UTF8View, authority: String) {
        rest = text
        self.authority = authority
    }

    // MARK: Definitions

    /// `limit:i>1<100=50 cursor:s >application/json %UnknownFeed`
    mutating func method(_ mark: CompiledLexicons.Mark) -> JSONObject {
        let kind: JSONValue =
            switch mark {
            case .query: "query"
            case .procedure: "procedure"
            default: "subscription"
            }
        var (parameters, errors) = (Members(), [JSONValue]())
        var bodies = Parts()
        while !rest.isEmpty {
            if take("<") {
                bodies["input"] = ["encoding": .string(word())]
            } else if take(">") {
                bodies["output"] = ["encoding": .string(word())]
            } else if take("%") {
                errors.append(["name": .string(word())])
            } else {
                member(&parameters)
            }
            _ = take(" ")
        }
        if !parameters.isEmpty { bodies["parameters"] = .object(parameters.json(of: "params")) }
        if !errors.isEmpty { bodies["errors"] = .array(errors) }
        return bodies.json(type: kind, ["parameters", "input", "output", "errors"])
    }

    /// `tid {subject:@com.atproto.repo.strongRef* createdAt:s'datetime*}`
    mutating func record() -> JSONObject {
        let key = word()
        _ = take(" ")
        return ["type": "record", "key": .string(key), "record": .object(type())]
    }

    /// `"Create Bluesky Posts" rpc^ m(.video.startUpload) repo a(create) c(.feed.post)`
    mutating func permissionSet() -> JSONObject {
        _ = take("\"")
        let title = word(until: .quote)
        _ = take("\"")
        var permissions: [JSONValue] = []
        while take(" ") {
            var parts = Parts()
            parts["resource"] = .string(word(until: .mark))
            if take("^") { parts["inheritAud"] = true }
            while let (name, mark) = Self.lists.first(where: { isNext(" \($0.mark)(") }) {
                rest = rest.dropFirst(mark.utf8.count + 1)
                parts[name] = .array(names())
            }
            permissions.append(
                .object(
                    parts.json(
                        type: "permission", ["resource", "inheritAud", "lxm", "action", "collection"])))
        }
        return ["type": "permission-set", "title": .string(title), "permissions": .array(permissions)]
    }

    private static let lists = [("lxm", mark: "m"), ("action", mark: "a"), ("collection", mark: "c")]

    // MARK: Types

    /// `s'did`, `[i>0]<3`, `{name:b*}` or `@.defs#postView`
    mutating func type() -> JSONObject {
        guard let letter = rest.popFirst() else { return [:] }
        switch letter {
        case UInt8(ascii: "{"):
            var members = Members()
            while !rest.isEmpty, !take("}") {
                member(&members)
                _ = take(" ")
            }
            return members.json(of: "object")
        case UInt8(ascii: "["):
            let items = type()
            _ = take("]")
            var parts = limits("minLength", "maxLength")
            parts["items"] = .object(items)
            return parts.json(type: "array", ["minLength", "maxLength", "items"])
        case UInt8(ascii: "@"): return reference()
        case UInt8(ascii: "x"):
            var parts = limits("", "maxSize")
            if isNext("(") { parts["accept"] = .array(names()) }
            return parts.json(type: "blob", ["accept", "maxSize"])
        case UInt8(ascii: "s"): return string()
        case UInt8(ascii: "i"):
            var parts = limits("minimum", "maximum")
            values(&parts) { .number($0) }
            return parts.json(type: "integer", ["minimum", "maximum", "default"])
        case UInt8(ascii: "b"):
            var parts = Parts()
            values(&parts) { .bool($0 == "true") }
            return parts.json(type: "boolean", ["const", "default"])
        case UInt8(ascii: "y"):
            return limits("minLength", "maxLength").json(type: "bytes", ["minLength", "maxLength"])
        case UInt8(ascii: "l"): return ["type": "cid-link"]
        case UInt8(ascii: "u"): return ["type": "unknown"]
        case UInt8(ascii: "t"): return ["type": "token"]
        default: return [:]
        }
    }

    private mutating func string() -> JSONObject {
        var parts = Parts()
        let format = take("'") ? word(until: .limit) : nil
        parts = limits("minLength", "maxLength")
        parts["format"] = format.map { .string($0) }
        if isNext("(~") {
            rest = rest.dropFirst()
            parts["knownValues"] = .array(names())
        } else if isNext("(") {
            parts["enum"] = .array(names())
        }
        values(&parts) { .string($0) }
        return parts.json(
            type: "string",
            [
                "format", "minLength", "maxLength", "minGraphemes", "maxGraphemes", "enum", "knownValues",
                "default",
            ])
    }

    private mutating func reference() -> JSONObject {
        let isClosed = take("!")
        guard isNext("(") else { return ["type": "ref", "ref": .string(name(word(until: .flag)))] }
        let references = JSONValue.array(names())
        return isClosed
            ? ["type": "union", "refs": references, "closed": true] : ["type": "union", "refs": references]
    }

    /// A member of an object: a star if it is required, a question mark if it may be null.
    private mutating func member(_ members: inout Members) {
        let name = word(until: .colon)
        _ = take(":")
        members.properties.append(JSONObject.Member(name: name, value: .object(type())))
        if take("*") { members.required.append(.string(name)) }
        if take("?") { members.nullable.append(.string(name)) }
    }

    /// `>1<100`, and `>>1<<100` for graphemes.
    private mutating func limits(_ minimum: String, _ maximum: String) -> Parts {
        var parts = Parts()
        while isNext(">") || isNext("<") {
            let isMinimum = isNext(">")
            rest = rest.dropFirst()
            let isLength = !(isMinimum ? take(">") : take("<"))
            let name =
                isLength ? (isMinimum ? minimum : maximum) : isMinimum ? "minGraphemes" : "maxGraphemes"
            parts[name] = .number(word(until: .limit))
        }
        return parts
    }

    /// `=5` for a default, `==true` for the only value.
    private mutating func values(_ parts: inout Parts, _ value: (String) -> JSONValue) {
        while take("=") {
            let name = take("=") ? "const" : "default"
            parts[name] = value(word(until: .value))
        }
    }

    // MARK: Words

    /// Names in brackets. A point at the beginning stands for the authority.
    private mutating func names() -> [JSONValue] {
        var names: [JSONValue] = []
        rest = rest.dropFirst()
        while !rest.isEmpty, !take(")") {
            names.append(.string(name(word(until: .list))))
            _ = take(" ")
        }
        return names
    }

    private func name(_ word: String) -> String { word.hasPrefix(".") ? authority + word : word }

    /// Takes the text before the next of some characters.
    private mutating func word(until ends: Ends = .space) -> String {
        let word = rest.prefix { !ends.contains($0) }
        rest = rest[word.endIndex...]
        return String(Substring(word))
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    private func isNext(_ text: String) -> Bool { rest.starts(with: text.utf8) }
}

/// The members of an object while they are read.
private struct Members {
    var properties: [JSONObject.Member] = []
    var required: [JSONValue] = []
    var nullable: [JSONValue] = []

    var isEmpty: Bool { properties.isEmpty }

    func json(of type: JSONValue) -> JSONObject {
        var json: JSONObject = ["type": type]
        if !required.isEmpty { json["required"] = .array(required) }
        if !nullable.isEmpty { json["nullable"] = .array(nullable) }
        json["properties"] = .object(JSONObject(properties))
        return json
    }
}

/// What is known of a type while it is read, in any order.
private struct Parts {
    private var values = JSONObject()

    subscript(name: String) -> JSONValue? {
        get { values[name] }
        set { values[name] = newValue }
    }

    /// The members in the order of the names.
    func json(type: JSONValue, _ names: [String]) -> JSONObject {
        JSONObject(
            [JSONObject.Member(name: "type", value: type)]
                + names.compactMap { name in values[name].map { JSONObject.Member(name: name, value: $0) } })
    }
}

/// The ASCII characters that end a word.
private struct Ends {
    private let bits: (UInt64, UInt64)

    private init(_ characters: String) {
        var bits: (UInt64, UInt64) = (0, 0)
        for byte in characters.utf8 {
            if byte < 64 { bits.0 |= 1 << byte } else { bits.1 |= 1 << (byte & 63) }
        }
        self.bits = bits
    }

    func contains(_ byte: UInt8) -> Bool {
        byte < 128 && (byte < 64 ? bits.0 : bits.1) & (1 << (byte & 63)) != 0
    }

    static let space = Ends(" ")
    static let colon = Ends(":")
    static let quote = Ends("\"")
    /// After the resource of a permission.
    static let mark = Ends(" ^")
    static let list = Ends(" )")
    /// After a format or a limit.
    static let limit = Ends(" <>(=*?]}")
    static let value = Ends(" =*?]}")
    static let flag = Ends(" *?]}")
}
