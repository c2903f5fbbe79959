internal import ATPPlatform
internal import ATProtoIdentity
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

    /// A permission set of the public lexicons.
    static let permissionSet = CompletionKind.custom { words, index, _ in
        let hasDots = words.indices.contains(index) && words[index].contains(".")
        return PermissionSets.all.map(hasDots ? \.nsid.description : \.nsid.name)
    }

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

/// The completions for an item of `call`: the parameters of the method that the line names.
struct ParameterCompletion {
    /// The command line from the shell. bash makes words of `=` and `:`.
    let words: [String]
    /// The index of the word that is being completed.
    let index: Int

    /// The parameters that the line does not have yet, each with the equals sign after it.
    var names: [String] {
        guard let method, !isValue else { return [] }
        let sign = method.kind == .query ? "=" : "=="
        return method.parameters.filter { $0.isArray || !isGiven($0.name) }.map { $0.name + sign }
    }

    /// The first word that is the name of a public method.
    private var method: PublicMethod? {
        words.lazy.compactMap { try? NSID(validating: $0) }.compactMap(PublicMethods.method).first
    }

    /// Whether the word is the value after an equals sign.
    private var isValue: Bool {
        guard words.indices.contains(index) else { return false }
        let word = words[index]
        return word.contains("=") || word.hasPrefix(":")
            || index > 0 && words[index - 1].first.map { "=:".contains($0) } == true
    }

    private func isGiven(_ name: String) -> Bool {
        words.enumerated().contains { position, word in
            position != index && (word == name || word.hasPrefix("\(name)=") || word.hasPrefix("\(name):"))
        }
    }
}
