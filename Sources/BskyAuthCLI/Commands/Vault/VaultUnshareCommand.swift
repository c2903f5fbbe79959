internal import ATPJSON
internal import ATProtoVault
internal import ArgumentParser

struct VaultUnshareCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "unshare",
        abstract: "Take the vault out of its store, so that only this machine has it.",
        discussion: """
            All accounts stay on this machine. The other machines can't refresh them any more; they say so, and lose \
            nothing. Nothing may be unfinished: see `bskyauth vault machines`.

            With --force, the store is not asked, because it never returns. Use it on one machine only. If two \
            machines use a session, its server ends it.
            """)

    @Flag(help: "Leave a store that never returns.")
    var force = false

    @Flag(name: .shortAndLong, help: "Don't ask for confirmation.")
    var yes = false

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext) async throws -> Document {
        let vault = try context.openVault()
        guard vault.isShared else { throw ErrorPresenter.failure(SharingRefusal.isNotShared) }
        if try CredentialVault.summary(at: context.vaultDirectory).sharing?.machine.isDurable == false {
            throw Failure(
                .usage, "ephemeral_machine",
                "the disk of this machine ends with its job, and the accounts with it",
                hint: "on a machine that stays, run: bskyauth vault unshare")
        }
        if !yes {
            let options = force ? " --force" : ""
            let question =
                force
                ? "Is the store gone for ever, and is this the only machine that goes on?"
                : "Take all accounts out of the store?"
            guard try context.confirm(question, sayingYes: "bskyauth vault unshare --yes\(options)") else {
                throw Failure(.declined, "declined", "the vault is still shared")
            }
        }
        if force { try await vault.abandonStore() } else { try await vault.unshare() }
        let count = try vault.accounts().count
        return Document(["schema": "bskyauth.vault-share/1", "store": .null, "accounts": JSONValue(count)]) {
            context.console.say(
                "the vault is not shared any more; this machine has its \(count) account\(count == 1 ? "" : "s")"
            )
        }
    }
}
