import Foundation

/// A JSON value. Objects built in code keep their order.
///
/// Decoded objects are sorted by key, because the decoder does not report their order.
enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([JSONMember])
}

/// One name and value of a JSON object.
struct JSONMember: Sendable, Equatable {
    var name: String
    var value: JSONValue
}

extension JSONValue {
    init(parsing bytes: [UInt8]) throws {
        self = try JSONDecoder().decode(JSONValue.self, from: Data(bytes))
    }

    subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    var integer: Int? {
        switch self {
        case .integer(let number): Int(exactly: number)
        case .number(let number): Int(exactly: number)
        default: nil
        }
    }

    var bool: Bool? {
        if case .bool(let flag) = self { flag } else { nil }
    }

    var array: [JSONValue]? {
        if case .array(let items) = self { items } else { nil }
    }

    var members: [JSONMember]? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The compact JSON text.
    var text: String {
        switch self {
        case .null: "null"
        case .bool(let flag): flag ? "true" : "false"
        case .integer(let number): String(number)
        case .number(let number): number.isFinite ? String(number) : "null"
        case .string(let text): Self.quoted(text)
        case .array(let items): "[" + items.map(\.text).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { Self.quoted($0.name) + ":" + $0.value.text }.joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        let quote = UInt8(ascii: "\""), backslash = UInt8(ascii: "\\")
        let isPlain = text.utf8.allSatisfy { $0 >= 0x20 && $0 != quote && $0 != backslash }
        if isPlain { return "\"\(text)\"" }
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

extension JSONValue: Decodable {
    private struct MemberKey: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Tries the most frequent types first, because each wrong guess throws an error.
    init(from decoder: any Decoder) throws {
        let single = try decoder.singleValueContainer()
        if let text = try? single.decode(String.self) {
            self = .string(text)
        } else if let container = try? decoder.container(keyedBy: MemberKey.self) {
            let keys = container.allKeys.sorted { $0.stringValue < $1.stringValue }
            self = .object(
                try keys.map {
                    JSONMember(name: $0.stringValue, value: try container.decode(JSONValue.self, forKey: $0))
                }
            )
        } else if var container = try? decoder.unkeyedContainer() {
            var items: [JSONValue] = []
            while !container.isAtEnd { items.append(try container.decode(JSONValue.self)) }
            self = .array(items)
        } else if single.decodeNil() {
            self = .null
        } else if let number = try? single.decode(Int64.self) {
            self = .integer(number)
        } else if let number = try? single.decode(Double.self) {
            self = .number(number)
        } else {
            self = .bool(try single.decode(Bool.self))
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    init(stringLiteral value: String) { self = .string(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(integerLiteral value: Int64) { self = .integer(value) }
    init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { JSONMember(name: $0.0, value: $0.1) })
    }

    /// A string, or `null` when there is none.
    init(_ text: String?) { self = text.map { .string($0) } ?? .null }

    /// A whole number.
    init(_ number: Int) { self = .integer(Int64(number)) }

    /// An array of strings.
    init(_ strings: [String]) { self = .array(strings.map { .string($0) }) }
}
