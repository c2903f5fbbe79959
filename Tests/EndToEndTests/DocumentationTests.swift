import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    /// Runs the shell examples of README.md and docs as they are printed.
    @Suite("The examples of README.md and docs")
    struct DocumentationTests {
        @Test("a block runs, or names one of seven reasons; README.md has at most six that don't run")
        func reasons() throws {
            let pages = try DocumentPage.paths.map { try DocumentPage($0) }
            let blocks = pages.flatMap(\.blocks)
            let counts = DocumentPage.Reason.allCases.map { reason in
                "\(reason.rawValue) \(blocks.count { $0.reason == reason })"
            }
            let run = blocks.count { $0.reason == nil }
            print("documentation: \(run) blocks run; not run: \(counts.joined(separator: ", "))")
            #expect(run > 0)
            #expect(pages.first?.path == "README.md")
            #expect((pages.first?.blocks.count { $0.reason != nil } ?? 0) <= 6)
        }

        @Test("an unknown reason is refused")
        func unknownReason() throws {
            #expect(throws: DocumentPage.UnknownReason(line: 3, reason: "slow")) {
                _ = try DocumentPage("page.md", text: "A page\n\n```sh slow\nsleep 9\n```\n")
            }
            let page = try DocumentPage(
                "page.md", text: "```sh root\na\n```\n```sh\nb\n```\n```text\nc\n```\n")
            #expect(page.blocks.map(\.reason) == [.root, nil])
            #expect(page.script == "echo 'page.md:4' >&2\nb")
        }

        @Test("README.md has at most 120 lines")
        func length() throws {
            #expect(
                try text("README.md").split(separator: "\n", omittingEmptySubsequences: false).count <= 121)
        }

        @Test(
            "each link leads to a file of the repository, and to a heading of it",
            arguments: DocumentPage.paths)
        func links(_ path: String) throws {
            let folder = Paths.repository.appending(path: path).deletingLastPathComponent()
            for link in try text(path).matches(of: /\]\(([^)#:]*)(?:#([^)]*))?\)/) {
                let file =
                    link.1.isEmpty ? Paths.repository.appending(path: path) : folder.appending(path: link.1)
                #expect(FileManager.default.fileExists(atPath: file.path), "\(link.0)")
                guard let anchor = link.2 else { continue }
                let headings = try String(contentsOf: file, encoding: .utf8).matches(of: /(?m)^#+ (.*)$/)
                #expect(headings.contains { Self.anchor(String($0.1)) == anchor }, "\(link.0)")
            }
        }

        /// The anchor that GitHub gives a heading.
        private static func anchor(_ heading: String) -> String {
            heading.lowercased().replacing(" ", with: "-").filter { $0.isLetter || $0.isNumber || $0 == "-" }
        }

        private func text(_ path: String) throws -> String {
            try String(contentsOf: Paths.repository.appending(path: path), encoding: .utf8)
        }

        @Test("the blocks of a page run one after the other", arguments: DocumentPage.paths)
        func page(_ path: String) async throws {
            let page = try DocumentPage(path)
            guard !page.script.isEmpty else { return }
            let examples = try Examples()
            // The guides are for users who have logged in as README.md says.
            if path != "README.md" { try await examples.logIn() }
            try await examples.run(page.script)
        }
    }
}
