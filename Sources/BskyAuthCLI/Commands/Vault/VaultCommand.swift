internal import ArgumentParser

struct VaultCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vault",
        abstract: "Manage the encrypted vault.",
        subcommands: [
            VaultStatusCommand.self, VaultUnlockCommand.self, VaultLockCommand.self,
            VaultRememberCommand.self, VaultForgetCommand.self, VaultPasswdCommand.self,
            VaultAddKeyCommand.self, VaultRemoveKeyCommand.self, VaultRekeyCommand.self,
            VaultVerifyCommand.self, VaultRestoreCommand.self, VaultShareCommand.self, VaultJoinCommand.self,
            VaultMachinesCommand.self, VaultFlushCommand.self, VaultUnshareCommand.self,
        ])
}
