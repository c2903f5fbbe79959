extension JSONValue {
    /// The value as compact JSON text.
    package var text: String {
        var writer = JSONWriter(indents: false)
        writer.write(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The value as JSON text, indented by two spaces and without a line break at the end.
    package var indentedText: String { indentedText(decorating: nil) }

    /// The indented text. `decorate` replaces each token, for example to color it.
    package func indentedText(decorating decorate: ((JSONToken, String) -> String)?) -> String {
        var writer = JSONWriter(indents: true, decorate: decorate)
        writer.write(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

/// A part of JSON text other than punctuation.
package enum JSONToken: Sendable {
    /// The name of a member, in its quotes.
    case name
    case string
    /// A number, `true`, `false` or `null`.
    case literal
}

/// Writes JSON text. It escapes the characters that JSON requires, and all control characters, because terminals obey
/// them.
private struct JSONWriter {
    var bytes: [UInt8] = []
    let indents: Bool
    /// Replaces a token; nil writes tokens unchanged.
    let decorate: ((JSONToken, String) -> String)?
    private var level = 0

    init(indents: Bool, decorate: ((JSONToken, String) -> String)? = nil) {
        self.indents = indents
        self.decorate = decorate
    }

    mutating func write(_ value: JSONValue) {
        switch value {
        case .null: append("null", .literal)
        case .bool(let bool): append(bool ? "true" : "false", .literal)
        case .number(let text): append(text, .literal)
        case .string(let string): write(string, .string)
        case .array(let elements):
            enclose("[", "]", elements) { writer, element in writer.write(element) }
        case .object(let object):
            enclose("{", "}", object.members) { writer, member in
                writer.write(member.name, .name)
                writer.append(writer.indents ? ": " : ":")
                writer.write(member.value)
            }
        }
    }

    private mutating func enclose<Element>(
        _ open: String, _ close: String, _ elements: [Element], _ write: (inout JSONWriter, Element) -> Void
    ) {
        append(open)
        level += 1
        for (index, element) in elements.enumerated() {
            if index > 0 { append(",") }
            breakLine()
            write(&self, element)
        }
        level -= 1
        if !elements.isEmpty { breakLine() }
        append(close)
    }

    private mutating func breakLine() {
        guard indents else { return }
        bytes.append(0x0a)
        bytes.append(contentsOf: repeatElement(0x20, count: level * 2))
    }

    private mutating func append(_ text: String, _ token: JSONToken) {
        append(decorate.map { $0(token, text) } ?? text)
    }

    private mutating func write(_ string: String, _ token: JSONToken) {
        guard decorate == nil else {
            var plain = JSONWriter(indents: false)
            plain.write(string, token)
            return append(String(decoding: plain.bytes, as: UTF8.self), token)
        }
        bytes.append(UInt8(ascii: "\""))
        defer { bytes.append(UInt8(ascii: "\"")) }
        // Most strings need no escape.
        if string.utf8.allSatisfy({
            0x20..<0x7f ~= $0 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        }) {
            return append(string)
        }
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": append("\\\"")
            case "\\": append("\\\\")
            case "\n": append("\\n")
            case "\r": append("\\r")
            case "\t": append("\\t")
            case "\u{0}"..."\u{1f}", "\u{7f}"..."\u{9f}", "\u{2028}", "\u{2029}":
                let hex = String(scalar.value, radix: 16)
                append("\\u" + String(repeating: "0", count: 4 - hex.count) + hex)
            default: append(String(scalar))
            }
        }
    }

    private mutating func append(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }
}
