/// Parses JSON text (RFC 8259). The text must be UTF-8, at most 128 levels deep, and without repeated names.
package struct JSONParser {
    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0
    private let leniency: JSONFlaws
    private var flaws: JSONFlaws = []

    /// The greatest depth. No document of the protocol is deeper.
    private static let deepest = 128

    private init(_ bytes: [UInt8], leniency: JSONFlaws) {
        self.bytes = bytes
        self.leniency = leniency
    }

    /// Parses one value. Only white space may follow it.
    ///
    /// - Parameter leniency: the flaws that are no error. Strict is right wherever another program may read the text differently.
    package static func parse(
        _ bytes: [UInt8], leniency: JSONFlaws = []
    ) throws(JSONError) -> JSONValue {
        try read(bytes, leniency: leniency).value
    }

    /// Parses one value as ``parse(_:leniency:)``, and tells which flaws it has.
    package static func read(
        _ bytes: [UInt8], leniency: JSONFlaws
    ) throws(JSONError) -> (value: JSONValue, flaws: JSONFlaws) {
        var parser = JSONParser(bytes, leniency: leniency)
        let value = try parser.value()
        parser.skipSpace()
        guard parser.position == bytes.count else { throw parser.error(.syntax) }
        return (value, parser.flaws)
    }

    package static func parse(_ text: String) throws(JSONError) -> JSONValue {
        try parse(Array(text.utf8))
    }

    private mutating func value() throws(JSONError) -> JSONValue {
        skipSpace()
        switch peek {
        case UInt8(ascii: "{"): return try nested { parser throws(JSONError) in try parser.object() }
        case UInt8(ascii: "["): return try nested { parser throws(JSONError) in try parser.array() }
        case UInt8(ascii: "\""): return .string(try string(allowing: leniency))
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
            // With a replacement character in their names, two members could become one.
            let name = try string(allowing: [])
            if !Self.isNew(name, members, &names) {
                guard leniency.contains(.repeatedNames) else { throw error(.repeatedName) }
                flaws.insert(.repeatedNames)
            }
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

    private mutating func string(allowing leniency: JSONFlaws) throws(JSONError) -> String {
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
                text.append(contentsOf: try escape(allowing: leniency))
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

    private mutating func escape(allowing leniency: JSONFlaws) throws(JSONError) -> [UInt8] {
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
            if let scalar = try scalar() { return Array(String(Character(scalar)).utf8) }
            guard leniency.contains(.halfSurrogates) else { throw error(.encoding) }
            flaws.insert(.halfSurrogates)
            return Array("\u{fffd}".utf8)
        default: throw error(.syntax)
        }
    }

    /// Reads a character after `\u`, which may have two escapes. Nil for half of a surrogate pair, after which the parser stands at
    /// whatever follows this half.
    private mutating func scalar() throws(JSONError) -> Unicode.Scalar? {
        let unit = try hexUnit()
        guard (0xd800..<0xdc00).contains(unit) else { return Unicode.Scalar(unit) }
        let end = position
        guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
            position = end
            return nil
        }
        let low = try hexUnit()
        guard (0xdc00..<0xe000).contains(low) else {
            position = end
            return nil
        }
        return Unicode.Scalar(0x10000 + (unit - 0xd800) << 10 + (low - 0xdc00))
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

/// Flaws of JSON texts that a reader can take, if it only shows values or passes them on.
package struct JSONFlaws: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// A string has half of a surrogate pair, which is read as U+FFFD. In a name it stays an error.
    package static let halfSurrogates = JSONFlaws(rawValue: 1)
    /// An object has a name twice. It keeps both members.
    package static let repeatedNames = JSONFlaws(rawValue: 2)
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
