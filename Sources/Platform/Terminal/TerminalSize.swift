internal import CPlatform

/// How much a terminal shows at once.
package struct TerminalSize: Sendable, Hashable {
    package let columns: Int
    package let rows: Int

    package init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }

    /// nil where the file is no terminal, or one that does not say.
    init?(of descriptor: Int32) {
        var columns: Int32 = 0
        var rows: Int32 = 0
        guard unsafe bskyauth_terminal_size(descriptor, &columns, &rows) == 0 else { return nil }
        self.init(columns: Int(columns), rows: Int(rows))
    }

    /// What is taken for granted where nothing is known.
    package static let usual = TerminalSize(columns: 80, rows: 24)
}
