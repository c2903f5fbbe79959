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
    /// The commands that a word should have named one of, where there is another word.
    private var group: (any ParsableCommand.Type)?
    private var stranger: String?

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
        do {
            return try BskyAuth.parseAsRoot(named.words + named.arguments)
        } catch {
            // Help and completions are errors to the parser, too.
            throw BskyAuth.exitCode(for: error) == .success ? error : named.complaint() ?? error
        }
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
        if !type.configuration.subcommands.isEmpty { findStranger() }
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

    /// The first word where a command should be named, with nothing before it but options of all commands.
    private mutating func findStranger() {
        let index = arguments.indices.first { !arguments[$0].hasPrefix("-") && areGlobalOptions(before: $0) }
        guard let index else { return }
        group = type
        stranger = arguments[index]
    }

    /// What is wrong with a line that names no command, of which the parsers would say less: a word that is none, a
    /// wrong value of an option before it, or options alone.
    private func complaint() -> (any Error)? {
        if let stranger {
            let name = (words + [stranger]).joined(separator: " ")
            let known = group?.configuration.subcommands.compactMap { $0.name } ?? []
            let near = stranger.nearest(of: known)
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
        } catch {
            return error
        }
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

extension ParsableCommand {
    /// The word that names it; nil for one that is hidden.
    fileprivate static var name: String? {
        configuration.shouldDisplay ? configuration.commandName : nil
    }
}

extension String {
    /// The one of some words that this is most likely meant to be; nil where none is like it.
    func nearest(of words: [String]) -> String? {
        let near = words.map { (word: $0, distance: distance(to: $0)) }.min { $0.distance < $1.distance }
        return near.flatMap { $0.distance <= max(1, count / 3) ? $0.word : nil }
    }

    /// How many letters have to be added, removed or replaced to make another word of this one (Levenshtein).
    private func distance(to other: String) -> Int {
        let letters = Array(other)
        var row = Array(0...letters.count)
        for (index, letter) in enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in letters.indices {
                let changed = diagonal + (letter == letters[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(changed, min(row[column], row[column + 1]) + 1)
            }
        }
        return row[letters.count]
    }
}
