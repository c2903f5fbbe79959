internal import ATPJSON
internal import ATProtoVault
internal import ArgumentParser
internal import BskyAuthCore

struct VaultAddKeyCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "add-key",
        abstract: "Add a passphrase or key file that opens the vault.",
        discussion: """
            Needs a key that already opens the vault: --key-file, --passphrase-file, or the passphrase typed at \
            the terminal. Afterwards the new key opens the vault too.
            """)

    @OptionGroup var new: NewPassphraseOption

    @Option(
        help: ArgumentHelp(
            "The key file to add. It is created if it does not exist. Without this option, a passphrase is added.",
            valueName: "file"),
        completion: .file())
    var newKeyFile: String?

    @Option(help: "The name of the key in vault status and vault remove-key.")
    var label: String?

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext) async throws -> Document {
        guard newKeyFile == nil || new.newPassphraseFile == nil else {
            throw Failure.usage("use --new-key-file or --new-passphrase-file, not both")
        }
        let label: String? = if let label { try AccountLabel.validated(label) } else { nil }
        let vault = try context.openVault(withAKey: true)
        let source: KeySource =
            if let newKeyFile {
                .keyFile(path: newKeyFile)
            } else {
                .passphrase(try new.read(context))
            }
        let name = try await vault.addKey(source, named: label)
        context.vaultOpener.warnOfKeyBeside(source, vault.home)
        return Document(["schema": "bskyauth.vault-key/1", "label": .string(name), "change": "added"]) {
            context.console.say("added the key \(name.escapedForTerminal); it opens the vault too")
        }
    }
}
