internal import ATPJSON
internal import ATProtoVault
internal import ArgumentParser

struct VaultPasswdCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "passwd",
        abstract: "Change a passphrase of the vault.",
        discussion: """
            Needs any key that opens the vault. The accounts are not encrypted again: the passphrase protects the \
            vault key, and the vault key stays the same. An old copy of the vault still opens with the old \
            passphrase; if that matters, run `bskyauth vault rekey`.
            """)

    @OptionGroup var new: NewPassphraseOption

    @Argument(
        help: "The name of the passphrase in vault status. Needed if the vault has several.",
        completion: .vaultKey)
    var label: String?

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext) async throws -> Document {
        let home = try context.vaultDirectory
        let summary = try CredentialVault.summary(at: home)
        let name = try name(summary)
        let vault = try context.openVault(withAKey: true)
        let passphrase = try new.read(context)
        try vault.changePassphrase(of: name, to: passphrase)
        context.vaultOpener.forgetUnlocked(home)
        return Document([
            "schema": "bskyauth.vault-key/1", "label": .string(name), "change": "passphrase",
        ]) {
            // An only passphrase has the name of its kind.
            let which = name == "passphrase" ? "" : " \(name.escapedForTerminal)"
            context.console.say("changed the passphrase\(which)")
            try context.vaultOpener.sayIfRemembered(home)
        }
    }

    private func name(_ summary: VaultSummary) throws -> String {
        if let label { return label }
        let names = summary.slots.filter { $0.kind == .passphrase }.map(\.name)
        guard let name = names.first else {
            let keys = summary.slots.map(\.name.escapedForTerminal).joined(separator: ", ")
            throw Failure(
                .usage, "no_such_key", "the vault has no passphrase; its keys are \(keys)",
                hint: "bskyauth vault add-key")
        }
        guard names.count == 1 else {
            throw Failure(
                .usage, "key_not_named",
                "the vault has several passphrases; name one of them: \(names.map(\.escapedForTerminal).joined(separator: ", "))",
                hint: "bskyauth vault passwd \(name.escapedForTerminal.shellQuoted)")
        }
        return name
    }
}
