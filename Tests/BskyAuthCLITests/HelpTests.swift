import ArgumentParser
import Foundation
import Testing

@testable import BskyAuthCLI

/// `--help` of every command, as files that a review can read. `UPDATE_GOLDEN=1 swift test` rewrites them.
@Suite("Help") struct HelpTests {
    private static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fixtures/help")

    /// Every command by the words that lead to it.
    private static func commands(
        _ command: any ParsableCommand.Type = BskyAuth.self, _ words: [String] = ["bskyauth"]
    ) -> [([String], any ParsableCommand.Type)] {
        let own = [(words, command)]
        return command.configuration.subcommands.reduce(into: own) { all, subcommand in
            all += commands(subcommand, words + [subcommand.configuration.commandName ?? "?"])
        }
    }

    @Test("is what was last agreed on") func golden() throws {
        let isUpdating = ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1"
        let commands = Self.commands()
        #expect(commands.count >= 13)
        for (words, command) in commands {
            let file = Self.folder.appending(path: words.joined(separator: "-") + ".txt")
            let help = BskyAuth.helpMessage(for: command, columns: 100) + "\n"
            if isUpdating {
                try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
                try Data(help.utf8).write(to: file)
            }
            let agreed = try? String(contentsOf: file, encoding: .utf8)
            #expect(help == agreed, "\(file.lastPathComponent); UPDATE_GOLDEN=1 rewrites it")
        }
    }

    @Test("is what each command gives when it is asked", arguments: ["--help", "-h"])
    func asked(option: String) {
        for (words, command) in Self.commands() {
            let error = #expect(throws: (any Error).self) {
                _ = try NamedCommand.parse(words.dropFirst() + [option])
            }
            #expect(error.map { BskyAuth.exitCode(for: $0) } == .success, "\(words)")
            #expect(
                error.map { BskyAuth.fullMessage(for: $0) } == BskyAuth.helpMessage(for: command), "\(words)")
        }
    }

    @Test("has a file for each command and no other") func files() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(Set(names) == Set(Self.commands().map { $0.0.joined(separator: "-") + ".txt" }))
    }

    @Test("names every command and says something about every option") func complete() {
        let root = BskyAuth.helpMessage(columns: 100)
        for (words, command) in Self.commands() {
            if words.count == 2 { #expect(root.contains("  \(words[1])"), "\(words)") }
            #expect(!command.configuration.abstract.isEmpty, "\(words)")
            let help = BskyAuth.helpMessage(for: command, columns: 100)
            for line in help.split(separator: "\n") where line.hasPrefix("  -") {
                let isExplained = line.contains { $0 == " " } && !line.hasSuffix(">")
                let isLong = line.count > 25
                #expect(isExplained || isLong, "\(words): \(line)")
            }
        }
    }
}
