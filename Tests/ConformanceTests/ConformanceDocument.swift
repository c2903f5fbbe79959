import Foundation

/// docs/conformance.md, taken apart.
struct ConformanceDocument {
    /// A row of one of its tables.
    struct Row {
        let rule: String
        let client: String
        let sandbox: String
    }

    /// A test that it cites: `Suite/"name"` in a file, `Suite/function` where the name is the function's, or
    /// `module/function` in Python.
    struct Citation: CustomStringConvertible {
        let suite: String
        let name: String
        let isSentence: Bool
        let file: URL

        var description: String { "\(suite)/\(name) in \(file.lastPathComponent)" }
    }

    let rows: [Row]
    /// The rules that its last section lists.
    let open: [String]

    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    init() throws {
        let text = try String(contentsOf: Self.root.appending(path: "docs/conformance.md"), encoding: .utf8)
        let parts = text.components(separatedBy: "\n## Open\n")
        rows = parts[0].split(separator: "\n").compactMap { line in
            guard line.hasPrefix("| `") else { return nil }
            let cells = line.dropFirst(2).dropLast(2).components(separatedBy: " | ")
            guard cells.count == 4 else { return Row(rule: String(line), client: "", sandbox: "") }
            return Row(
                rule: cells[0].trimmingCharacters(in: CharacterSet(charactersIn: "`")), client: cells[2],
                sandbox: cells[3])
        }
        open = (parts.count == 2 ? parts[1] : "").split(separator: "\n").compactMap { line in
            guard line.hasPrefix("- `") else { return nil }
            return line.dropFirst(3).split(separator: "`").first.map(String.init)
        }
    }

    /// The tests that a cell cites.
    static func citations(in cell: String) -> [Citation] {
        cell.matches(of: /\[`(.+?)`\]\(\.\.\/(.+?)\)/).compactMap { match in
            let file = root.appending(path: String(match.output.2))
            let reference = String(match.output.1)
            if let quote = reference.firstRange(of: "/\"") {
                return Citation(
                    suite: String(reference[..<quote.lowerBound]),
                    name: String(reference[quote.upperBound...].dropLast()), isSentence: true, file: file)
            }
            guard let slash = reference.lastIndex(of: "/") else { return nil }
            return Citation(
                suite: String(reference[..<slash]),
                name: String(reference[reference.index(after: slash)...]), isSentence: false, file: file)
        }
    }
}
