internal import ArgumentParser
internal import FoundationEssentials

extension CompletionKind {
    /// An account of the vault that the command line being completed is about.
    static let account = CompletionKind.custom { words, _, _ in vault(words).accounts }

    /// A key of that vault.
    static let vaultKey = CompletionKind.custom { words, _, _ in vault(words).keys }

    /// A method of the public lexicons.
    static let method = CompletionKind.custom { _, _, _ in PublicMethods.names }

    private static func vault(_ words: [String]) -> VaultCompletion {
        VaultCompletion(words: words, environment: ProcessInfo.processInfo.environment)
    }
}
