internal import ArgumentParser
internal import CredentialVault
internal import JSON

struct VaultLockCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock",
        abstract: "Need a key for the vault again, before the time of vault unlock is over.",
        discussion: "Takes no key. A command that is under way keeps the one it has.")

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext) async throws(Failure) {
        let home = try context.vaultDirectory
        let wasUnlocked = try ErrorPresenter.presenting { () throws(VaultError) in
            try CredentialVault.forgetKey(at: home)
        }
        if global.json {
            return try context.console.write([
                "schema": "bskyauth.vault-lock/1", "was_unlocked": .bool(wasUnlocked),
            ])
        }
        context.console.say(wasUnlocked ? "locked" : "locked, as it was")
    }
}
