internal import ATProtoIdentity
internal import ATProtoXRPC
internal import ArgumentParser

/// Replaces the parser's own `help` command. That command has no topics and accepts any word.
struct HelpCommand: OnlineCommand {
    static let configuration = CommandConfiguration(
        commandName: "help",
        abstract: "Show help for a command, a method or a topic.",
        discussion: """
            The help of a method, for example app.bsky.feed.getTimeline, has its parameters and an example. So has \
            that of a collection or of a permission set.

            The lexicons of other apps come from their publishers, with proof. So the owner of the domain can see \
            the look-up. With BSKYAUTH_LEXICONS=off, no publisher is asked.

            Topics:

            \(HelpTopic.list)
            """)

    @Argument(
        help: ArgumentHelp(
            "A topic, or the name of a command or a method.", valueName: "command|method|topic"),
        completion: .helpSubject)
    var words: [String] = []

    @Option(help: .lexicons, completion: .directory)
    var lexicons: String?

    @OptionGroup var global: GlobalOptions

    var usesCryptography: Bool { Self.foreignName(words) != nil }
    var usesPager: Bool { true }

    func run(_ context: CommandContext, _ servers: ServerAccess) async throws {
        if let name = Self.foreignName(words) {
            let help = LexiconHelp(context, type: name.type)
            if let folder = try servers.lexiconFolder(self.lexicons),
                let lexicon = try folder.lexicon(name.nsid)
            {
                return try help.show(lexicon, from: folder.path)
            }
            if let lexicons = try servers.lexicons(seal: nil) {
                return try await help.show(name.nsid, from: lexicons)
            }
            guard name.type == nil, LexiconHelp.compiled(name.nsid) != nil else {
                throw LexiconHelp.notAsked(name.nsid)
            }
        }
        try context.console.write(line: try Self.text(about: words))
    }

    /// The name of a lexicon that others than the owners of the compiled ones publish, and of a type in it after `#`; nil for other
    /// words.
    private static func foreignName(_ words: [String]) -> (nsid: NSID, type: String?)? {
        guard words.count == 1, command(words) == nil else { return nil }
        let parts = words[0].split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        guard let nsid = try? NSID(validating: parts[0]), !PublicMethods.areComplete(for: nsid) else {
            return nil
        }
        return (nsid, parts.count == 2 ? String(parts[1]) : nil)
    }

    /// The text for the words of a command, for a topic, for a method, or for none of them.
    static func text(about words: [String]) throws -> String {
        if words.count == 1, let topic = HelpTopic.all.first(where: { $0.name == words[0] }) {
            return topic.text
        }
        guard let command = command(words) else {
            if words.count == 1, let text = text(aboutType: words[0]) { return text }
            if words.count == 1, let nsid = try? NSID(validating: words[0]) { return try text(about: nsid) }
            throw unknown(words)
        }
        let help = BskyAuth.helpMessage(for: command)
        guard words.isEmpty else { return help }
        return "\(help)\n\nTOPICS:\n\(HelpTopic.list)\n\n  See 'bskyauth help <topic>'."
    }

    private static func unknown(_ words: [String]) -> Failure {
        let near = suggestions(words)
        return Failure(
            .usage, "usage",
            "\"\(words.joined(separator: " ").escapedForTerminal)\" is neither a command nor a topic"
                + (near.isEmpty ? "" : "; did you mean \(near.joined(separator: " or "))?"),
            hint: near.first.map { "bskyauth help \($0)" } ?? Failure.help)
    }

    /// What some words may mean that name nothing: a method by its last part, a similar command or topic, or a topic about
    /// the word.
    private static func suggestions(_ words: [String]) -> [String] {
        guard let last = words.last, let group = command(words.dropLast()) else { return [] }
        let commands = group.configuration.subcommands.compactMap { $0.configuration.commandName }
        let prefix = words.dropLast().map { "\($0) " }.joined()
        guard words.count == 1 else { return last.nearest(of: commands).map { [prefix + $0] } ?? [] }
        let methods = PublicMethods.methods(endingIn: last)
        if !methods.isEmpty { return Array(methods.prefix(3)) }
        if let command = FamiliarWord.commandInGroup(last) { return [command] }
        if let near = last.nearest(of: commands + HelpTopic.all.map(\.name)) { return [near] }
        return HelpTopic.all.filter { $0.isAbout(last) }.map(\.name)
    }

    /// The text for a type that a document defines, such as `app.bsky.richtext.facet#tag`; nil for another word.
    private static func text(aboutType word: String) -> String? {
        let parts = word.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let nsid = try? NSID(validating: parts[0]) else { return nil }
        let type = PublicType.all(of: nsid).first { $0.name == "\(nsid)#\(parts[1])" }
        return type.map { PublicType.help([$0], of: $0.name, from: LexiconHelp.edition) }
    }

    private static func text(about nsid: NSID) throws -> String {
        if let text = LexiconHelp.compiled(nsid) { return text }
        let others = PublicRecord.names + PermissionSets.all.map(\.nsid.description)
        let near =
            nsid.description.nearest(of: others, within: nsid.description.count / 10)
            ?? PublicMethods.nearest(to: nsid)
        throw Failure(
            .usage, "usage",
            "the lexicons of \(PublicMethods.edition) have no \(nsid)"
                + (near.map { "; did you mean \($0)?" } ?? ""),
            hint: near.map { "bskyauth help \($0)" } ?? Failure.help)
    }

    /// The completions after these words.
    ///
    /// - Parameter word: the beginning of the word. Methods are offered after a dot, because they are many.
    static func completions(after words: [String], for word: String) -> [String] {
        let commands = (command(words)?.configuration.subcommands ?? [])
            .compactMap { $0.configuration.commandName }
        guard words.isEmpty else { return commands }
        return commands + HelpTopic.all.map(\.name) + (word.contains(".") ? PublicMethods.names : [])
    }

    private static func command(_ words: some Sequence<String>) -> (any ParsableCommand.Type)? {
        var command: (any ParsableCommand.Type)? = BskyAuth.self
        for word in words { command = command?.subcommand(named: word) }
        return command
    }
}
