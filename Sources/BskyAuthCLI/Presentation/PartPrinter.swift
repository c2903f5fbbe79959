internal import JSON

/// Prints the parts of JSON results that are at the path of `--get`, one per line.
///
/// A string is printed as text, and everything else as compact JSON. A string with a line break is printed as JSON if the
/// output can have other lines.
struct PartPrinter {
    let path: JSONPath
    let console: Console
    /// Whether other results are printed too, such as the items of a list.
    let isOneOfMany: Bool
    private var hasResults = false
    private var hasParts = false

    init(path: JSONPath, console: Console, isOneOfMany: Bool) {
        self.path = path
        self.console = console
        self.isOneOfMany = isOneOfMany
    }

    /// Prints the parts of some results. A result without the parts is skipped.
    mutating func print(_ results: [JSONValue]) throws {
        let parts = results.flatMap(path.values)
        hasResults = hasResults || !results.isEmpty
        // Skip an empty write, so that a closed reader does not matter then.
        guard !parts.isEmpty else { return }
        hasParts = true
        let mustFitOnLine = isOneOfMany || parts.count > 1
        try console.write(Array(parts.map { line($0, mustFitOnLine) + "\n" }.joined().utf8))
    }

    /// Fails if there was a result and none had such a part. A list without items is no failure.
    func finish() throws {
        guard hasResults, !hasParts else { return }
        throw Failure(
            .failure, "get_no_match", "the result has nothing at \(path.description.escapedForTerminal)",
            hint: "to see the whole result, leave out --get")
    }

    private func line(_ part: JSONValue, _ mustFit: Bool) -> String {
        guard let text = part.string, !mustFit || !text.utf8.contains(where: { $0 == 0x0a || $0 == 0x0d })
        else { return console.text(of: part) }
        return console.text(ofData: text)
    }
}
