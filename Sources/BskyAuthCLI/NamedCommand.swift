internal import ATProtoIdentity
internal import ArgumentParser

/// The command that the first words of a command line name, and its remaining arguments.
///
/// The parser of the whole program builds the options of every level of commands several times over; a command
/// that is parsed by itself spares those above it. Options that every command takes may come before its words, as
/// `git -C` and `gh -R` may.
struct NamedCommand {
    private(set) var type: any ParsableCommand.Type = BskyAuth.self
    private(set) var words: [String] = []
    private(set) var arguments: ArraySlice<String>
    /// A word that should name a command of a group but does not.
    private(set) var unknownWord: (word: String, group: any ParsableCommand.Type)?

    /// The command, parsed.
    ///
    /// Errors and requests for help are left to the parser of the whole program, because it has the messages.
    static func parse(_ arguments: [String]) throws -> any ContextCommand {
        if let repeated = repeatedOption(arguments) { throw repeated }
        if let command = PlainLine(arguments)?.command { return command }
        var command = try NamedCommand(arguments).parsed()
        if let command = command as? any ContextCommand { return command }
        // This is a group of commands, or the parser's own command for `--help`. Both end by throwing a request for help.
        try command.run()
        throw CleanExit.helpRequest(command)
    }

    /// The command that shows the help of the named command, or of all commands if none is named.
    var help: String {
        words.isEmpty || words == ["help"] ? Failure.help : "\(Failure.help) \(words.joined(separator: " "))"
    }

    private func parsed() throws -> any ParsableCommand {
        let isWhole = type.configuration.subcommands.isEmpty
        if isWhole, let command = try? type.parseAsRoot(Array(arguments)), Swift.type(of: command) == type {
            return command
        }
        do {
            return try BskyAuth.parseAsRoot(words + arguments)
        } catch let error {
            // Help and completions are errors to the parser, too.
            throw BskyAuth.exitCode(for: error) == .success ? error : complaint(besides: error) ?? error
        }
    }

    init(_ arguments: [String]) {
        self.arguments = arguments[...]
        var options: ArraySlice<String> = []
        while let (index, subcommand) = subcommand() {
            options += self.arguments[..<index]
            words.append(self.arguments[index])
            self.arguments = self.arguments[(index + 1)...]
            type = subcommand
        }
        if !type.configuration.subcommands.isEmpty { findUnknownWord() }
        self.arguments = options + self.arguments
        type = type.configuration.defaultSubcommand ?? type
    }

    /// The next subcommand of the command so far, and the position of its word.
    private func subcommand() -> (Int, any ParsableCommand.Type)? {
        guard !type.configuration.subcommands.isEmpty else { return nil }
        for index in arguments.indices {
            let named = type.subcommand(named: arguments[index])
            if let named, areGlobalOptions(before: index) { return (index, named) }
        }
        return nil
    }

    /// The first word where a command should be named, with nothing before it but options of all commands.
    private mutating func findUnknownWord() {
        let index = arguments.indices.first { !arguments[$0].hasPrefix("-") && areGlobalOptions(before: $0) }
        if let index { unknownWord = (arguments[index], type) }
    }

    func areGlobalOptions(before index: Int) -> Bool {
        let options = Array(arguments[..<index])
        if options.isEmpty { return true }
        guard !options.contains("--") else { return false }
        return (try? GlobalOptions.parse(options)) != nil
    }
}

extension ParsableCommand {
    /// The command below this one that a word names, by its own name or another.
    static func subcommand(named word: String) -> (any ParsableCommand.Type)? {
        configuration.subcommands.first { subcommand in
            let configuration = subcommand.configuration
            return configuration.commandName == word || configuration.aliases.contains(word)
        }
    }

    /// The name of the command; nil for a hidden command.
    static var name: String? {
        configuration.shouldDisplay ? configuration.commandName : nil
    }
}
