extension String {
    /// The text made harmless for a terminal: without control characters and direction overrides, and of limited
    /// length.
    ///
    /// Use it for text from a server, a file or an argument.
    var escapedForTerminal: String {
        if utf8.count <= 500, isPrintableASCII { return self }
        var result = ""
        for scalar in unicodeScalars.prefix(500) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                result.unicodeScalars.append("\u{fffd}")
            default: result.unicodeScalars.append(scalar)
            }
        }
        return unicodeScalars.count > 500 ? result + "…" : result
    }

    /// JSON text in which the characters that change the reading order are escaped. They occur only in strings, so the
    /// text means the same.
    var escapingDirections: String { escaping(where: \.changesDirection) }

    /// The text with escapes as in JSON for the characters that a terminal obeys: control characters other than line
    /// breaks and tabs, and those that change the reading order.
    var escapingControls: String {
        escaping { scalar in
            scalar.changesDirection
                || scalar.properties.generalCategory == .control && scalar != "\n" && scalar != "\t"
        }
    }

    private func escaping(where isUnsafe: (Unicode.Scalar) -> Bool) -> String {
        guard unicodeScalars.contains(where: isUnsafe) else { return self }
        var result = ""
        for scalar in unicodeScalars {
            if isUnsafe(scalar) {
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The text as one word of a shell command, quoted if needed.
    var shellQuoted: String {
        let plain = utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
            default: "-_./:@%+=,".utf8.contains(byte)
            }
        }
        if plain && !isEmpty { return self }
        return "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}

extension Unicode.Scalar {
    /// Whether the character makes a terminal show the text in another order than it is written: an embedding, an
    /// override or an isolate (UAX #9).
    var changesDirection: Bool {
        "\u{202a}"..."\u{202e}" ~= self || "\u{2066}"..."\u{2069}" ~= self
    }
}
