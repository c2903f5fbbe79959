internal import ArgumentParser

/// The command that the first words of a command line name, and what is left for it to read.
///
/// The parser of the whole program builds the options of every level of commands several times over; a command
/// that is parsed by itself spares those above it. Options that every command takes may come before its words, as
/// `git -C` and `gh -R` may.
struct NamedCommand {
    private var type: any ParsableCommand.Type = BskyAuth.self
    private var words: [String] = []
    private var arguments: ArraySlice<String>

    /// The command, parsed.
    ///
    /// What is wrong with a line, and what asks for help, is left to the parser of the whole program, which has the
    /// words for it.
    static func parse(_ arguments: [String]) throws -> any ParsableCommand {
        let named = NamedCommand(arguments)
        let isWhole = named.type.configuration.subcommands.isEmpty
        if isWhole, let command = try? named.type.parseAsRoot(Array(named.arguments)),
            Swift.type(of: command) == named.type
        {
            return command
        }
        return try BskyAuth.parseAsRoot(named.words + named.arguments)
    }

    private init(_ arguments: [String]) {
        self.arguments = arguments[...]
        var options: ArraySlice<String> = []
        while let (index, subcommand) = subcommand() {
            options += self.arguments[..<index]
            words.append(self.arguments[index])
            self.arguments = self.arguments[(index + 1)...]
            type = subcommand
        }
        if words.isEmpty { dropGlobalOptions() }
        self.arguments = options + self.arguments
        type = type.configuration.defaultSubcommand ?? type
    }

    /// The next command below the one that is named so far, and where its word is.
    private func subcommand() -> (Int, any ParsableCommand.Type)? {
        guard !type.configuration.subcommands.isEmpty else { return nil }
        for index in arguments.indices {
            let named = type.subcommand(named: arguments[index])
            if let named, areGlobalOptions(before: index) { return (index, named) }
        }
        return nil
    }

    /// Without a command they are not what is wrong with the line.
    private mutating func dropGlobalOptions() {
        let ends = arguments.indices.filter { !arguments[$0].hasPrefix("-") } + [arguments.endIndex]
        if let end = ends.first(where: areGlobalOptions) { arguments = arguments[end...] }
    }

    private func areGlobalOptions(before index: Int) -> Bool {
        let options = Array(arguments[..<index])
        if options.isEmpty { return true }
        guard !options.contains("--") else { return false }
        do {
            _ = try GlobalOptions.parse(options)
            return true
        } catch {
            return false
        }
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
}
