internal import ATProto
internal import ArgumentParser

/// The command that the first words of a command line name, and its remaining arguments.
///
/// The parser of the whole program builds the options of every level of commands several times over; a command
/// that is parsed by itself spares those above it. Options that every command takes may come before its words, as
/// `git -C` and `gh -R` may.
struct NamedCommand {
    private(set) var type: any ParsableCommand.Type = BskyAuth.self
    private var words: [String] = []
    private(set) var arguments: ArraySlice<String>
    /// A word that should name a command of a group but does not.
    private var unknownWord: (word: String, group: any ParsableCommand.Type)?

    /// The command, parsed.
    ///
    /// Errors and requests for help are left to the parser of the whole program, because it has the messages.
    static func parse(_ arguments: [String]) throws -> any ContextCommand {
        if let command = PlainLine(arguments)?.command { return command }
        var command = try NamedCommand(arguments).parsed()
        if let command = command as? any ContextCommand { return command }
        // Help, be it the parser's own command for `--help`, which alone knows of what, or a group of commands.
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

    /// What is wrong with a line that names no command, of which the parsers would say less: a word that is none, a
    /// wrong value of an option before it, or options alone.
    private func complaint(besides error: any Error) -> (any Error)? {
        if type == CallCommand.self { return parameter(in: BskyAuth.message(for: error)) }
        if let unknownWord {
            let name = (words + [unknownWord.word]).joined(separator: " ")
            let near = unknownWord.word.nearest(
                of: unknownWord.group.configuration.subcommands.compactMap { $0.name })
            let question = near.map { "; did you mean \((words + [$0]).joined(separator: " "))?" } ?? ""
            return ValidationError("no command is called \"\(name)\"\(question)")
        }
        guard words.isEmpty, let first = arguments.first, first.hasPrefix("-"), first != "--" else {
            return nil
        }
        if areGlobalOptions(before: arguments.endIndex) { return ValidationError("no command is named") }
        guard let index = arguments.firstIndex(where: { type.subcommand(named: $0) != nil }) else {
            return nil
        }
        do {
            _ = try GlobalOptions.parse(Array(arguments[..<index]))
            return nil
        } catch let error {
            return error
        }
    }

    /// That an option which `call` does not have is written as an item, because it is likely a parameter of the method;
    /// nil if it is likely an option.
    private func parameter(in message: String) -> ValidationError? {
        let quoted = message.split(separator: "'", omittingEmptySubsequences: false).map(String.init)
        guard quoted.count > 2, quoted[0] == "Unknown option ", quoted[1].hasPrefix("--") else { return nil }
        let name = String(quoted[1].dropFirst(2))
        if quoted.count > 4, name.nearest(of: [String(quoted[3].drop { $0 == "-" })]) != nil { return nil }
        let method = arguments.lazy.compactMap { try? NSID(validating: $0) }.first
        let known = method.flatMap(PublicMethods.method)?.parameters.map(\.name) ?? []
        let item = "\(name.nearest(of: known) ?? name)=\(value(of: quoted[1]) ?? "VALUE")"
        return ValidationError(
            "call has no option --\(name); write a parameter of the method as \(item.shellQuoted)")
    }

    /// What follows an option, attached or as the next word.
    private func value(of option: String) -> String? {
        let words = arguments.drop { $0 != option && !$0.hasPrefix("\(option)=") }.prefix(2)
        guard let first = words.first else { return nil }
        if first != option { return String(first.dropFirst(option.count + 1)) }
        return words.count > 1 ? words.last.flatMap { $0.hasPrefix("-") ? nil : $0 } : nil
    }

    private func areGlobalOptions(before index: Int) -> Bool {
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
    fileprivate static var name: String? {
        configuration.shouldDisplay ? configuration.commandName : nil
    }
}
