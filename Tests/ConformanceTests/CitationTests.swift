import Foundation
import Testing

/// Rules, decisions and documents that comments, tests and pages point at.
@Suite("Citations") struct CitationTests {
    @Test("all lead to a rule, a heading or a file") func resolve() throws {
        #expect(try Citations(of: Tree.root).broken() == [])
    }

    @Test(
        "that lead nowhere are found",
        arguments: [
            ("Sources/A.swift", "// rules:R1, rules:R1-R2, rules:Two and rules:R1, R2", []),
            ("Sources/A.swift", "// rules:R3", ["rules:R3"]),
            ("Sources/A.swift", "// rules:R1-R3", ["rules:R1-R3"]),
            ("Sources/A.swift", "// rules:R1, R3", ["rules:R3"]),
            ("Sources/A.swift", "// rules:Three.", ["rules:Three"]),
            ("scripts/run", "# see docs/design/rules.md and cli.md", ["cli.md"]),
            ("docs/a.md", "[a](design/rules.md#two-words) [b](#here)\n# Here", []),
            ("CHANGELOG.md", "[a](docs/design/rules.md) [b](docs/gone.md)", ["docs/gone.md"]),
            ("Server/README.md", "[a](../docs/gone.md)", ["../docs/gone.md"]),
            (".github/pull_request_template.md", "[a](../docs/gone.md)", ["../docs/gone.md"]),
            ("docs/a.md", "[a](rules.md) [b](design/rules.md#three)", ["design/rules.md#three", "rules.md"]),
        ])
    func broken(file: String, text: String, problems: [String]) throws {
        let tree = TemporaryTree()
        defer { tree.remove() }
        try tree.write(
            "# Rules\n\n- **R1. One.**\n- **R2. Two.**\n\n## Two words\n", to: "docs/design/rules.md")
        try tree.write(text, to: file)
        #expect(try Citations(of: tree.root).broken() == problems.map { "\(file): \($0)" })
    }
}
