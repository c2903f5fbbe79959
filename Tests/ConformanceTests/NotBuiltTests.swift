import Foundation
import Testing

/// Each line of this section of docs/design/decisions.md names a path that does not exist.
@Suite("Not built") struct NotBuiltTests {
    @Test("lists what is not there") func list() throws {
        let page = try String(
            contentsOf: Tree.root.appending(path: "docs/design/decisions.md"), encoding: .utf8)
        #expect(try Self.problems(of: page, in: Tree.root) == [])
    }

    @Test(
        "refuses a line without a path, and a path that exists",
        arguments: [
            ("- A daemon: `packaging/daemon`.", []),
            ("- A daemon: `packaging/*.daemon`.", []),
            ("- A daemon.\n  It runs once a day.", ["A daemon. It runs once a day. (names no path)"]),
            ("- A server: `Server/`.", ["Server/ exists"]),
            ("- A server: `Server/*.swift`.\n- A daemon: `b/c`.", ["Server/*.swift exists"]),
            ("", ["the list is empty"]),
        ])
    func refused(list: String, problems: [String]) throws {
        let tree = TemporaryTree()
        defer { tree.remove() }
        try tree.write("", to: "Server/Package.swift")
        let page = "# Decisions\n\n## Not built\n\n\(list)\n\n## Other\n\n- Built: `Server/`.\n"
        #expect(try Self.problems(of: page, in: tree.root) == problems)
    }

    /// The lines of the section that name no path, and the paths that exist.
    private static func problems(of page: String, in root: URL) throws -> [String] {
        let section = try #require(page.components(separatedBy: "\n## Not built\n").dropFirst().first)
        let list = section.prefix(upTo: section.range(of: "\n## ")?.lowerBound ?? section.endIndex)
        let lines = "\n\(list)".components(separatedBy: "\n- ").dropFirst()
        guard !lines.isEmpty else { return ["the list is empty"] }
        return try lines.flatMap { line in
            let paths = line.matches(of: /`([\w.\/*-]*\/[\w.\/*-]*)`/).map { String($0.output.1) }
            guard paths.isEmpty else {
                return try paths.filter { try exists($0, in: root) }.map { "\($0) exists" }
            }
            let words = line.split { $0 == " " || $0.isNewline }.joined(separator: " ")
            return ["\(words) (names no path)"]
        }
    }

    /// A `*` in the last part of a path stands for any name.
    private static func exists(_ path: String, in root: URL) throws -> Bool {
        let file = root.appending(path: path)
        let parts = file.lastPathComponent.components(separatedBy: "*")
        guard let start = parts.first, let end = parts.last, parts.count == 2 else {
            return FileManager.default.fileExists(atPath: file.path)
        }
        let folder = file.deletingLastPathComponent().path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.contains {
            $0.count >= start.count + end.count && $0.hasPrefix(start) && $0.hasSuffix(end)
        }
    }
}
