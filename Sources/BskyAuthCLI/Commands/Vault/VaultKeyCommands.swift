internal import ATPCryptography
internal import ATPJSON
internal import ATProtoVault
internal import ArgumentParser
internal import BskyAuthCore

struct VaultAddKeyCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "add-key",
        abstract: "Add a passphrase or key file that opens the vault.",
        discussion: """
            Needs a key that already opens the vault: one that is named as for every command, or the passphrase \
            typed at the terminal. Afterwards the new key opens the vault too.
            """)

    @OptionGroup var new: NewPassphraseOption

    @Option(
        help: ArgumentHelp(
            "The key file to add. It is created if it does not exist. Without this option, a passphrase is added.",
            valueName: "file"),
        completion: .file())
    var newKeyFile: String?

    @Option(help: "The name of the key in vault status and vault remove-key.")
    var label: String?

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext) async throws -> Document {
        guard newKeyFile == nil || new.newPassphraseFile == nil else {
            throw Failure.usage("use --new-key-file or --new-passphrase-file, not both")
        }
        let label: String? = if let label { try AccountLabel.validated(label) } else { nil }
        let vault = try context.openVault(withAKey: true)
        let source: KeySource =
            if let newKeyFile {
                .keyFile(path: newKeyFile)
            } else {
                .passphrase(try new.read(context))
            }
        let name = try await vault.addKey(source, named: label)
        context.vaultOpener.warnOfKeyBeside(source, vault.home)
        return Document(["schema": "bskyauth.vault-key/1", "label": .string(name), "change": "added"]) {
            context.console.say("added the key \(name.escapedForTerminal); it opens the vault too")
        }
    }
}

struct VaultRemoveKeyCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove-key",
        abstract: "Remove a passphrase or key file from the vault. The last key can't be removed.",
        discussion: """
            Needs any key that opens the vault. A key file itself is not deleted. The removed key still opens old \
            copies of the vault.
            """)

    @Argument(help: "The name of the key in vault status.", completion: .vaultKey)
    var label: String

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext) async throws -> Document {
        let vault = try context.openVault(withAKey: true)
        let wasRemembered = try CredentialVault.rememberedID(at: vault.home) != nil
        try await vault.removeKey(named: label)
        context.vaultOpener.forgetUnlocked(vault.home)
        return Document([
            "schema": "bskyauth.vault-key/1", "label": .string(label), "change": "removed",
        ]) {
            context.console.say("removed the key \(label.escapedForTerminal); it no longer opens the vault")
            if wasRemembered, try CredentialVault.rememberedID(at: vault.home) == nil {
                context.console.say("to remove it from the desktop keyring too: bskyauth vault forget")
            } else {
                try context.vaultOpener.sayIfRemembered(vault.home)
            }
        }
    }
}

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

struct VaultRememberCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "remember",
        abstract: "Let the keyring of your desktop session open the vault.",
        discussion: """
            Adds a key of its own to the vault and stores it in the keyring (Secret Service, by secret-tool). Commands \
            ask the keyring before they ask you for the passphrase, unless --no-input or CI is set. Every program of \
            your desktop session can read this key. To end it: bskyauth vault forget
            """)

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext) async throws -> Document {
        let vault = try context.openVault(withAKey: true)
        let secret: SecretBytes
        do { secret = try SecretBytes(random: 32) } catch { throw VaultError.cryptography(error) }
        // The keyring comes first: if it fails, the vault stays as it is.
        try await context.vaultOpener.keyring.store(secret, of: vault.id, context.console)
        try vault.remember(secret)
        let name = try CredentialVault.summary(at: vault.home).remembered?.name
        return Document(["schema": "bskyauth.vault-key/1", "label": JSONValue(name), "change": "remembered"])
        {
            context.console.say(
                "the keyring of your desktop session now opens the vault; to end this: bskyauth vault forget")
        }
    }
}

struct VaultForgetCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Stop the keyring of your desktop session from opening the vault.",
        discussion: """
            Removes the key of `bskyauth vault remember` from the vault and from the keyring. The vault is locked \
            afterwards. Old copies of the vault still open with that key.
            """)

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext) async throws -> Document {
        let home = try context.vaultDirectory
        let summary = try CredentialVault.summary(at: home)
        // The vault comes first: without its slot, the secret in the keyring opens nothing.
        if let slot = summary.remembered {
            try await context.openVault().removeKey(named: slot.name)
            context.vaultOpener.forgetUnlocked(home)
        }
        let isErased =
            context.settings.hasSessionBus && context.vaultOpener.keyring.removeSecret(of: summary.id)
        return Document([
            "schema": "bskyauth.vault-forget/1", "was_remembered": .bool(summary.remembered != nil),
            "erased": .bool(isErased),
        ]) {
            let vault =
                summary.remembered == nil
                ? "the vault was not remembered" : "the vault is no longer remembered"
            context.console.say(vault + (isErased ? "; its key was removed from the desktop keyring" : ""))
            if summary.remembered != nil, !isErased {
                context.console.say(
                    "the desktop keyring removed no key; a key that it still has opens nothing")
            }
        }
    }
}
