import Foundation
import Testing

/// The table of rules and tests says what is true of this tree.
@Suite("docs/conformance.md") struct ConformanceTests {
    private let document: ConformanceDocument

    init() throws {
        document = try ConformanceDocument()
    }

    private static func rules(_ letter: String, _ last: Int, of page: String) -> [String] {
        (1...last).map { "\(page):\(letter)\($0)" }
    }

    /// Every rule of protocol.md and the rows of requirements.md that the first release is held to.
    private static let rules =
        rules("R", 84, of: "protocol") + ["protocol:R66b"] + rules("L", 16, of: "protocol")
        + rules("S", 10, of: "protocol") + rules("X", 14, of: "protocol") + rules("A", 9, of: "protocol")
        + rules("12.", 9, of: "protocol") + rules("13.", 11, of: "protocol")
        + rules("B", 23, of: "requirements") + rules("C", 16, of: "requirements")
        + rules("D", 6, of: "requirements") + rules("F", 17, of: "requirements")
        + rules("G", 10, of: "requirements") + rules("H", 9, of: "requirements")
        + rules("K", 5, of: "requirements")

    @Test("has every rule exactly once, and no other") func complete() {
        let counts = Dictionary(document.rows.map { ($0.rule, 1) }, uniquingKeysWith: +)
        #expect(Set(counts.keys).symmetricDifference(Self.rules).sorted() == [])
        #expect(counts.filter { $0.value != 1 }.keys.sorted() == [])
    }

    @Test("cites tests that are where it says") func citations() throws {
        let cited = document.rows.flatMap {
            ConformanceDocument.citations(in: $0.client) + ConformanceDocument.citations(in: $0.sandbox)
        }
        try #require(cited.count > 200)
        var files: [URL: String] = [:]
        for citation in cited {
            let text = try files[citation.file] ?? String(contentsOf: citation.file, encoding: .utf8)
            files[citation.file] = text
            let isPython = citation.file.pathExtension == "py"
            let function = "\(isPython ? "def" : "func") \(citation.name)("
            let hasSuite = isPython || text.contains("\"\(citation.suite)\"")
            let hasTest = text.contains(citation.isSentence ? "\"\(citation.name)\"" : function)
            #expect(hasSuite && hasTest, "\(citation)")
        }
    }

    @Test("says of every rule what the client does about it") func answered() {
        let words = ["*open:", "*server fact*", "*out of scope (decisions"]
        for row in document.rows {
            let isCited = !ConformanceDocument.citations(in: row.client).isEmpty
            #expect(isCited || words.contains { row.client.hasPrefix($0) }, "\(row.rule)")
            let isInSandbox = !ConformanceDocument.citations(in: row.sandbox).isEmpty
            #expect(isInSandbox || row.sandbox == "—", "\(row.rule)")
        }
    }

    @Test("lists at its end what is open, and nothing else") func open() {
        let open = document.rows.filter { $0.client.contains("*open:") }.map(\.rule)
        #expect(document.open == open)
    }
}
