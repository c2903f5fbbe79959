internal import ATPJSON
internal import ATProtoVault
internal import ArgumentParser

struct VaultLockCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock",
        abstract: "Lock the vault before the time of vault unlock is over.",
        discussion: """
            Needs no key. It ends what programs can do through exec and proxy, also if the vault was locked already. Other \
            commands that are already running keep the vault open until they end.
            """)

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext) async throws -> Document {
        let home = try context.vaultDirectory
        let wasUnlocked: Bool
        do {
            wasUnlocked = try CredentialVault.forgetKey(at: home)
        } catch let error {
            if case .noVault = error { throw error }
            try lockAll(context, after: error)
            throw error
        }
        return Document(["schema": "bskyauth.vault-lock/1", "was_unlocked": .bool(wasUnlocked)]) {
            context.console.say(
                wasUnlocked
                    ? "locked"
                    : "the vault was locked already; exec and proxy without --keep-unlocked can no longer use it"
            )
            try context.vaultOpener.sayIfRemembered(home)
        }
    }

    /// Without a header it is unknown which key belongs to the vault, so remove all keys.
    private func lockAll(_ context: CommandContext, after error: VaultError) throws {
        guard let count = try? CredentialVault.forgetAllKeys() else { throw error }
        guard count > 0 else { return }
        context.console.say(
            "this vault can't be identified, so all your vaults were locked: \(count) \(count == 1 ? "was" : "were") unlocked"
        )
    }
}
