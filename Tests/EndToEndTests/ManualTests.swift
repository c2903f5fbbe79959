import EndToEndSupport
import Foundation
import TestPrograms
import Testing

extension EndToEnd {
    /// The examples of the manuals, run as they are written.
    @Suite("The examples of the manuals")
    struct ManualTests {
        /// The examples of a page, each a script.
        private static func examples(_ page: String) throws -> [String] {
            let text = try String(
                contentsOf: Paths.repository.appending(path: "man/\(page)"), encoding: .utf8)
            let section = try #require(text.components(separatedBy: "\n.Sh EXAMPLES\n").dropFirst().first)
                .components(separatedBy: "\n.Sh ")[0]
            return section.components(separatedBy: "\n.Bd -literal -offset indent\n").dropFirst().map {
                part in
                typed(part.components(separatedBy: "\n.Ed")[0])
            }
        }

        /// What a reader sees of the escapes that scripts/generate writes.
        private static func typed(_ text: String) -> String {
            [#"\-"#: "-", #"\(aq"#: "'", #"\(ga"#: "`", #"\(ti"#: "~", #"\(ha"#: "^", #"\&"#: ""]
                .reduce(text) { $0.replacing($1.key, with: $1.value) }.replacing(#"\e"#, with: #"\"#)
        }

        @Test("bskyauth(1) is enough to log in, post a record and read it back")
        func firstPage() async throws {
            let examples = try Self.examples("bskyauth.1")
            try #require(examples.count == 7)
            let place = try Examples()
            // A person who has nothing but the page does the first three.
            let read = try await place.run(examples[..<3].joined(separator: "\n"))
            #expect(read.text.contains(#""text":"Hello!""#), "\(read.text)")
            let rest = try await place.run(examples[3...].joined(separator: "\n"))
            #expect(rest.text.hasPrefix("It's 100% \"quoted\"\n"), "\(rest.text)")
            #expect(rest.errors.contains("logged out: @bot.example.com"), "\(rest.errors)")
        }
    }
}
