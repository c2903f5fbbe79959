extension String {
    /// Columns the text takes on a terminal: wide East Asian characters and emoji take two.
    var terminalWidth: Int {
        if isPrintableASCII { return utf8.count }
        return reduce(0) { width, character in
            guard let scalar = character.unicodeScalars.first else { return width }
            if scalar.properties.generalCategory == .nonspacingMark { return width }
            return width + (scalar.isWide ? 2 : 1)
        }
    }

    /// The text cut to so many columns, with a mark where something is missing.
    func fitted(to columns: Int) -> String {
        guard terminalWidth > columns else { return self }
        guard columns > 0 else { return "" }
        var width = 0
        let kept = prefix { character in
            width += String(character).terminalWidth
            return width < columns
        }
        return kept + "…"
    }
}

extension String {
    /// Whether there is nothing in the text but what takes one column and is harmless.
    var isPrintableASCII: Bool { utf8.allSatisfy { 0x20..<0x7f ~= $0 } }
}

extension Unicode.Scalar {
    /// East Asian Width W or F, in ranges (UAX #11), and whatever is shown as an emoji by itself.
    fileprivate var isWide: Bool {
        if properties.isEmojiPresentation { return true }
        return switch value {
        case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0x33ff, 0x3400...0x4dbf, 0x4e00...0x9fff,
            0xa000...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f, 0xff00...0xff60,
            0xffe0...0xffe6, 0x20000...0x3fffd:
            true
        default: false
        }
    }
}
