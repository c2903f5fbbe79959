internal import ArgumentParser

/// A command line with only the options of every command and the commonest flags of `call`, in their usual forms.
///
/// Some commands are made directly from its words, because the parser takes almost as long as the rest of a call.
/// `PlainLineTests` compares both results, member by member. Only the parser calls `validate()` of option groups, and
/// no group checks its defaults there.
struct PlainLine {
    private var words: ArraySlice<String> = []
    private var global = GlobalOptions.none
    private var call = CallFlags()

    /// The flags of `call` that are read here.
    fileprivate struct CallFlags: Equatable {
        var include = false
        var items = false
    }

    /// Nil if the line has anything else.
    init?(_ arguments: [String]) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "-a", "--account":
                guard let name = rest.popFirst(), !name.hasPrefix("-") else { return nil }
                global.account = name
            case "--json": global.json = true
            case "-q", "--quiet": global.quiet = true
            case "-v", "--verbose": global.verbose = true
            case "--no-input": global.noInput = true
            case "--no-pager": global.noPager = true
            case "-i" where !words.isEmpty, "--include" where !words.isEmpty: call.include = true
            case "--items" where !words.isEmpty: call.items = true
            default:
                guard !argument.hasPrefix("-") || argument == "-" else { return nil }
                words.append(argument)
            }
        }
    }

    /// The command that the words make; nil for another command, or if the parser must report an error.
    var command: (any ContextCommand)? {
        guard var command = named else { return nil }
        guard (try? command.validate()) != nil else { return nil }
        return command
    }

    private var named: (any ContextCommand)? {
        let rest = words.dropFirst()
        if words.first == "call" || words.first == "xrpc" { return CallCommand(rest, global, call) }
        guard call == CallFlags() else { return nil }
        // The word by itself, and no list of types: each that is looked at is made ready by the runtime.
        switch words.first {
        case "accounts" where rest.isEmpty || rest == ["list"]: return AccountsListCommand(global)
        case "accounts" where rest == ["current"]: return AccountsCurrentCommand(global)
        case "switch": return SwitchCommand(rest, global)
        default: return nil
        }
    }
}

extension AccountsListCommand {
    fileprivate init(_ options: GlobalOptions) {
        self.init()
        (global, check, jobs, part) = (options, false, Self.usualJobs, .none)
    }
}

extension AccountsCurrentCommand {
    fileprivate init(_ options: GlobalOptions) {
        self.init()
        (global, part) = (options, .none)
    }
}

extension CallCommand {
    fileprivate init?(
        _ words: ArraySlice<String>, _ options: GlobalOptions, _ flags: PlainLine.CallFlags
    ) {
        guard let name = words.first else { return nil }
        self.init()
        (global, nsid, items) = (options, name, Array(words.dropFirst()))
        (method, header, field, file, input) = (nil, [], [], [], nil)
        (contentType, noDefaults, output) = (nil, false, nil)
        (anonymous, host, noCheck, verify, dryRun) = (false, nil, false, false, false)
        (services, paging, part, retries, mirror) = (.none, .none, .none, .none, .none)
        (include, paging.items) = (flags.include, flags.items)
    }
}

extension SwitchCommand {
    fileprivate init?(_ words: ArraySlice<String>, _ options: GlobalOptions) {
        guard words.count <= 1 else { return nil }
        self.init()
        (global, selector) = (options, words.first)
    }
}

// MARK: Options, where none is given

extension GlobalOptions {
    /// No option at all.
    static var none: GlobalOptions {
        var options = GlobalOptions()
        (options.account, options.json, options.quiet, options.verbose) = (nil, false, false, false)
        (options.noInput, options.noPager, options.color) = (false, false, .auto)
        (options.home, options.resolver) = (nil, nil)
        (options.passphraseFile, options.keyFile, options.allowPrivateNetwork) = (nil, nil, false)
        (options.httpTimeout, options.lockTimeout) = (nil, nil)
        return options
    }
}

extension ServiceOptions {
    fileprivate static var none: ServiceOptions {
        var options = ServiceOptions()
        (options.proxy, options.wellKnown, options.labelers) = (nil, nil, [])
        (options.direct, options.audience) = (nil, .none)
        return options
    }
}

extension AudienceOption {
    fileprivate static var none: AudienceOption {
        var option = AudienceOption()
        option.namesService = false
        return option
    }
}

extension PagingOptions {
    fileprivate static var none: PagingOptions {
        var options = PagingOptions()
        (options.paginate, options.items, options.cursor, options.limitPages) = (false, false, nil, nil)
        return options
    }
}

extension GetOption {
    fileprivate static var none: GetOption {
        var option = GetOption()
        option.path = nil
        return option
    }
}

extension RetryOptions {
    fileprivate static var none: RetryOptions {
        var options = RetryOptions()
        (options.retry, options.maxWait) = (nil, nil)
        return options
    }
}

extension MirrorOptions {
    fileprivate static var none: MirrorOptions {
        var options = MirrorOptions()
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
