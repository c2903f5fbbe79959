internal import ATPCryptography
internal import ATPJSON
internal import ATProtoVault
internal import ArgumentParser

struct VaultRememberCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "remember",
        abstract: "Let the keyring of your desktop session open the vault.",
        discussion: """
            Adds a key of its own to the vault and stores it in the keyring (Secret Service, by secret-tool). Commands \
            ask the keyring before they ask you for the passphrase, unless --no-input or CI is set. Every program of \
            your desktop session can read this key. To end it: bskyauth vault forget
            """)

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext) async throws -> Document {
        let vault = try context.openVault(withAKey: true)
        let secret: SecretBytes
        do { secret = try SecretBytes(random: 32) } catch { throw VaultError.cryptography(error) }
        // The keyring comes first: if it fails, the vault stays as it is.
        try await context.vaultOpener.keyring.store(secret, of: vault.id)
        try vault.remember(secret)
        let name = try CredentialVault.summary(at: vault.home).remembered?.name
        return Document(["schema": "bskyauth.vault-key/1", "label": JSONValue(name), "change": "remembered"])
        {
            context.console.say(
                "the keyring of your desktop session now opens the vault; to end this: bskyauth vault forget")
        }
    }
}
