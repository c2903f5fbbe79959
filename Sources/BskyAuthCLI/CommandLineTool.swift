internal import ATPCryptography
internal import ATPPlatform
internal import ATProtoSessions
internal import ArgumentParser
internal import BskyAuthCore

/// The program: reads the command line, runs the command, and ends with the exit status that bskyauth(1) promises.
package enum CommandLineTool {
    /// Answers `--version` without a command, a task or the parser; nil for every other command line.
    package static func answerAtOnce(_ arguments: [String]) -> Int32? {
        guard arguments == ["--version"] else { return nil }
        return print(BskyAuthVersion.full, on: Console(isQuiet: false, isVerbose: false, usesJSON: false))
    }

    /// Runs a command to its end.
    package static func run(_ arguments: [String]) -> Int32 {
        MainThreadExecutor.run { await perform(arguments) }
    }

    private static func perform(_ arguments: [String]) async -> Int32 {
        ProcessHardening.apply()
        if arguments == [Keeper.word] { return await Keeper.serve() }
        let command: any ContextCommand
        switch Result(catching: { try NamedCommand.parse(arguments) }) {
        case .success(let parsed): command = parsed
        case .failure(let error): return end(parsing: error, arguments)
        }
        do {
            let context = CommandContext(live: command.global, usesPager: command.usesPager)
            // After the context has taken the secrets out of the environment: OpenSSL's configuration may start programs.
            if command.usesCryptography { try OpenSSL.start() }
            try await context.console.paging { [command] in try await command.start(in: context) }
            return ExitStatus.done.rawValue
        } catch let ended as ProgramEnded {
            return ended.status
        } catch let error as any KnownError {
            return end(with: helped(ErrorPresenter.failure(for: error), arguments), command)
        } catch {
            return end(with: ErrorPresenter.defect(error), command)
        }
    }

    private static func end(with failure: Failure, _ command: any ContextCommand) -> Int32 {
        Console(
            isQuiet: false, isVerbose: false, usesJSON: command.global.json,
            repeating: command.global.vaultOptions
        ).report(failure)
        return failure.status.rawValue
    }

    /// Help and the version go to standard output. An error of the command line is reported like every other.
    private static func end(parsing error: any Error, _ arguments: [String]) -> Int32 {
        let console = Console(isQuiet: false, isVerbose: false, usesJSON: arguments.contains("--json"))
        guard BskyAuth.exitCode(for: error) == .success else {
            // The shell asked for completions, maybe with the script of another version. Print nothing while the user
            // types.
            if arguments.first == "---completion" { return ExitStatus.done.rawValue }
            let failure = error as? Failure ?? .usage(sentence(BskyAuth.message(for: error)))
            console.report(helped(failure, arguments))
            return ExitStatus.usage.rawValue
        }
        return print(BskyAuth.fullMessage(for: error), on: console)
    }

    private static func print(_ text: String, on console: Console) -> Int32 {
        switch Result(catching: { try console.write(line: text) }) {
        case .success: return ExitStatus.done.rawValue
        case .failure(let error):
            let failure = ErrorPresenter.failure(for: error)
            console.report(failure)
            return failure.status.rawValue
        }
    }

    /// The failure with a hint at the help of the command that the line names.
    private static func helped(_ failure: Failure, _ arguments: [String]) -> Failure {
        guard failure.hint == Failure.help else { return failure }
        var failure = failure
        failure.hint = NamedCommand(arguments).help
        return failure
    }

    /// The parser's message in the form of our messages, with harmless quotations.
    private static func sentence(_ message: String) -> String {
        let line = message.split(whereSeparator: \.isNewline).joined(separator: " ").escapedForTerminal
        let trimmed = line.hasSuffix(".") ? String(line.dropLast()) : line
        return trimmed.prefix(1).lowercased() + trimmed.dropFirst()
    }
}
