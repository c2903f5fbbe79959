internal import ArgumentParser
internal import CredentialVault
internal import JSON

struct VaultLockCommand: LocalCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock",
        abstract: "Need a key for the vault again, before the time of vault unlock is over.",
        discussion: "Takes no key. A command that is under way keeps the one it has.")

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext) async throws(Failure) {
        let home = try context.vaultDirectory
        let wasUnlocked: Bool
        do throws(Failure) {
            wasUnlocked = try ErrorPresenter.presenting { () throws(VaultError) in
                try CredentialVault.forgetKey(at: home)
            }
        } catch {
            if error.code != "no_vault" { try lockAll(context, after: error) }
            throw error
        }
        if global.json {
            return try context.console.write([
                "schema": "bskyauth.vault-lock/1", "was_unlocked": .bool(wasUnlocked),
            ])
        }
        context.console.say(wasUnlocked ? "locked" : "locked, as it was")
    }

    /// Whose key the kernel keeps can't be told without a header, and none is to be left there.
    private func lockAll(_ context: CommandContext, after failure: Failure) throws(Failure) {
        let count: Int
        do throws(VaultError) { count = try CredentialVault.forgetAllKeys() } catch { throw failure }
        guard count > 0 else { return }
        context.console.say(
            "which vault this is can't be told, so every vault of yours is locked: \(count) \(count == 1 ? "was" : "were") not"
        )
    }
}
