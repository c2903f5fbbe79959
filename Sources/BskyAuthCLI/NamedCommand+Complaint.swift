internal import ATProtoIdentity
internal import ATProtoXRPC
internal import ArgumentParser

/// Errors of the command line that the parser has no good words for.
extension NamedCommand {
    /// What is wrong with a line: a word that names no command, a wrong value of an option before it, options alone, or
    /// an option that its command does not have. Nil leaves it to the parser's error.
    func complaint(besides error: any Error) -> (any Error)? {
        let message = BskyAuth.message(for: error)
        if type == LoginCommand.self, repeatsPassword(message) { return ErrorPresenter.passwordInArguments }
        if type == ExecCommand.self, !arguments.contains("--") {
            return ValidationError("write the program after --, as in bskyauth exec -- PROGRAM")
        }
        if let unknownWord { return complaint(unknownWord.word, in: unknownWord.group) }
        guard words.isEmpty else { return UnknownOption(in: message).flatMap(complaint) }
        guard let first = arguments.first, first.hasPrefix("-"), first != "--" else { return nil }
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

    // MARK: Words

    private func complaint(_ word: String, in group: any ParsableCommand.Type) -> Failure {
        let name = (words + [word]).joined(separator: " ")
        let isAboutAccounts = group == BskyAuth.self || group == AccountsCommand.self
        let meant =
            (isAboutAccounts ? FamiliarWord.command(for: word) : nil)
            ?? word.nearest(of: group.configuration.subcommands.compactMap { $0.name })
            .map { (words + [$0]).joined(separator: " ") }
        let question = meant.map { "; did you mean \($0)?" } ?? ""
        var failure = Failure.usage("no command is called \"\(name.escapedForTerminal)\"\(question)")
        if let meant { failure.hint = Self.help(with: meant) }
        return failure
    }

    /// The command that shows how to use the one that is meant. The meant one itself could do what the user does not want.
    private static func help(with meant: String) -> String {
        let words = meant.split(separator: " ").filter { !$0.hasPrefix("-") }
        guard !words.isEmpty else { return "bskyauth \(meant)" }
        if words[0] == "help" { return "bskyauth \(meant)" }
        // A method has a help of its own.
        let subject = words.count > 1 && words[0] == "call" ? words.dropFirst() : words[...]
        return "\(Failure.help) \(subject.joined(separator: " "))"
    }

    /// Whether the parser's message shows an argument that is likely a password: no message repeats it.
    private func repeatsPassword(_ message: String) -> Bool {
        let isForPassword = arguments.contains { $0.hasPrefix("--app-password") }
        let quoted = message.split(separator: "'", omittingEmptySubsequences: false)
        return quoted.indices.contains { index in
            guard !index.isMultiple(of: 2) else { return false }
            let word = String(quoted[index])
            return AppPasswordReader.looksLikeAppPassword(word)
                || isForPassword && !word.isEmpty && !word.hasPrefix("-")
                    && arguments.contains { $0.contains(word) }
        }
    }

    // MARK: Options

    /// That an option is given twice whose last value would silently be another account or another result. Every other option keeps
    /// the last value. Only the options of ``dashedValues`` take a word with a dash for their value.
    static func repeatedOption(_ arguments: [String]) -> Failure? {
        guard arguments.first != "---completion" else { return nil }
        var words: [String] = []
        var isValue = false
        for word in arguments.prefix(while: { $0 != "--" }) {
            if !isValue { words.append(word) }
            isValue = !isValue && dashedValues.contains(word)
        }
        func count(_ name: String) -> Int { words.count { $0 == name || $0.hasPrefix("\(name)=") } }
        let short = words.count { word in
            if word.hasPrefix("-a=") { return true }
            return word.hasSuffix("a") && word.hasPrefix("-")
                && word.dropFirst().utf8.allSatisfy { $0 != 0x2d }
        }
        if count("--account") + short > 1 { return .usage("-a is given twice; name one account") }
        return count("--get") > 1 ? .usage("--get is given twice; give one path") : nil
    }

    /// The options whose value may begin with a dash.
    private static let dashedValues: Set<String> = ["--cursor", "--nonce"]

    /// An option that its command does not have, as the parser reports it.
    private struct UnknownOption {
        let name: String
        /// The option that the parser proposes; nil if it differs in too many letters.
        let near: String?

        init?(in message: String) {
            let quoted = message.split(separator: "'", omittingEmptySubsequences: false).map(String.init)
            guard quoted.count > 2, quoted[0] == "Unknown option ", quoted[1].hasPrefix("--") else {
                return nil
            }
            name = String(quoted[1].dropFirst(2))
            near = quoted.count > 4 ? name.nearest(of: [String(quoted[3].drop { $0 == "-" })]) : nil
        }
    }

    /// Nil if the parser proposes the right option. An option that `call` does not have is likely a parameter of the
    /// method, which is written as an item.
    private func complaint(_ option: UnknownOption) -> ValidationError? {
        guard option.near == nil else { return nil }
        guard type == CallCommand.self else { return ValidationError("Unknown option '--\(option.name)'") }
        let method = arguments.lazy.compactMap { try? NSID(validating: $0) }.first
        let known = method.flatMap(PublicMethods.method)?.parameters.map(\.name) ?? []
        let item =
            "\(option.name.nearest(of: known) ?? option.name)=\(value(of: "--\(option.name)") ?? "VALUE")"
        return ValidationError(
            "call has no option --\(option.name); write a parameter of the method as \(item.shellQuoted)")
    }

    /// What follows an option, attached or as the next word.
    private func value(of option: String) -> String? {
        let words = arguments.drop { $0 != option && !$0.hasPrefix("\(option)=") }.prefix(2)
        guard let first = words.first else { return nil }
        if first != option { return String(first.dropFirst(option.count + 1)) }
        return words.count > 1 ? words.last.flatMap { $0.hasPrefix("-") ? nil : $0 } : nil
    }
}

/// Words that name no command here, but that users know from other programs, such as gh, goat and kubectl.
enum FamiliarWord {
    /// The command for a word, without the program's name; nil for other words.
    static func command(for word: String) -> String? {
        table[word] ?? commandInGroup(word)
    }

    /// The command of a group that has this name, such as `accounts export`. At the top level it lacks the group.
    static func commandInGroup(_ word: String) -> String? {
        let groups: [any ParsableCommand.Type] = [BskyAuth.self, AccountsCommand.self, VaultCommand.self]
        let group = groups.first { $0.subcommand(named: word)?.name != nil }
        guard let group, let command = group.subcommand(named: word)?.name else { return nil }
        return group == BskyAuth.self ? command : "\(group.name ?? "") \(command)"
    }

    private static let table = [
        "account": "accounts", "sessions": "accounts", "ls": "accounts", "list": "accounts",
        "profiles": "accounts", "users": "accounts", "status": "accounts --check",
        "me": "whoami", "id": "whoami", "user": "whoami", "get-session": "whoami",
        "auth": "login", "signin": "login", "sign-in": "login", "add": "login", "init": "login",
        "signout": "logout", "sign-out": "logout",
        "rm": "logout", "remove": "logout", "delete": "call com.atproto.repo.deleteRecord",
        "use": "switch", "use-context": "switch", "checkout": "switch", "select": "switch",
        "config": "help environment", "completions": "completion", "man": "help", "version": "--version",
        "check": "doctor", "diagnose": "doctor", "renew": "refresh", "headers": "token", "proof": "token",
        "service-auth": "service-token", "jwt": "service-token",
        "lookup": "resolve", "did": "resolve", "handle": "resolve", "dig": "resolve",
        "api": "call", "curl": "call", "get": "call com.atproto.repo.getRecord",
        "record": "call com.atproto.repo.getRecord", "post": "call com.atproto.repo.createRecord",
        "create": "call com.atproto.repo.createRecord", "bsky": "call com.atproto.repo.createRecord",
        "like": "call com.atproto.repo.createRecord", "follow": "call com.atproto.repo.createRecord",
        "upload": "call com.atproto.repo.uploadBlob", "blob": "call com.atproto.repo.uploadBlob",
        "feed": "call app.bsky.feed.getTimeline", "timeline": "call app.bsky.feed.getTimeline",
        "profile": "call app.bsky.actor.getProfile", "search": "call app.bsky.feed.searchPosts",
    ]
}
