internal import ArgumentParser

struct VaultCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vault",
        abstract: "Look after the encrypted vault that the accounts are in.",
        subcommands: [
            VaultStatusCommand.self, VaultUnlockCommand.self, VaultLockCommand.self, VaultPasswdCommand.self,
            VaultAddKeyCommand.self, VaultRemoveKeyCommand.self, VaultRekeyCommand.self,
            VaultVerifyCommand.self, VaultRestoreCommand.self,
        ])
}
