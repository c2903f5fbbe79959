import BskyAuthTestPrograms
internal import Foundation

/// What a person does at the terminal, each when the program has written a text (see terminal.py).
package struct TerminalStep: Sendable {
    let members: [String: String]
    let flags: [String: Bool]

    /// Types a line.
    package static func type(_ line: String, at prompt: String) -> TerminalStep {
        TerminalStep(members: ["await": prompt, "type": line], flags: [:])
    }

    /// Presses keys, and not Enter.
    package static func press(_ keys: String, at prompt: String) -> TerminalStep {
        TerminalStep(members: ["await": prompt, "press": keys], flags: [:])
    }

    /// Types a line once the terminal no longer shows what is typed.
    package static func typeHidden(_ line: String, at prompt: String) -> TerminalStep {
        TerminalStep(members: ["await": prompt, "type": line], flags: ["echo": false])
    }

    /// Accepts in the browser, and pastes the URL it ended on.
    package static func pasteRedirect(at prompt: String) -> TerminalStep {
        TerminalStep(members: ["await": prompt], flags: ["paste": true])
    }

    /// Presses Ctrl-C, where `hidden` while what is typed is not shown.
    package static func interrupt(at prompt: String, hidden: Bool = false) -> TerminalStep {
        TerminalStep(
            members: ["await": prompt],
            flags: hidden ? ["interrupt": true, "echo": false] : ["interrupt": true])
    }

    var json: [String: Any] {
        var all: [String: Any] = flags
        for (name, value) in members { all[name] = value }
        return all
    }
}

/// How a program at a terminal ended.
package struct TerminalResult: Decodable, Sendable {
    /// Everything that was written to the terminal.
    package let screen: String
    /// The lines a person saw at each step, and at the end.
    package let displays: [[String]]
    /// nil where a signal ended it.
    package let status: Int32?
    package let signal: Int32?
    /// Whether the terminal showed what was typed, at each step.
    package let echoed: [Bool]
    /// Whether it does now.
    package let echo: Bool
    /// Whether the terminal is, in all its modes, as it was.
    package let restored: Bool
    package let stepsLeft: Int
}

extension Home {
    /// Runs a command at a terminal of its own, with a person at the keyboard. It has 24 rows.
    package func runAtTerminal(
        _ arguments: String..., steps: [TerminalStep], columns: Int = 80,
        environment more: [String: String] = [:]
    ) async throws -> TerminalResult {
        try await runAtTerminal(
            Paths.program, arguments, steps: steps, columns: columns, environment: more)
    }

    /// The same for any program.
    package func runAtTerminal(
        _ program: String, _ arguments: [String], steps: [TerminalStep], columns: Int = 80,
        environment more: [String: String] = [:]
    ) async throws -> TerminalResult {
        let json = try JSONSerialization.data(withJSONObject: steps.map(\.json))
        let script = Paths.repository.appending(path: "Tests/EndToEndSupport/terminal.py").path
        let command = [script, String(columns), String(decoding: json, as: UTF8.self), program] + arguments
        let result = try await Program.run(
            Program.python, command,
            environment: variables(["BSKYAUTH_NO_INPUT": "0"].merging(more) { $1 }, nil), directory: directory
        )
        guard result.status == 0 else { throw CommandFailed(arguments: command, result: result) }
        return try Self.decode(TerminalResult.self, result.output)
    }
}
