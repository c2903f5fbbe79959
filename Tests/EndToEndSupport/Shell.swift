internal import Foundation

/// The shells that complete our command lines, each by the script that the program prints for it.
package enum Shell: String, CaseIterable, Sendable {
    case bash, zsh, fish

    package var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }

    /// What came of Tab at the end of each line.
    package struct Completions: Sendable {
        /// The last word as it is then, by line; lines that Tab has left alone are missing.
        package let words: [String: String]
        /// Everything on the terminal of the shell.
        package let screen: String
    }

    /// Lets a person type lines in this shell, at a terminal, and press Tab after each.
    package func complete(
        _ lines: [String], in home: Home, environment more: [String: String] = [:]
    ) async throws -> Completions {
        let programs = try home.folder("programs-\(UUID().uuidString)")
        try FileManager.default.createSymbolicLink(
            atPath: programs.appending(path: "bskyauth").path, withDestinationPath: Paths.program)
        let script = Paths.repository.appending(path: "Tests/EndToEndSupport/Shells/complete.\(rawValue)")
        let environment = [
            "PATH": "\(programs.path):/usr/bin:/bin", "PS1": "first> ", "TERM": "dumb",
        ]
        // Ctrl-G: see the script.
        let keys = lines.enumerated().map { index, line in
            TerminalStep.press("\(line)\t\u{7}", at: index == 0 ? "go> " : "]]")
        }
        let result = try await home.runAtTerminal(
            path, arguments,
            steps: [.type("source \(script.path)", at: "first> ")] + keys + [.type("exit", at: "]]")],
            columns: 200, environment: environment.merging(more) { $1 })
        let shown = result.screen.matches(of: /\[\[(.*?)\]\]/).map { String($0.output.1) }
        guard shown.count == lines.count, result.stepsLeft == 0 else {
            throw ShellFailed(screen: result.screen)
        }
        let words = zip(lines, shown).filter { $0 != $1 }.map { line, shown in
            (line, shown.split(separator: " ").last.map(String.init) ?? "")
        }
        return Completions(words: Dictionary(uniqueKeysWithValues: words), screen: result.screen)
    }

    private var path: String { "/usr/bin/\(rawValue)" }

    /// Without the settings of whoever runs the tests.
    private var arguments: [String] {
        switch self {
        case .bash: ["--norc", "-i"]
        case .zsh: ["-f", "-i"]
        case .fish: ["-N", "-i", "-C", "function fish_prompt; printf 'first> '; end"]
        }
    }
}

/// A shell that did not come to the end of the lines.
package struct ShellFailed: Error {
    package let screen: String
}
