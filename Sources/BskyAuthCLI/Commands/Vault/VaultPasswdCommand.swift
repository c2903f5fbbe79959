internal import ArgumentParser
internal import CredentialVault
internal import JSON

struct VaultPasswdCommand: LocalCommand {
    static let configuration = CommandConfiguration(
        commandName: "passwd",
        abstract: "Change a passphrase of the vault.",
        discussion: """
            Any key opens the vault for it. The accounts stay as they are: the passphrase protects the key they \
            are sealed under, and only that is written anew. So whoever has an old copy of the vault and the \
            old passphrase has that key.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var new: NewPassphraseOption

    @Argument(
        help: "The key whose passphrase it is, as vault status calls it; needed where there are several.",
        completion: .vaultKey)
    var label: String?

    func run(_ context: CommandContext) async throws(Failure) {
        let home = try context.vaultDirectory
        let summary = try ErrorPresenter.presenting { () throws(VaultError) in
            try CredentialVault.summary(at: home)
        }
        let name = try name(summary)
        let vault = try context.openVault(withAKey: true)
        let passphrase = try new.read(context)
        try ErrorPresenter.presenting { () throws(VaultError) in
            try vault.changePassphrase(of: name, to: passphrase)
        }
        context.vaultOpener.forgetUnlocked(home)
        if global.json {
            return try context.console.write([
                "schema": "bskyauth.vault-key/1", "label": .string(name), "change": "passphrase",
            ])
        }
        context.console.say("the passphrase \(name.shown) was changed")
    }

    private func name(_ summary: VaultSummary) throws(Failure) -> String {
        if let label { return label }
        let names = summary.slots.filter { $0.kind == .passphrase }.map(\.name)
        guard let name = names.first else {
            let keys = summary.slots.map(\.name.shown).joined(separator: ", ")
            throw Failure(
                .usage, "no_such_key", "no passphrase opens the vault, whose keys are \(keys)",
                hint: "bskyauth vault add-key")
        }
        guard names.count == 1 else {
            throw Failure(
                .usage, "key_not_named",
                "the vault has several passphrases; say which: \(names.map(\.shown).joined(separator: ", "))",
                hint: "bskyauth vault passwd \(name.shown.shellQuoted)")
        }
        return name
    }
}
