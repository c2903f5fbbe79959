internal import ATPPlatform

extension Failure {
    /// The command that shows the help of all commands.
    static let help = "bskyauth help"

    static func usage(_ message: String) -> Failure {
        Failure(.usage, "usage", message, hint: help)
    }

    static func terminal(_ error: SystemError) -> Failure {
        Failure(
            .failure, "terminal", "the terminal can't be used: \(error.reason)", hint: "bskyauth --no-input …"
        )
    }

    /// An input file can't be read. Two inputs from one descriptor are a usage error in every command.
    static func unreadable(
        _ path: String, _ error: SystemError, what: String? = nil, as status: ExitStatus = .usage,
        code: String = "input_unreadable", hint: String
    ) -> Failure {
        let name = InputFile.name(of: path).escapedForTerminal
        if error.isSecondReading {
            return usage("\(name) can only be read once; write one of its inputs to a file")
        }
        let subject = what.flatMap { InputFile.isDescriptor(path) ? nil : "the \($0) \(name)" } ?? name
        return Failure(status, code, "\(subject) can't be read: \(error.reason)", hint: hint)
    }

    /// The next step if a path has the `@` of curl before it.
    static func pathHint(_ path: String, option: String) -> String? {
        guard path.hasPrefix("@") else { return nil }
        return "without the @:  bskyauth call … \(option)\(path.withoutAt.escapedForTerminal.shellQuoted)"
    }

    /// The code of a failure to write what a command prints.
    static let outputFailed = "output_failed"

    /// An output file can't be created or written.
    static func unwritable(_ path: String, _ error: SystemError) -> Failure {
        Failure(
            .failure, outputFailed, "\(path.escapedForTerminal) can't be written: \(error.reason)",
            hint: "bskyauth call … -o FILE")
    }

    /// The next step if the directory of a new file does not exist; nil for another error.
    static func missingDirectory(of path: String, _ error: SystemError) -> String? {
        guard error.isMissing else { return nil }
        return makingPrivate(FileSystem.directory(of: path))
    }

    /// The command that makes a directory that others can't enter.
    static func makingPrivate(_ directory: String) -> String {
        "mkdir -p -m 700 \(directory.escapedForTerminal.shellQuoted)"
    }

    /// How to resume a query with pages; nil without a cursor, or if the cursor can't be shown on a terminal.
    static func resumption(_ cursor: String?) -> String? {
        guard let cursor, cursor.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) else { return nil }
        return "resume with --cursor \(cursor.shellQuoted)"
    }

    /// The failure with the names of the accounts that it is about, unless the message has the name already.
    func naming(_ accounts: [String]) -> Failure {
        if accounts.count == 1, message.contains(accounts[0]) { return self }
        let names = Self.list(accounts)
        var copy = self
        copy.message =
            accounts.count == 1 ? "\(names): \(message)" : "\(accounts.count) accounts (\(names)): \(message)"
        return copy
    }

    /// The first five names, and the number of the others.
    static func list(_ names: [String]) -> String {
        let most = 5
        let rest = names.count - most
        return names.prefix(most).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }

    /// The same failure without its message, for a command that has printed the message already.
    var told: Failure {
        var copy = self
        copy.isReported = true
        return copy
    }
}

extension String {
    /// The path that another program writes with `@` before it.
    var withoutAt: String { hasPrefix("@") ? String(dropFirst()) : self }
}
