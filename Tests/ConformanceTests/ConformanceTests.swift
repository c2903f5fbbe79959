import BskyAuthTestPrograms
import Foundation
import Testing

/// docs/conformance.md, and the rules and tests that it is written from.
@Suite("docs/conformance.md") struct ConformanceTests {
    private static let outOfDate = "docs/conformance.md is out of date: run scripts/dev/generate"

    @Test("is what the rules and the tests say now, and every rule has a test or says why not") func current()
        async throws
    {
        #expect(try await Self.generate(Tree.root) == "")
    }

    @Test(
        "is not written where rules and tests disagree",
        arguments: [
            ("- **R1. One.**", "R1", outOfDate),
            ("- **R1. One.** *Server fact.*", "", outOfDate),
            ("- **R1. One.** *Open: one half.*", "R1", outOfDate),
            (
                "- **R1. One.** *Not built: later.*", "R1",
                "protocol:R1 has a test, and says that it needs none: Not built: later"
            ),
            (
                "- **R1. One.** *Server fact.*", "R1",
                "protocol:R1 has a test, and says that it needs none: Server fact"
            ),
            ("- **R1. One.**", "", "protocol:R1 has no test and does not say why"),
            ("- **R1. One.**", "R1\", \"R2", "Tests/A.swift: \"holds\" covers R2, which is no rule"),
            ("- **R1. One.**\n- **R1. Two.**", "R1", "R1 is in docs/design more than once"),
        ])
    func refused(rules: String, covered: String, problem: String) async throws {
        let tree = TemporaryTree()
        defer { tree.remove() }
        try tree.write("## Rules\n\n\(rules)\n", to: "docs/design/protocol.md")
        try tree.write("", to: "docs/design/requirements.md")
        let trait = covered.isEmpty ? "" : ", .covers(\"\(covered)\")"
        try tree.write(
            "@Suite(\"A\") struct A {\n    @Test(\"holds\"\(trait)) func holds() {}\n}\n", to: "Tests/A.swift"
        )
        #expect(try await Self.generate(tree.root) == problem)
    }

    @Test("counts the tests of the server and in Python", arguments: ["Tests", "Server/Tests/Contract"])
    func python(place: String) async throws {
        let tree = TemporaryTree()
        defer { tree.remove() }
        try tree.write("## Rules\n\n- **R1. One.**\n", to: "docs/design/protocol.md")
        try tree.write("", to: "docs/design/requirements.md")
        try tree.write("# covers: R1\ndef test_one():\n    pass\n", to: "\(place)/test_a.py")
        #expect(try await Self.generate(tree.root) == Self.outOfDate)
    }

    /// What the generator has to say of a tree; nothing when its page is up to date.
    private static func generate(_ root: URL) async throws -> String {
        let script = Tree.root.appending(path: "scripts/lib/conformance.py").path
        let result = try await Program.run(
            Program.python, ["-B", script, "--check", root.path],
            environment: Program.inheritedEnvironment)
        return result.errors.trimmingCharacters(in: .newlines)
    }
}
