/// A JSON value whose members keep their order and whose numbers keep their text (RFC 8259).
///
/// The program reads all JSON into this type. Refusing repeated names is a security check, and responses are printed in
/// their original order.
package indirect enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    /// The number with its original text.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

/// The members of a JSON object, in order.
package struct JSONObject: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    package struct Member: Sendable, Hashable {
        package let name: String
        package var value: JSONValue

        package init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    package private(set) var members: [Member]

    package init(_ members: [Member] = []) {
        self.members = members
    }

    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        members = elements.map { Member(name: $0.0, value: $0.1) }
    }

    /// Whether two members have a name, so that readers disagree about its value (``JSONFlaws/repeatedNames``).
    package func repeats(_ name: String) -> Bool {
        members.lazy.filter { $0.name == name }.dropFirst().first != nil
    }

    /// The first value of a name. Setting it replaces the member in place or appends a new one; nil removes it.
    package subscript(name: String) -> JSONValue? {
        get { members.first { $0.name == name }?.value }
        set {
            let index = members.firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(name: name, value: value))
            case (nil, nil): break
            }
        }
    }
}

extension JSONValue {
    /// The member of an object; nil for other values and absent names.
    package subscript(name: String) -> JSONValue? { object?[name] }

    package var string: String? { if case .string(let string) = self { string } else { nil } }
    package var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }
    package var array: [JSONValue]? { if case .array(let array) = self { array } else { nil } }
    package var object: JSONObject? { if case .object(let object) = self { object } else { nil } }
    package var isNull: Bool { self == .null }

    /// A number without fraction or exponent, if it fits into 64 bits.
    package var integer: Int64? { if case .number(let text) = self { Int64(text) } else { nil } }

    /// The strings of an array that has only strings.
    package var strings: [String]? {
        guard let array else { return nil }
        let strings = array.compactMap(\.string)
        return strings.count == array.count ? strings : nil
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(integerLiteral value: Int64) { self = .number(String(value)) }
    package init(nilLiteral: ()) { self = .null }
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements.map { JSONObject.Member(name: $0.0, value: $0.1) }))
    }

    package init(_ value: some BinaryInteger) { self = .number(String(value)) }
    package init(_ value: String?) { self = value.map(JSONValue.string) ?? .null }
    package init(_ values: [String]) { self = .array(values.map(JSONValue.string)) }
}
