internal import ArgumentParser

/// Replaces the parser's own `help` command. That command has no topics and accepts any word.
struct HelpCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "help",
        abstract: "Show help for a command or a topic.",
        discussion: """
            Topics:

            \(HelpTopic.list)
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(
        help: ArgumentHelp("A topic, or the name of a command.", valueName: "command|topic"),
        completion: .helpSubject)
    var words: [String] = []

    var usesCryptography: Bool { false }

    func run(_ context: CommandContext) async throws {
        try context.console.write(line: try Self.text(about: words))
    }

    /// The text for the words of a command, for a topic, or for neither.
    static func text(about words: [String]) throws -> String {
        if words.count == 1, let topic = HelpTopic.all.first(where: { $0.name == words[0] }) {
            return topic.text
        }
        guard let command = command(words) else {
            throw Failure.usage(
                "\"\(words.joined(separator: " ").escapedForTerminal)\" is neither a command nor a topic")
        }
        let help = BskyAuth.helpMessage(for: command)
        guard words.isEmpty else { return help }
        return "\(help)\n\nTOPICS:\n\(HelpTopic.list)\n\n  See 'bskyauth help <topic>'."
    }

    /// The completions after these words.
    static func completions(after words: [String]) -> [String] {
        let commands = (command(words)?.configuration.subcommands ?? [])
            .compactMap { $0.configuration.commandName }
        return words.isEmpty ? commands + HelpTopic.all.map(\.name) : commands
    }

    private static func command(_ words: [String]) -> (any ParsableCommand.Type)? {
        var command: (any ParsableCommand.Type)? = BskyAuth.self
        for word in words { command = command?.subcommand(named: word) }
        return command
    }
}
