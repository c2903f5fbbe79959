internal import ATPJSON
internal import ATProtoVault
internal import ArgumentParser

struct VaultForgetCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Stop the keyring of your desktop session from opening the vault.",
        discussion: """
            Removes the key of `bskyauth vault remember` from the vault and from the keyring. The vault is locked \
            afterwards. Old copies of the vault still open with that key.
            """)

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext) async throws -> Document {
        let home = try context.vaultDirectory
        let summary = try CredentialVault.summary(at: home)
        // The vault comes first: without its slot, the secret in the keyring opens nothing.
        if let slot = summary.remembered {
            try await context.openVault().removeKey(named: slot.name)
            context.vaultOpener.forgetUnlocked(home)
        }
        let isErased =
            context.settings.hasSessionBus && context.vaultOpener.keyring.removeSecret(of: summary.id)
        return Document([
            "schema": "bskyauth.vault-forget/1", "was_remembered": .bool(summary.remembered != nil),
            "erased": .bool(isErased),
        ]) {
            let vault =
                summary.remembered == nil
                ? "the vault was not remembered" : "the vault is no longer remembered"
            context.console.say(vault + (isErased ? "; its key was removed from the desktop keyring" : ""))
            if summary.remembered != nil, !isErased {
                context.console.say(
                    "the desktop keyring removed no key; a key that it still has opens nothing")
            }
        }
    }
}
