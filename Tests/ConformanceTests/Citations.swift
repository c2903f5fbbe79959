import Foundation

/// The places where files of a repository point at its documents, and those that lead nowhere.
struct Citations {
    /// A page of docs/design: its rules by number, and its headings as they are in a link.
    private struct Page {
        let rules: Set<String>
        let anchors: Set<String>

        init(_ text: String) {
            rules = Set(text.matches(of: #/(?m)^- \*\*([A-Z]?\d[\w.]*)\. /#).map { String($0.output.1) })
            anchors = Citations.anchors(of: text)
        }

        /// A rule, a range of rules, or the beginning of a heading.
        func has(_ target: String) -> Bool {
            let ends = target.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
            if ends.allSatisfy(rules.contains) { return true }
            let start = target.lowercased()
            return anchors.contains { $0 == start || $0.hasPrefix(start + "-") }
        }
    }

    private let root: URL
    private let pages: [String: Page]

    init(of root: URL) throws {
        self.root = root
        let folder = root.appending(path: "docs/design")
        var pages: [String: Page] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where name.hasSuffix(".md") {
            pages[String(name.dropLast(3))] = Page(try Self.text(folder.appending(path: name)))
        }
        self.pages = pages
    }

    /// What is wrong in all files that people write, one line each.
    func broken() throws -> [String] {
        var found: [String] = []
        for file in try files() {
            let text = try Self.text(root.appending(path: file))
            found += brokenCitations(in: text).map { "\(file): \($0)" }
            found += try (file.hasSuffix(".md") ? brokenLinks(in: text, of: file) : missingPages(in: text))
                .map { "\(file): \($0)" }
        }
        return found.sorted()
    }

    /// `protocol:R46`, `protocol:R3-R7, R11`, `decisions:Rotation`.
    private func brokenCitations(in text: String) -> [String] {
        text.matches(of: /\b([a-z-]+):(\w[\w.-]*)((?:, [A-Z]\d+[a-z]?\b)*)/).flatMap { match -> [String] in
            guard let page = pages[String(match.output.1)] else { return [] }
            let first = match.output.2.drop(while: { $0 == "." }).trimmingCharacters(in: ["."])
            let others = match.output.3.components(separatedBy: ", ").dropFirst()
            return ([first] + others).filter { !page.has($0) }.map { "\(match.output.1):\($0)" }
        }
    }

    /// Documents that comments mention, by their paths from the top of the repository.
    private func missingPages(in text: String) -> [String] {
        text.split(separator: "\n").filter { $0.drop { $0 == " " }.starts(with: /\/\/|# |\.\\"/) }
            .flatMap { $0.matches(of: /[\w.\/-]*\w\.md\b/).map { String($0.output) } }
            .filter { !exists($0) }
    }

    private func brokenLinks(in text: String, of file: String) throws -> [String] {
        let folder = root.appending(path: file).deletingLastPathComponent()
        return try text.matches(of: /\]\(([^)\s#]*)(?:#([^)\s]*))?\)/).compactMap { match in
            let (path, anchor) = (String(match.output.1), match.output.2.map(String.init))
            guard !path.contains("://") else { return nil }
            let target = path.isEmpty ? root.appending(path: file) : folder.appending(path: path)
            guard FileManager.default.fileExists(atPath: target.path) else { return path }
            guard let anchor, !Self.anchors(of: try Self.text(target)).contains(anchor) else { return nil }
            return "\(path)#\(anchor)"
        }
    }

    private func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appending(path: path).path)
    }

    /// The files of the repository that have words in them. Recorded answers of servers, and the tests of this
    /// type, are not among them.
    private func files() throws -> [String] {
        let kinds: Set = ["swift", "py", "md", "mdoc", "5", "7", "h", "c", "sh", "yml", ""]
        let places = [
            ".github", "Sources", "Tests", "Sandbox", "Server", "Benchmarks", "man", "docs", "scripts",
            "packaging",
        ]
        var found = try FileManager.default.contentsOfDirectory(atPath: root.path)
            .filter { $0.hasSuffix(".md") || $0 == "Package.swift" }
        for place in places {
            let files = FileManager.default.enumerator(
                at: root.appending(path: place), includingPropertiesForKeys: [.isRegularFileKey],
                options: .skipsHiddenFiles)
            while let file = files?.nextObject() as? URL {
                guard kinds.contains(file.pathExtension),
                    try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true
                else { continue }
                found.append(String(file.path.dropFirst(root.path.count + 1)))
            }
        }
        return found.filter { !$0.hasPrefix("Tests/ConformanceTests/") }
    }

    /// The headings of a page as GitHub makes them into anchors.
    private static func anchors(of text: String) -> Set<String> {
        let headings = text.matches(of: /(?m)^#+ (.+)$/).map { $0.output.1.lowercased() }
        return Set(
            headings.map { heading in
                heading.filter { $0.isLetter || $0.isNumber || "- _".contains($0) }
                    .replacingOccurrences(of: " ", with: "-")
            })
    }

    private static func text(_ file: URL) throws -> String {
        String(decoding: try Data(contentsOf: file), as: UTF8.self)
    }
}
