/// Rows of text in columns of equal width, as wide as a terminal shows them.
struct Table {
    struct Cell: Sendable {
        let text: String
        var style: TextStyle?

        init(_ text: String, _ style: TextStyle? = nil) {
            self.text = text
            self.style = style
        }
    }

    private var rows: [[Cell]]
    /// The columns that may be cut where a terminal is too narrow; where there are none, no line is. Then whole
    /// columns go, the last first.
    private let flexible: Set<Int>

    init(header: [String]? = nil, flexible: Set<Int> = []) {
        rows = header.map { [$0.map { Cell($0) }] } ?? []
        self.flexible = flexible
    }

    mutating func append(_ row: [String]) {
        append(cells: row.map { Cell($0) })
    }

    mutating func append(cells: [Cell]) {
        rows.append(cells)
    }

    /// The lines, two spaces between columns, nothing after the last.
    var lines: [String] { lines(fitting: nil, isColored: false) }

    /// - Parameter columns: how wide a line may be; nil for any width.
    func lines(fitting columns: Int?, isColored: Bool) -> [String] {
        let widths = widths(fitting: flexible.isEmpty ? nil : columns)
        return rows.map { row in
            let cells = zip(row, widths).enumerated().map { index, cell in
                let text = cell.0.text.fitted(to: cell.1)
                let isLast = index == min(row.count, widths.count) - 1
                let padding = isLast ? 0 : cell.1 - text.terminalWidth + Self.gap
                let shown = isColored ? cell.0.style?.apply(to: text) ?? text : text
                return shown + String(repeating: " ", count: padding)
            }
            return cells.joined()
        }
    }

    /// The widths of the columns that are shown.
    private func widths(fitting columns: Int?) -> [Int] {
        let count = rows.map(\.count).max() ?? 0
        var widths = (0..<count).map { column in
            rows.map { $0.count > column ? $0[column].text.terminalWidth : 0 }.max() ?? 0
        }
        guard let columns else { return widths }
        func total(_ widths: [Int]) -> Int { widths.reduce(0, +) + max(0, widths.count - 1) * Self.gap }
        func narrowest(_ widths: [Int]) -> [Int] {
            widths.enumerated().map { flexible.contains($0) ? min($1, Self.leastKept) : $1 }
        }
        while widths.count > 1, total(narrowest(widths)) > columns { widths.removeLast() }
        while total(widths) > columns,
            let widest = widths.indices.filter({ flexible.contains($0) && widths[$0] > Self.leastKept })
                .max(by: { widths[$0] < widths[$1] })
        {
            widths[widest] -= 1
        }
        return widths
    }

    private static let gap = 2
    /// What is left of a column that is cut, in columns of the terminal.
    private static let leastKept = 8
}
