extension JSONValue {
    /// The value as compact JSON text.
    package var text: String {
        var writer = JSONWriter(indents: false)
        writer.write(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The value as JSON text of two-space indented lines, without a line break at the end.
    package var indentedText: String {
        var writer = JSONWriter(indents: true)
        writer.write(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

/// Writes JSON text; escapes what JSON demands and the control characters that terminals obey.
private struct JSONWriter {
    var bytes: [UInt8] = []
    let indents: Bool
    private var level = 0

    init(indents: Bool) {
        self.indents = indents
    }

    mutating func write(_ value: JSONValue) {
        switch value {
        case .null: append("null")
        case .bool(let bool): append(bool ? "true" : "false")
        case .number(let text): append(text)
        case .string(let string): write(string)
        case .array(let elements):
            enclose("[", "]", elements) { writer, element in writer.write(element) }
        case .object(let object):
            enclose("{", "}", object.members) { writer, member in
                writer.write(member.name)
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

    private mutating func write(_ string: String) {
        bytes.append(UInt8(ascii: "\""))
        defer { bytes.append(UInt8(ascii: "\"")) }
        // Most text is of letters that stand for themselves.
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
