internal import ArgumentParser
internal import FoundationEssentials

extension CompletionKind {
    /// An account of the vault that the command line being completed is about.
    static let account = CompletionKind.custom { words, _, _ in
        AccountCompletion(words: words, environment: ProcessInfo.processInfo.environment).names
    }

    /// A method of the public lexicons.
    static let method = CompletionKind.custom { _, _, _ in PublicMethods.names }
}
