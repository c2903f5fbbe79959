internal import ATPCryptography
package import ATPJSON

extension DataValue {
    /// The value in JSON, with `$link` and `$bytes` (atproto.com/specs/data-model).
    package var json: JSONValue {
        switch self {
        case .null: .null
        case .bool(let value): .bool(value)
        case .integer(let value): JSONValue(value)
        case .text(let text): .string(text)
        case .bytes(let bytes): ["$bytes": .string(UnpaddedBase64.encode(bytes))]
        case .link(let link): ["$link": .string(link.description)]
        case .array(let values): .array(values.map(\.json))
        case .map(let members):
            .object(JSONObject(members.map { JSONObject.Member(name: $0.name, value: $0.value.json) }))
        }
    }

    /// The value as the text of its JSON.
    public var jsonText: String { json.text }

    /// The value of JSON of the data model; nil for what the data model does not have, such as a number with a fraction.
    package init?(_ json: JSONValue) {
        self.init(json, depth: 0)
    }

    private init?(_ json: JSONValue, depth: Int) {
        guard depth <= DAGCBORReader.deepest else { return nil }
        switch json {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .number:
            guard let value = json.integer ?? Self.wholeNumber(json) else { return nil }
            self = .integer(value)
        case .string(let text): self = .text(text)
        case .array(let array):
            let values = array.compactMap { DataValue($0, depth: depth + 1) }
            guard values.count == array.count else { return nil }
            self = .array(values)
        case .object(let object):
            if object.members.contains(where: { $0.name == "$link" }) {
                guard object.members.count == 1, let link = json["$link"]?.string.flatMap({ CID($0) }) else {
                    return nil
                }
                self = .link(link)
            } else if object.members.contains(where: { $0.name == "$bytes" }) {
                guard object.members.count == 1, let text = json["$bytes"]?.string,
                    let bytes = Self.decodeBase64(text)
                else { return nil }
                self = .bytes(bytes)
            } else {
                let members = object.members.compactMap { member in
                    DataValue(member.value, depth: depth + 1).map { (name: member.name, value: $0) }
                }
                guard members.count == object.members.count else { return nil }
                self = .map(Self.sorted(members))
            }
        }
    }

    /// A number that is written with a fraction of zeros, such as 123.0.
    private static func wholeNumber(_ json: JSONValue) -> Int64? {
        guard case .number(let text) = json else { return nil }
        let parts = text.split(separator: ".")
        guard parts.count == 2, parts[1].allSatisfy({ $0 == "0" }) else { return nil }
        return Int64(parts[0])
    }

    /// The bytes of `$bytes`, with or without padding.
    private static func decodeBase64(_ text: String) -> [UInt8]? {
        let padding = text.count % 4 == 0 ? text.reversed().prefix(2).prefix { $0 == "=" }.count : 0
        return UnpaddedBase64.decode(text.dropLast(padding))
    }
}
