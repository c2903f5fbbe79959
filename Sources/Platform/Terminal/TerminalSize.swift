internal import CPlatform

/// The size of a terminal in characters.
package struct TerminalSize: Sendable, Hashable {
    package let columns: Int
    package let rows: Int

    package init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }

    /// nil if the file is not a terminal, or the terminal does not tell its size.
    init?(of descriptor: Int32) {
        var columns: Int32 = 0
        var rows: Int32 = 0
        guard unsafe bskyauth_terminal_size(descriptor, &columns, &rows) == 0 else { return nil }
        self.init(columns: Int(columns), rows: Int(rows))
    }

    /// The size to assume when it is not known.
    package static let usual = TerminalSize(columns: 80, rows: 24)
}
