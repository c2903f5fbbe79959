internal import ArgumentParser
internal import BskyAuthCore
internal import CredentialVault
internal import JSON

struct VaultAddKeyCommand: LocalCommand {
    static let configuration = CommandConfiguration(
        commandName: "add-key",
        abstract: "Add another passphrase or key file that opens the vault.",
        discussion: """
            The vault is opened with a key that it has (--key-file, --passphrase-file, or a question), and from \
            then on with the new one too.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var new: NewPassphraseOption

    @Option(
        help: ArgumentHelp(
            "A key file to add; made where there is none. Without it a passphrase is added.",
            valueName: "file"),
        completion: .file())
    var newKeyFile: String?

    @Option(help: "What the key is called, for vault status and vault remove-key.")
    var label: String?

    func run(_ context: CommandContext) async throws(Failure) {
        guard newKeyFile == nil || new.newPassphraseFile == nil else {
            throw .usage("one key is added at a time: --new-key-file or --new-passphrase-file")
        }
        let label: String? = if let label { try AccountLabel.validated(label) } else { nil }
        let vault = try context.openVault(withAKey: true)
        let source: KeySource =
            if let newKeyFile {
                .keyFile(path: newKeyFile)
            } else {
                .passphrase(try new.read(context))
            }
        let name = try ErrorPresenter.presenting { () throws(VaultError) in
            try vault.addKey(source, named: label)
        }
        context.vaultOpener.warnOfKeyBeside(source, vault.home)
        if global.json {
            return try context.console.write([
                "schema": "bskyauth.vault-key/1", "label": .string(name), "change": "added",
            ])
        }
        context.console.say("the vault opens with \(name.shown) too")
    }
}
