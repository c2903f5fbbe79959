internal import ArgumentParser
internal import CredentialVault

/// What opens a bundle: never a key of the vault that it comes from or goes to, unless it is named here too.
struct BundleOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The key file that opens the bundle; the other machine's --key-file will do.", valueName: "file"),
        completion: .file())
    var recipientKey: String?

    @Option(
        help: ArgumentHelp("A file whose first line is the passphrase of the bundle.", valueName: "file"),
        completion: .file())
    var bundlePassphraseFile: String?

    /// The options as they were given, for a command that is to be given again.
    var words: String {
        let key = recipientKey.map { " --recipient-key \($0.shown.shellQuoted)" }
        let passphrase = bundlePassphraseFile.map { " --bundle-passphrase-file \($0.shown.shellQuoted)" }
        return (key ?? "") + (passphrase ?? "")
    }

    /// The key that the command line or, where it names none, the environment names.
    func source(_ settings: Settings) throws(Failure) -> KeySource {
        let named = recipientKey != nil || bundlePassphraseFile != nil
        let key = named ? recipientKey : settings.recipientKey
        let passphraseFile = named ? bundlePassphraseFile : settings.bundlePassphraseFile
        switch (key, passphraseFile) {
        case (let path?, nil): return .keyFile(path: path)
        case (nil, let path?): return .passphrase(try PassphraseReader.fromFile(path))
        case (nil, nil):
            throw .usage("say what opens the bundle: --recipient-key or --bundle-passphrase-file")
        default: throw .usage("a bundle is opened by a key file or by a passphrase; say one")
        }
    }
}
