internal import Foundation

/// A Markdown page and its shell examples: the fenced blocks marked `sh`.
///
/// A block runs as it is printed. A block that can't run in a test names its reason after `sh`.
package struct DocumentPage {
    /// Why a block can't run in a test.
    package enum Reason: String, CaseIterable {
        case root
        case browser
        case remoteMachine = "remote machine"
        case hostedRunner = "hosted runner"
        /// It needs files that are published at an https address.
        case webHost = "web host"
        /// It needs a store for several machines. FleetTests runs it.
        case store
        /// It calls a service of Bluesky.
        case otherService = "other service"
    }

    package struct Block {
        /// The line of the page where the block begins.
        package let line: Int
        /// Nil for a block that runs.
        package let reason: Reason?
        package let script: String
    }

    package struct UnknownReason: Error, Equatable {
        package let line: Int
        package let reason: String

        package init(line: Int, reason: String) {
            self.line = line
            self.reason = reason
        }
    }

    /// The path in the repository.
    package let path: String
    package let blocks: [Block]

    package init(_ path: String) throws {
        let file = Paths.repository.appending(path: path)
        try self.init(path, text: String(contentsOf: file, encoding: .utf8))
    }

    package init(_ path: String, text: String) throws {
        self.path = path
        var blocks: [Block] = []
        var fence: (line: Int, mark: Substring)?
        var script: [Substring] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard line.hasPrefix("```") else {
                script.append(line)
                continue
            }
            if let opened = fence {
                if let block = try Self.block(opened.mark, opened.line, script) { blocks.append(block) }
                fence = nil
            } else {
                fence = (index + 1, line.dropFirst(3))
                script = []
            }
        }
        self.blocks = blocks
    }

    /// - Returns: nil for a block of another language.
    private static func block(_ mark: Substring, _ line: Int, _ script: [Substring]) throws -> Block? {
        let words = mark.split(separator: " ")
        guard words.first == "sh" else { return nil }
        let text = words.dropFirst().joined(separator: " ")
        let reason = Reason(rawValue: text)
        guard text.isEmpty || reason != nil else { throw UnknownReason(line: line, reason: text) }
        return Block(line: line, reason: reason, script: script.joined(separator: "\n"))
    }

    /// The blocks that run, as one script: variables of a block are set in the blocks after it. The line of each block
    /// goes to standard error, so that a failure shows where it happened.
    package var script: String {
        blocks.filter { $0.reason == nil }
            .map { "echo '\(path):\($0.line)' >&2\n\($0.script)" }
            .joined(separator: "\n")
    }

    /// The paths of README.md, of all pages in docs, and of the articles on the libraries.
    package static let paths: [String] = {
        let folders = ["docs", "Sources"].map { (folder: String) -> [String] in
            let files = FileManager.default.enumerator(atPath: Paths.repository.appending(path: folder).path)
            return (files?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".md") }.sorted()
                .map { "\(folder)/\($0)" }
        }
        return ["README.md"] + folders.joined()
    }()
}
