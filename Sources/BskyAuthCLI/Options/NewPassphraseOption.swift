internal import ATPCryptography
internal import ATPPlatform
internal import ArgumentParser

/// The source of a new passphrase: a file, or the terminal. The terminal asks twice.
struct NewPassphraseOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A file whose first line is the new passphrase, of at least 8 characters. Without it, you are asked.",
            valueName: "file"),
        completion: .file())
    var newPassphraseFile: String?

    func read(_ context: CommandContext) throws -> SecretBytes {
        if let newPassphraseFile {
            let passphrase = try PassphraseReader.fromFile(newPassphraseFile, context.console, isNew: true)
            try PassphraseReader.requireLength(passphrase)
            return passphrase
        }
        guard context.mayAsk, let terminal = Terminal.open() else {
            throw Failure(
                .usage, "no_new_passphrase", "a new passphrase is needed, and there is no terminal to ask at",
                hint: "name a file: --new-passphrase-file FILE")
        }
        return try PassphraseReader.chosen(terminal)
    }
}
