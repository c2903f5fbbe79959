internal import ATPJSON
internal import ATProtoXRPC

/// Prints the parts of JSON results that are at the path of `--get`, one per line.
///
/// A string is printed as text, and everything else as compact JSON. A string with a line break is printed as JSON if the
/// output can have other lines.
struct PartPrinter {
    /// What the path begins at.
    enum Origin {
        case result
        case response(XRPCRequest)
        /// Every page, or every item of the pages.
        case each(PagedCall.Line)
    }

    let path: JSONPath
    let origin: Origin
    let console: Console
    private var hasParts = false
    /// The first result, for the words about a path that finds nothing.
    private var first: JSONValue?

    init(path: JSONPath, from origin: Origin, console: Console) {
        self.path = path
        self.origin = origin
        self.console = console
    }

    /// Prints the parts of some results. A result without the parts is skipped.
    mutating func print(_ results: [JSONValue]) throws {
        let parts: [JSONValue]
        do { parts = try results.flatMap(path.values) } catch let error as RepeatedName {
            throw ErrorPresenter.repeated(error.name, from: origin)
        }
        if !hasParts, first == nil { first = results.first }
        // Skip an empty write, so that a closed reader does not matter then.
        guard !parts.isEmpty else { return }
        hasParts = true
        first = nil
        let mustFitOnLine = isOneOfMany || parts.count > 1
        try console.write(Array(parts.map { line($0, mustFitOnLine) + "\n" }.joined().utf8))
    }

    /// Fails if no part was found, also if there was no result.
    func finish() throws {
        if !hasParts { throw ErrorPresenter.noMatch(path, from: origin, in: first) }
    }

    /// Whether other results are printed too.
    private var isOneOfMany: Bool { if case .each = origin { true } else { false } }

    private func line(_ part: JSONValue, _ mustFit: Bool) -> String {
        guard let text = part.string, !mustFit || !text.utf8.contains(where: { $0 == 0x0a || $0 == 0x0d })
        else { return console.text(of: part) }
        return console.text(ofData: text)
    }
}
