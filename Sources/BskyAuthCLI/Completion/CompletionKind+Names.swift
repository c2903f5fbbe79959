internal import ATPPlatform
internal import ATProtoXRPC
internal import ArgumentParser
internal import FoundationEssentials

extension CompletionKind {
    /// An account of the vault that the command line being completed is about.
    static let account = CompletionKind.custom { words, _, _ in vault(words).accounts }

    /// A key of that vault.
    static let vaultKey = CompletionKind.custom { words, _, _ in vault(words).keys }

    /// A method of the public lexicons.
    static let method = CompletionKind.custom { _, _, _ in PublicMethods.names }

    /// A parameter of the method that the line names.
    static let parameter = CompletionKind.custom { words, index, _ in
        ParameterCompletion(words: words, index: index).names
    }

    /// A command, a topic or a method, after the words of `help` that come before it.
    static let helpSubject = CompletionKind.custom { words, index, _ in
        let before = words.prefix(max(index, 0)).drop { $0 != "help" }.dropFirst()
        let word = words.indices.contains(index) ? words[index] : ""
        return HelpCommand.completions(after: before.filter { !$0.hasPrefix("-") }, for: word)
    }

    private static func vault(_ words: [String]) -> VaultCompletion {
        let environment = ProcessInfo.processInfo.environment
        // OpenSSL's configuration may start programs, and no completion needs a passphrase.
        ProcessEnvironment.remove(Settings.secretVariables)
        return VaultCompletion(words: words, environment: environment)
    }
}
