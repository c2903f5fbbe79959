internal import ATPJSON
internal import ATProtoVault
internal import ArgumentParser

struct VaultRemoveKeyCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove-key",
        abstract: "Remove a passphrase or key file from the vault. The last key can't be removed.",
        discussion: """
            Needs any key that opens the vault. A key file itself is not deleted. The removed key still opens old \
            copies of the vault.
            """)

    @Argument(help: "The name of the key in vault status.", completion: .vaultKey)
    var label: String

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext) async throws -> Document {
        let vault = try context.openVault(withAKey: true)
        let wasRemembered = try CredentialVault.rememberedID(at: vault.home) != nil
        try await vault.removeKey(named: label)
        context.vaultOpener.forgetUnlocked(vault.home)
        return Document([
            "schema": "bskyauth.vault-key/1", "label": .string(label), "change": "removed",
        ]) {
            context.console.say("removed the key \(label.escapedForTerminal); it no longer opens the vault")
            if wasRemembered, try CredentialVault.rememberedID(at: vault.home) == nil {
                context.console.say("to remove it from the desktop keyring too: bskyauth vault forget")
            } else {
                try context.vaultOpener.sayIfRemembered(vault.home)
            }
        }
    }
}
