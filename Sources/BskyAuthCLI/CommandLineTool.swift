internal import ArgumentParser
internal import Cryptography
internal import Platform

/// The program: reads the command line, runs the command, and ends with the exit status that bskyauth(1) promises.
package enum CommandLineTool {
    /// Answers what needs no command, no tasks and no parser; nil for everything else.
    package static func answerAtOnce(_ arguments: [String]) -> Int32? {
        guard arguments == ["--version"] else { return nil }
        let console = Console(isQuiet: false, isVerbose: false, usesJSON: false)
        do throws(Failure) {
            try console.write(line: BskyAuthVersion.full)
            return ExitStatus.done.rawValue
        } catch {
            console.report(error)
            return error.status.rawValue
        }
    }

    /// Runs a command to its end.
    package static func run(_ arguments: [String]) -> Int32 {
        MainThreadExecutor.run { await perform(arguments) }
    }

    private static func perform(_ arguments: [String]) async -> Int32 {
        ProcessHardening.apply()
        let command: any ContextCommand
        do {
            command = try NamedCommand.parse(arguments)
        } catch {
            return end(parsing: error, arguments)
        }
        do throws(Failure) {
            let context = CommandContext(live: command.global)
            if command.usesCryptography { try startOpenSSL() }
            try await command.start(in: context)
            return ExitStatus.done.rawValue
        } catch {
            Console(isQuiet: false, isVerbose: false, usesJSON: command.global.json)
                .report(helped(error, arguments))
            return error.status.rawValue
        }
    }

    /// OpenSSL's configuration may start programs: the context has taken the secrets out of the environment before.
    private static func startOpenSSL() throws(Failure) {
        do throws(CryptographyError) { try OpenSSL.start() } catch { throw ErrorPresenter.failure(error) }
    }

    /// Help and the version go to standard output; what is wrong with a command line is told like everything.
    private static func end(parsing error: any Error, _ arguments: [String]) -> Int32 {
        let console = Console(isQuiet: false, isVerbose: false, usesJSON: arguments.contains("--json"))
        guard BskyAuth.exitCode(for: error) == .success else {
            // A shell asks while a person types, maybe by the script of another version: it gets no answer.
            if arguments.first == "---completion" { return ExitStatus.done.rawValue }
            console.report(helped(.usage(sentence(BskyAuth.message(for: error))), arguments))
            return ExitStatus.usage.rawValue
        }
        do throws(Failure) {
            try console.write(line: BskyAuth.fullMessage(for: error))
            return ExitStatus.done.rawValue
        } catch {
            console.report(error)
            return error.status.rawValue
        }
    }

    /// The failure with the help of the command that the line names in place of the help of all.
    private static func helped(_ failure: Failure, _ arguments: [String]) -> Failure {
        guard failure.hint == Failure.help else { return failure }
        var failure = failure
        failure.hint = NamedCommand(arguments).help
        return failure
    }

    /// The parser's words as the sentence that our messages are, with what they quote made harmless.
    private static func sentence(_ message: String) -> String {
        let line = message.split(whereSeparator: \.isNewline).joined(separator: " ").shown
        let trimmed = line.hasSuffix(".") ? String(line.dropLast()) : line
        return trimmed.prefix(1).lowercased() + trimmed.dropFirst()
    }
}
