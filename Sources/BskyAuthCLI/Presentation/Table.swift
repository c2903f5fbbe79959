/// Rows of text in columns of equal width, as wide as a terminal shows them.
struct Table {
    private var rows: [[String]]

    init(header: [String]) {
        rows = [header]
    }

    mutating func append(_ row: [String]) {
        rows.append(row)
    }

    /// The lines, two spaces between columns, nothing after the last.
    var lines: [String] {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in
            rows.map { $0.count > column ? $0[column].terminalWidth : 0 }.max() ?? 0
        }
        return rows.map { row in
            let cells = row.enumerated().map { index, cell in
                index == row.count - 1
                    ? cell : cell + String(repeating: " ", count: widths[index] - cell.terminalWidth + 2)
            }
            return cells.joined()
        }
    }
}

extension String {
    /// Columns the text takes on a terminal: wide East Asian characters and emoji take two.
    var terminalWidth: Int {
        reduce(0) { width, character in
            guard let scalar = character.unicodeScalars.first else { return width }
            if scalar.properties.generalCategory == .nonspacingMark { return width }
            return width + (scalar.isWide ? 2 : 1)
        }
    }
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
