/// Rows of text in columns of equal width, as wide as a terminal shows them.
struct Table {
    private var rows: [[String]]

    init(header: [String]? = nil) {
        rows = header.map { [$0] } ?? []
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
