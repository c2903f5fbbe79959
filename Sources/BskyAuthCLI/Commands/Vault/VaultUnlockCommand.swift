internal import ArgumentParser
internal import CredentialVault
internal import JSON

struct VaultUnlockCommand: LocalCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock",
        abstract: "Need no passphrase for a while, in any shell.",
        discussion: """
            The key of the vault is kept in the Linux kernel's keyring of this user: on no disk, in no process, \
            and gone when its time is over, with the machine, or with vault lock. It takes a key to unlock an \
            unlocked vault for longer.
            """)

    @OptionGroup var global: GlobalOptions

    @Option(
        help: ArgumentHelp("For how long, as 90s or 8h; at most a day (default: 15m).", valueName: "time"))
    var ttl: TimeLength?

    func run(_ context: CommandContext) async throws(Failure) {
        let ttl = ttl ?? TimeLength(.seconds(15 * 60))
        guard let seconds = UInt32(exactly: ttl.seconds), (1...86400).contains(seconds) else {
            throw .usage("--ttl is between 1s and 24h")
        }
        let home = try context.vaultDirectory
        // Before anybody is asked for a passphrase in vain.
        _ = try ErrorPresenter.presenting { () throws(VaultError) in
            try CredentialVault.openUnlocked(at: home)
        }
        let vault = try context.openVault(withAKey: true)
        let end = try ErrorPresenter.presenting { () throws(VaultError) in
            try vault.unlock(forSeconds: seconds, now: context.now)
        }
        if global.json {
            return try context.console.write([
                "schema": "bskyauth.vault-unlock/1", "unlocked_until": .string(TimeText.rfc3339(end)),
            ])
        }
        context.console.say(
            "unlocked for \(TimeText.length(ttl.seconds)), in every shell of this user; bskyauth vault lock ends it"
        )
    }
}
