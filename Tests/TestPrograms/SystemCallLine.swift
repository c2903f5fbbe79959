/// Lines of strace's output.
package enum SystemCallLine {
    /// The line of a call such as `renameat` with whole paths (`"/d/file"`) in place of names that are relative to an
    /// open directory, as `-y` shows them (`7</d>, "file"`).
    package static func withWholePaths(_ line: some StringProtocol) -> String {
        let line = String(line)
        guard line.firstMatch(of: /at2?\(/) != nil else { return line }
        return line.replacing(/\d+<(\/[^>]*)>, "([^"\/][^"]*)"/) { "\"\($0.1)/\($0.2)\"" }
    }
}
