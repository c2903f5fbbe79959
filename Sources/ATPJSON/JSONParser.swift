/// Parses JSON text (RFC 8259). The text must be UTF-8, at most 128 levels deep, and without repeated names.
package struct JSONParser {
    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0

    /// The greatest depth. No document of the protocol is deeper.
    private static let deepest = 128

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Parses one value. Only white space may follow it.
    package static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
        var parser = JSONParser(bytes)
        let value = try parser.value()
        parser.skipSpace()
        guard parser.position == bytes.count else { throw parser.error(.syntax) }
        return value
    }

    package static func parse(_ text: String) throws(JSONError) -> JSONValue {
        try parse(Array(text.utf8))
    }

    private mutating func value() throws(JSONError) -> JSONValue {
        skipSpace()
        switch peek {
        case UInt8(ascii: "{"): return try nested { parser throws(JSONError) in try parser.object() }
        case UInt8(ascii: "["): return try nested { parser throws(JSONError) in try parser.array() }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try keyword("true", .bool(true))
        case UInt8(ascii: "f"): return try keyword("false", .bool(false))
        case UInt8(ascii: "n"): return try keyword("null", .null)
        default: return try number()
        }
    }

    private mutating func nested(
        _ read: (inout JSONParser) throws(JSONError) -> JSONValue
    ) throws(JSONError) -> JSONValue {
        depth += 1
        guard depth <= Self.deepest else { throw error(.tooDeep) }
        position += 1
        let value = try read(&self)
        depth -= 1
        return value
    }

    private mutating func object() throws(JSONError) -> JSONValue {
        var members: [JSONObject.Member] = []
        var names = Set<String>()
        if skip(UInt8(ascii: "}")) { return .object(JSONObject()) }
        repeat {
            skipSpace()
            guard peek == UInt8(ascii: "\"") else { throw error(.syntax) }
            let name = try string()
            guard Self.isNew(name, members, &names) else { throw error(.repeatedName) }
            guard skip(UInt8(ascii: ":")) else { throw error(.syntax) }
            members.append(JSONObject.Member(name: name, value: try value()))
        } while skip(UInt8(ascii: ","))
        guard skip(UInt8(ascii: "}")) else { throw error(.syntax) }
        return .object(JSONObject(members))
    }

    /// Whether the name is not used by an earlier member. With few members, a linear search is faster than a set.
    private static func isNew(_ name: String, _ members: [JSONObject.Member], _ names: inout Set<String>)
        -> Bool
    {
        guard members.count >= 16 else { return !members.contains { $0.name == name } }
        if names.isEmpty { names = Set(members.map(\.name)) }
        return names.insert(name).inserted
    }

    private mutating func array() throws(JSONError) -> JSONValue {
        var elements: [JSONValue] = []
        if skip(UInt8(ascii: "]")) { return .array([]) }
        repeat {
            elements.append(try value())
        } while skip(UInt8(ascii: ","))
        guard skip(UInt8(ascii: "]")) else { throw error(.syntax) }
        return .array(elements)
    }

    private mutating func string() throws(JSONError) -> String {
        position += 1
        var text: [UInt8] = []
        var start = position
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""):
                let end = position
                position += 1
                // Most strings have no escape and need no second copy.
                if text.isEmpty { return try validated(bytes, start..<end) }
                text.append(contentsOf: bytes[start..<end])
                return try validated(text, 0..<text.count)
            case UInt8(ascii: "\\"):
                text.append(contentsOf: bytes[start..<position])
                position += 1
                text.append(contentsOf: try escape())
                start = position
            case 0..<0x20:
                position += 1
                throw error(.syntax)
            default: position += 1
            }
        }
        throw error(.syntax)
    }

    private func validated(_ bytes: [UInt8], _ range: Range<Int>) throws(JSONError) -> String {
        guard #available(macOS 26, iOS 26, tvOS 26, visionOS 26, *) else {
            // Slower for short strings.
            guard let text = String(validating: bytes[range], as: UTF8.self) else { throw error(.encoding) }
            return text
        }
        let text = bytes.span.extracting(range)
        do { return String(copying: try UTF8Span(validating: text)) } catch { throw self.error(.encoding) }
    }

    private mutating func escape() throws(JSONError) -> [UInt8] {
        guard let byte = peek else { throw error(.syntax) }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0c]
        case UInt8(ascii: "n"): return [0x0a]
        case UInt8(ascii: "r"): return [0x0d]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"):
            var unit = try hexUnit()
            if (0xd800..<0xdc00).contains(unit) {
                guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else { throw error(.encoding) }
                let low = try hexUnit()
                guard (0xdc00..<0xe000).contains(low) else { throw error(.encoding) }
                unit = 0x10000 + (unit - 0xd800) << 10 + (low - 0xdc00)
            }
            guard let scalar = Unicode.Scalar(unit) else { throw error(.encoding) }
            return Array(String(Character(scalar)).utf8)
        default: throw error(.syntax)
        }
    }

    private mutating func hexUnit() throws(JSONError) -> UInt32 {
        guard position + 4 <= bytes.count,
            bytes[position..<position + 4].allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let unit = UInt32(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
        else { throw error(.syntax) }
        position += 4
        return unit
    }

    private mutating func number() throws(JSONError) -> JSONValue {
        let start = position
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try digits() }
        if take(UInt8(ascii: ".")) { try digits() }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            _ = take(UInt8(ascii: "+")) || take(UInt8(ascii: "-"))
            try digits()
        }
        return .number(String(decoding: bytes[start..<position], as: UTF8.self))
    }

    private mutating func digits() throws(JSONError) {
        let start = position
        while let byte = peek, (0x30...0x39).contains(byte) { position += 1 }
        guard position > start else { throw error(.syntax) }
    }

    private mutating func keyword(_ text: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        for byte in text.description.utf8 {
            guard take(byte) else { throw error(.syntax) }
        }
        return value
    }

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        position += 1
        return true
    }

    /// Takes a byte after optional white space.
    private mutating func skip(_ byte: UInt8) -> Bool {
        skipSpace()
        return take(byte)
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { position += 1 }
    }

    private func error(_ reason: JSONError.Reason) -> JSONError {
        JSONError(reason: reason, offset: position)
    }
}

/// Why a text was refused as JSON.
package struct JSONError: Error, Sendable, Hashable {
    package enum Reason: Sendable, Hashable {
        case syntax
        /// Not UTF-8, or an escape that stands for no character.
        case encoding
        /// An object has a name twice. Parsers disagree about which value counts.
        case repeatedName
        case tooDeep
    }

    package let reason: Reason
    /// The offset of the byte at which the parser stopped.
    package let offset: Int
}
