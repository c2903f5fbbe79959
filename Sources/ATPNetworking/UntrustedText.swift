/// Makes text of a server safe for a terminal and a log line.
package enum UntrustedText {
    /// One line of at most `limit` scalars. White space becomes a space. Control characters and characters that
    /// change the reading order become U+FFFD.
    package static func harmless(_ text: some StringProtocol, limit: Int = 500) -> String {
        var line = String.UnicodeScalarView()
        var count = 0
        for scalar in text.unicodeScalars {
            guard count < limit else {
                line.append("…")
                break
            }
            line.append(replacement(for: scalar))
            count += 1
        }
        return String(line)
    }

    private static func replacement(for scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator:
            scalar.properties.isWhitespace ? " " : "\u{fffd}"
        // Emoji need this format character.
        case .format: scalar == "\u{200d}" ? scalar : "\u{fffd}"
        case .privateUse, .unassigned, .surrogate: "\u{fffd}"
        default: scalar
        }
    }
}
