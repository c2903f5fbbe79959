internal import ArgumentParser

/// A command that words make, and what every command takes. The parser makes the same of them, but takes 18 million
/// instructions for it, where the rest of a call takes 26.
///
/// `WordCommandTests` compares what the two make, member by member. What an option group has to say about its own
/// defaults (`validate()`) only the parser asks for: none has.
protocol WordCommand: ContextCommand {
    /// The command of words none of which is an option; nil where the parser has something to say about them.
    init?(words: [String], _ global: GlobalOptions)
}

extension NamedCommand {
    // A list, because to ask a type whether it conforms makes the Swift runtime look through all conformances there are.
    static let wordCommands: [any WordCommand.Type] = [
        AccountsCurrentCommand.self, AccountsListCommand.self, CallCommand.self, SwitchCommand.self,
    ]

    /// The command of a line that has no options but those of every command, and these in their usual forms; nil where
    /// the parser has to make it.
    func madeOfWords() -> (any ContextCommand)? {
        guard let type = Self.wordCommands.first(where: { $0 == type }), let (words, global) = plainLine(),
            var command = type.init(words: words, global)
        else { return nil }
        do { try command.validate() } catch { return nil }
        return command
    }

    /// The words and the options of every command; nil where there is anything else.
    private func plainLine() -> (words: [String], GlobalOptions)? {
        var words: [String] = []
        var global = GlobalOptions.none
        var rest = arguments
        while let argument = rest.popFirst() {
            switch argument {
            case "-a", "--account":
                guard let name = rest.popFirst(), !name.hasPrefix("-") else { return nil }
                global.account = name
            case "--json": global.json = true
            case "-q", "--quiet": global.quiet = true
            case "-v", "--verbose": global.verbose = true
            case "--no-input": global.noInput = true
            default:
                guard !argument.hasPrefix("-") || argument == "-" else { return nil }
                words.append(argument)
            }
        }
        return (words, global)
    }
}

extension SwitchCommand: WordCommand {
    init?(words: [String], _ global: GlobalOptions) {
        guard words.count <= 1 else { return nil }
        self.init()
        (self.global, selector) = (global, words.first)
    }
}

extension AccountsListCommand: WordCommand {
    init?(words: [String], _ global: GlobalOptions) {
        guard words.isEmpty else { return nil }
        self.init()
        (self.global, check, jobs) = (global, false, Self.usualJobs)
    }
}

extension AccountsCurrentCommand: WordCommand {
    init?(words: [String], _ global: GlobalOptions) {
        guard words.isEmpty else { return nil }
        self.init()
        self.global = global
    }
}

extension CallCommand: WordCommand {
    init?(words: [String], _ global: GlobalOptions) {
        guard let nsid = words.first else { return nil }
        self.init()
        (self.nsid, items) = (nsid, Array(words.dropFirst()))
        (method, header, field, file, input) = (nil, [], [], [], nil)
        (contentType, output, include, anonymous, host, dryRun) = (nil, nil, false, false, nil, false)
        (self.global, services, paging, retries, handover) = (global, .none, .none, .none, .none)
    }
}

// MARK: Options, where none is given

extension GlobalOptions {
    fileprivate static var none: GlobalOptions {
        var options = GlobalOptions()
        (options.account, options.json, options.quiet, options.verbose) = (nil, false, false, false)
        (options.noInput, options.color, options.home, options.resolver) = (false, .auto, nil, nil)
        (options.passphraseFile, options.keyFile) = (nil, nil)
        (options.httpTimeout, options.lockTimeout) = (nil, nil)
        return options
    }
}

extension ServiceOptions {
    fileprivate static var none: ServiceOptions {
        var options = ServiceOptions()
        (options.proxy, options.wellKnown, options.labelers) = (nil, nil, [])
        return options
    }
}

extension PagingOptions {
    fileprivate static var none: PagingOptions {
        var options = PagingOptions()
        (options.paginate, options.items, options.cursor, options.limitPages) = (false, false, nil, nil)
        return options
    }
}

extension RetryOptions {
    fileprivate static var none: RetryOptions {
        var options = RetryOptions()
        (options.retry, options.maxWait) = (nil, nil)
        return options
    }
}

extension HandoverOptions {
    fileprivate static var none: HandoverOptions {
        var options = HandoverOptions()
        (options.afterRotation, options.bundle) = (nil, .none)
        return options
    }
}

extension BundleOptions {
    fileprivate static var none: BundleOptions {
        var options = BundleOptions()
        (options.recipientKey, options.bundlePassphraseFile) = (nil, nil)
        return options
    }
}
