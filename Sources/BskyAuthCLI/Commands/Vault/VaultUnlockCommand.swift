internal import ATPJSON
internal import ATProtoVault
internal import ArgumentParser

struct VaultUnlockCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock",
        abstract: "Unlock the vault for a while, in every shell.",
        discussion: """
            Keeps the vault key in the Linux kernel keyring of this user, not on disk. It is removed when the time \
            is over, at shutdown, and by `bskyauth vault lock`. To extend the time, run the command again.
            """)

    @Option(
        help: ArgumentHelp(
            "For how long, for example 90s or 8h; at most 24h (default: 15m).", valueName: "time"))
    var ttl: TimeLength?

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext) async throws -> Document {
        let ttl = ttl ?? TimeLength(.seconds(15 * 60))
        guard let seconds = UInt32(exactly: ttl.seconds), (1...86400).contains(seconds) else {
            throw Failure.usage("--ttl takes a time from 1s to 24h")
        }
        let home = try context.vaultDirectory
        // Check this before asking for a passphrase.
        _ = try CredentialVault.openUnlocked(at: home, stores: context.vaultOpener.stores)
        let vault = try context.openVault(withAKey: true)
        let end = try vault.unlock(forSeconds: seconds, now: context.now)
        return Document([
            "schema": "bskyauth.vault-unlock/1", "unlocked_until": .string(TimeText.rfc3339(end)),
        ]) {
            context.console.say(
                "unlocked for \(TimeText.exact(ttl.seconds)) in every shell of this user; to lock it: bskyauth vault lock"
            )
        }
    }
}
