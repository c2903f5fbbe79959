internal import ATPJSON
internal import ATProtoIdentity

/// Reads the definitions of one document, which anyone may have written.
struct LexiconReader {
    /// The greatest depth of types in each other.
    static let deepest = 64
    /// How many types and permissions a document may have.
    static let mostParts = 10_000
    /// The greatest length of a name, in bytes.
    static let longestName = 256

    let nsid: NSID
    /// The names on the way to the value that is read.
    private var path: [String] = ["defs"]
    private var parts = 0
    private var depth = 0

    init(nsid: NSID) {
        self.nsid = nsid
    }

    private func invalid(_ names: String...) -> InvalidLexicon {
        InvalidLexicon((path + names).joined(separator: "."))
    }

    /// Reads a text that names something: a member, a format, a media type. Anyone may have written it, and it stands in messages and
    /// tables, so it is short and of printable ASCII, as all of them are.
    private func name(_ text: String, _ place: String) throws(InvalidLexicon) -> String {
        guard (1...Self.longestName).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x20...0x7e).contains($0) })
        else { throw InvalidLexicon((path + [place]).joined(separator: ".")) }
        return text
    }

    private func names(_ json: JSONObject, _ member: String) throws(InvalidLexicon) -> [String] {
        var names: [String] = []
        for text in try strings(json, member) { names.append(try name(text, member)) }
        return names
    }

    /// Counts a type or a permission.
    private mutating func count() throws(InvalidLexicon) {
        parts += 1
        guard parts <= Self.mostParts else { throw invalid() }
    }

    private mutating func at<Value>(
        _ names: [String], _ read: (inout LexiconReader) throws(InvalidLexicon) -> Value
    ) throws(InvalidLexicon) -> Value {
        path += names
        let value = try read(&self)
        path.removeLast(names.count)
        return value
    }

    // MARK: Definitions

    mutating func definition(_ json: JSONValue, named name: String) throws(InvalidLexicon)
        -> LexiconDefinition
    {
        try at([try self.name(name, "a name")]) { (reader) throws(InvalidLexicon) in
            guard let object = json.object, let type = object["type"]?.string else {
                throw reader.invalid("type")
            }
            if let kind = LexiconMethod.Kind(rawValue: type) {
                guard name == LexiconDocument.main else { throw reader.invalid() }
                return .method(try reader.method(object, kind))
            }
            switch type {
            case "record", "permission-set":
                guard name == LexiconDocument.main else { throw reader.invalid() }
                return type == "record"
                    ? .record(try reader.record(object)) : .permissionSet(try reader.permissionSet(object))
            // These name something else, so they can't be what a name stands for.
            case "ref", "union", "unknown", "params", "permission": throw reader.invalid("type")
            default: return .type(try reader.type(object))
            }
        }
    }

    private mutating func method(
        _ json: JSONObject, _ kind: LexiconMethod.Kind
    ) throws(InvalidLexicon) -> LexiconMethod {
        var errors: [String] = []
        for error in try array(json, "errors") {
            guard let text = error["name"]?.string else { throw invalid("errors") }
            errors.append(try name(text, "errors"))
        }
        return LexiconMethod(
            kind: kind, parameters: try parameters(json), input: try body(json, "input"),
            output: try body(json, "output"), message: try message(json), errors: errors)
    }

    private mutating func parameters(_ json: JSONObject) throws(InvalidLexicon) -> LexiconObject {
        guard let value = json["parameters"] else { return LexiconObject(members: []) }
        guard let object = value.object, object["type"]?.string == "params" else {
            throw invalid("parameters")
        }
        return try at(["parameters"]) { (reader) throws(InvalidLexicon) in try reader.object(object) }
    }

    private mutating func body(_ json: JSONObject, _ name: String) throws(InvalidLexicon) -> LexiconMethod
        .Body?
    {
        guard let value = json[name] else { return nil }
        guard let encoding = value["encoding"]?.string else { throw invalid(name, "encoding") }
        return LexiconMethod.Body(encoding: try self.name(encoding, name), schema: try schema(value, name))
    }

    private mutating func message(_ json: JSONObject) throws(InvalidLexicon) -> LexiconType? {
        try json["message"].flatMap { (value) throws(InvalidLexicon) in try schema(value, "message") }
    }

    private mutating func schema(_ body: JSONValue, _ name: String) throws(InvalidLexicon) -> LexiconType? {
        guard let schema = body["schema"] else { return nil }
        guard let object = schema.object else { throw invalid(name, "schema") }
        return try at([name, "schema"]) { (reader) throws(InvalidLexicon) in try reader.type(object) }
    }

    private mutating func record(_ json: JSONObject) throws(InvalidLexicon) -> LexiconRecord {
        guard let text = json["key"]?.string else { throw invalid("key") }
        let key = try name(text, "key")
        guard let record = json["record"]?.object, record["type"]?.string == "object" else {
            throw invalid("record")
        }
        let object = try at(["record"]) { (reader) throws(InvalidLexicon) in try reader.object(record) }
        return LexiconRecord(key: LexiconRecord.Key(key), object: object)
    }

    private mutating func permissionSet(_ json: JSONObject) throws(InvalidLexicon) -> PermissionSet {
        guard let permissions = json["permissions"]?.array else { throw invalid("permissions") }
        var read: [JSONObject] = []
        for permission in permissions {
            try count()
            guard let object = permission.object, object["type"]?.string == "permission",
                object["resource"]?.string != nil
            else { throw invalid("permissions") }
            read.append(object)
        }
        return PermissionSet(
            title: try string(json, "title"), detail: try string(json, "detail"),
            titles: try texts(json, "title:lang"), details: try texts(json, "detail:lang"), permissions: read)
    }

    // MARK: Types

    private mutating func type(_ json: JSONObject) throws(InvalidLexicon) -> LexiconType {
        try count()
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepest else { throw invalid() }
        guard let type = json["type"]?.string else { throw invalid("type") }
        switch type {
        case "boolean": return .boolean(constant: try bool(json, "const"), default: try bool(json, "default"))
        case "integer": return .integer(try integer(json))
        case "string": return .string(try string(json))
        case "bytes": return .bytes(try limits(json, "minLength", "maxLength"))
        case "cid-link": return .link
        case "blob":
            return .blob(accept: try names(json, "accept"), maximum: try number(json, "maxSize"))
        case "array":
            guard let items = json["items"]?.object else { throw invalid("items") }
            let element = try at(["items"]) { (reader) throws(InvalidLexicon) in try reader.type(items) }
            return .array(of: element, try limits(json, "minLength", "maxLength"))
        case "object": return .object(try object(json))
        case "ref":
            guard let text = json["ref"]?.string else { throw invalid("ref") }
            return .reference(try reference(text, "ref"))
        case "union": return try union(json)
        case "token": return .token
        case "unknown": return .anything
        default: return .other(try name(type, "type"))
        }
    }

    private mutating func object(_ json: JSONObject) throws(InvalidLexicon) -> LexiconObject {
        let required = Set(try strings(json, "required"))
        let nullable = Set(try strings(json, "nullable"))
        guard let value = json["properties"] else { return LexiconObject(members: []) }
        guard let properties = value.object else { throw invalid("properties") }
        var members: [LexiconObject.Member] = []
        for property in properties.members {
            let name = try name(property.name, "properties")
            guard let object = property.value.object else { throw invalid("properties", name) }
            let type = try at(["properties", name]) { (reader) throws(InvalidLexicon) in
                try reader.type(object)
            }
            members.append(
                LexiconObject.Member(
                    name: property.name, type: type, isRequired: required.contains(property.name),
                    isNullable: nullable.contains(property.name)))
        }
        return LexiconObject(members: members)
    }

    private func union(_ json: JSONObject) throws(InvalidLexicon) -> LexiconType {
        var references: [LexiconReference] = []
        for text in try strings(json, "refs") { references.append(try reference(text, "refs")) }
        let isClosed = try bool(json, "closed") ?? false
        // No value would fit.
        guard !isClosed || !references.isEmpty else { throw invalid("refs") }
        return .union(references, isClosed: isClosed)
    }

    private func reference(_ text: String, _ name: String) throws(InvalidLexicon) -> LexiconReference {
        guard let reference = LexiconReference(try self.name(text, name), in: nsid) else {
            throw invalid(name)
        }
        return reference
    }

    private func integer(_ json: JSONObject) throws(InvalidLexicon) -> LexiconInteger {
        var values: [Int64] = []
        for value in try array(json, "enum") {
            guard let number = value.integer else { throw invalid("enum") }
            values.append(number)
        }
        return LexiconInteger(
            limits: LexiconLimits(minimum: try number(json, "minimum"), maximum: try number(json, "maximum")),
            values: values, constant: try number(json, "const"), default: try number(json, "default"))
    }

    private func string(_ json: JSONObject) throws(InvalidLexicon) -> LexiconString {
        LexiconString(
            format: try json["format"].map { (_) throws(InvalidLexicon) in
                try name(try string(json, "format") ?? "", "format")
            }, length: try limits(json, "minLength", "maxLength"),
            graphemes: try limits(json, "minGraphemes", "maxGraphemes"), values: try strings(json, "enum"),
            knownValues: try strings(json, "knownValues"), constant: try string(json, "const"),
            default: try string(json, "default"))
    }

    /// Lengths, which are not below zero.
    private func limits(
        _ json: JSONObject, _ minimum: String, _ maximum: String
    ) throws(InvalidLexicon) -> LexiconLimits {
        let limits = LexiconLimits(minimum: try number(json, minimum), maximum: try number(json, maximum))
        guard limits.minimum ?? 0 >= 0 else { throw invalid(minimum) }
        guard limits.maximum ?? 0 >= 0 else { throw invalid(maximum) }
        return limits
    }
}

// MARK: Members

extension LexiconReader {
    /// A member that may be absent.
    private func member<Value>(
        _ json: JSONObject, _ name: String, _ read: (JSONValue) -> Value?
    ) throws(InvalidLexicon) -> Value? {
        guard let value = json[name] else { return nil }
        guard let read = read(value) else { throw invalid(name) }
        return read
    }

    private func bool(_ json: JSONObject, _ name: String) throws(InvalidLexicon) -> Bool? {
        try member(json, name) { $0.bool }
    }

    private func number(_ json: JSONObject, _ name: String) throws(InvalidLexicon) -> Int64? {
        try member(json, name) { $0.integer }
    }

    private func string(_ json: JSONObject, _ name: String) throws(InvalidLexicon) -> String? {
        try member(json, name) { $0.string }
    }

    private func strings(_ json: JSONObject, _ name: String) throws(InvalidLexicon) -> [String] {
        try member(json, name) { $0.strings } ?? []
    }

    private func array(_ json: JSONObject, _ name: String) throws(InvalidLexicon) -> [JSONValue] {
        try member(json, name) { $0.array } ?? []
    }

    /// Texts by language.
    private func texts(_ json: JSONObject, _ name: String) throws(InvalidLexicon) -> [String: String] {
        let texts = try member(json, name) { value in
            value.object.flatMap { object in
                object.members.allSatisfy { $0.value.string != nil } ? object : nil
            }
        }
        return Dictionary(
            (texts?.members ?? []).compactMap { member in member.value.string.map { (member.name, $0) } },
            uniquingKeysWith: { first, _ in first })
    }
}

extension LexiconRecord.Key {
    init(_ text: String) {
        self =
            switch text {
            case "any": .any
            case "nsid": .nsid
            case "tid": .tid
            default: text.hasPrefix("literal:") ? .literal(String(text.dropFirst(8))) : .other(text)
            }
    }
}
