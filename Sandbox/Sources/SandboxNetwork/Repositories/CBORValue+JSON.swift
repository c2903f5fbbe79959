import Foundation

/// Why JSON is no value of the data model.
struct InvalidData: Error {
    let reason: String
}

extension CBORValue {
    /// Reads the JSON form (atproto.com/specs/data-model, "JSON representation").
    init(_ json: JSONValue) throws(InvalidData) {
        switch json {
        case .null: self = .null
        case .bool(let flag): self = .bool(flag)
        case .integer(let number): self = .integer(number)
        case .number(let number):
            guard let whole = Int64(exactly: number) else {
                throw InvalidData(reason: "\(number) is not an integer of 64 bits")
            }
            self = .integer(whole)
        case .string(let text): self = .text(text)
        case .array(let items):
            var values: [CBORValue] = []
            for item in items { values.append(try CBORValue(item)) }
            self = .array(values)
        case .object(let members):
            if let link = json["$link"] {
                self = .link(try Self.link(link, isAlone: members.count == 1))
            } else if let bytes = json["$bytes"] {
                self = .bytes(try Self.bytes(bytes, isAlone: members.count == 1))
            } else {
                try Self.checkType(of: json)
                var values: [(name: String, value: CBORValue)] = []
                for member in members { values.append((member.name, try CBORValue(member.value))) }
                self = .map(values)
            }
        }
    }

    private static func link(_ json: JSONValue, isAlone: Bool) throws(InvalidData) -> ContentIdentifier {
        guard isAlone, let cid = json.string.flatMap(ContentIdentifier.init) else {
            throw InvalidData(reason: "$link must be a CID and the only member")
        }
        return cid
    }

    private static func bytes(_ json: JSONValue, isAlone: Bool) throws(InvalidData) -> [UInt8] {
        guard isAlone, let text = json.string,
            let bytes = Data(base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4))
        else { throw InvalidData(reason: "$bytes must be base64 and the only member") }
        return Array(bytes)
    }

    private static func checkType(of json: JSONValue) throws(InvalidData) {
        guard let type = json["$type"] else { return }
        guard type.string?.isEmpty == false else {
            throw InvalidData(reason: "$type must be a string that is not empty")
        }
        guard type == "blob" else { return }
        guard json["ref"]?["$link"] != nil, json["mimeType"]?.string != nil, json["size"]?.integer != nil
        else { throw InvalidData(reason: "a blob needs ref, mimeType and size") }
    }
}

extension JSONValue {
    /// The JSON form of a value.
    init(_ value: CBORValue) {
        switch value {
        case .null: self = .null
        case .bool(let flag): self = .bool(flag)
        case .integer(let number): self = .integer(number)
        case .text(let text): self = .string(text)
        case .bytes(let bytes):
            self = ["$bytes": .string(String(Data(bytes).base64EncodedString().prefix { $0 != "=" }))]
        case .link(let cid): self = ["$link": .string(cid.text)]
        case .array(let items): self = .array(items.map { JSONValue($0) })
        case .map(let members):
            self = .object(members.map { JSONMember(name: $0.name, value: JSONValue($0.value)) })
        }
    }
}
