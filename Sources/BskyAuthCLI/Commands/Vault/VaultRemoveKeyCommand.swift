internal import ArgumentParser
internal import CredentialVault
internal import JSON

struct VaultRemoveKeyCommand: LocalCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove-key",
        abstract: "Let a passphrase or key file open the vault no longer; never the last one.",
        discussion: """
            The vault is opened with any of its keys. A key file itself is left where it is. Whoever has an old \
            copy of the vault can open that one with the key still.
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(help: "The key, as vault status calls it.", completion: .vaultKey)
    var label: String

    func run(_ context: CommandContext) async throws(Failure) {
        let vault = try context.openVault(withAKey: true)
        try ErrorPresenter.presenting { () throws(VaultError) in try vault.removeKey(named: label) }
        context.vaultOpener.forgetUnlocked(vault.home)
        if global.json {
            return try context.console.write([
                "schema": "bskyauth.vault-key/1", "label": .string(label), "change": "removed",
            ])
        }
        context.console.say("\(label.shown) does not open the vault any more")
    }
}
