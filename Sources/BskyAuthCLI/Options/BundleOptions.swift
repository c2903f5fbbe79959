internal import ATPPlatform
internal import ATProtoVault
internal import ArgumentParser

/// The key of a bundle. The vault's key is used only if it is named here too.
struct BundleOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The key file that opens the bundle. You can use the other machine's --key-file.",
            valueName: "file"),
        completion: .file())
    var recipientKey: String?

    @Option(
        help: ArgumentHelp("A file whose first line is the passphrase of the bundle.", valueName: "file"),
        completion: .file())
    var bundlePassphraseFile: String?

    /// The options as they were given, for a command that is to be given again.
    var words: String {
        let key = recipientKey.map { " --recipient-key \($0.escapedForTerminal.shellQuoted)" }
        let passphrase = bundlePassphraseFile.map {
            " --bundle-passphrase-file \($0.escapedForTerminal.shellQuoted)"
        }
        return (key ?? "") + (passphrase ?? "")
    }

    /// The options that open what these have sealed, those of the environment among them; none for a passphrase that
    /// was asked for.
    func openingWords(_ settings: Settings) -> String { resolved(settings).words }

    /// The key from the command line, or else from the environment.
    func source(_ settings: Settings, _ console: Console) throws -> KeySource {
        guard let given = try given(settings, console) else {
            throw Failure.usage("a bundle needs a key: use --recipient-key or --bundle-passphrase-file")
        }
        return given
    }

    /// The same where a person may be asked for the passphrase of the bundle: twice where it is a new one.
    func source(_ context: CommandContext, isNew: Bool) throws -> KeySource {
        if let given = try given(context.settings, context.console) {
            if isNew, case .passphrase(let passphrase) = given {
                try PassphraseReader.requireLength(passphrase)
            }
            return given
        }
        guard context.mayAsk, let terminal = Terminal.open() else {
            return try source(context.settings, context.console)
        }
        if isNew {
            return .passphrase(try PassphraseReader.chosen(terminal, "New passphrase for the bundle"))
        }
        guard let typed = try PassphraseReader.typed(terminal, "Passphrase of the bundle: ") else {
            return try source(context.settings, context.console)
        }
        return .passphrase(typed)
    }

    private func resolved(_ settings: Settings) -> BundleOptions {
        guard recipientKey == nil, bundlePassphraseFile == nil else { return self }
        var options = self
        (options.recipientKey, options.bundlePassphraseFile) = (
            settings.recipientKey, settings.bundlePassphraseFile
        )
        return options
    }

    private func given(_ settings: Settings, _ console: Console) throws -> KeySource? {
        let options = resolved(settings)
        return switch (options.recipientKey, options.bundlePassphraseFile) {
        case (let path?, nil): .keyFile(path: path)
        case (nil, let path?): .passphrase(try PassphraseReader.fromFile(path, console))
        case (nil, nil): nil
        default: throw Failure.usage("use --recipient-key or --bundle-passphrase-file, not both")
        }
    }
}
