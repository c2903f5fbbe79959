internal import ArgumentParser
internal import BskyAuthCore
internal import CredentialVault
internal import FoundationEssentials
internal import JSON

struct VaultRekeyCommand: LocalCommand {
    static let configuration = CommandConfiguration(
        commandName: "rekey",
        abstract: "Seal everything anew under another vault key.",
        discussion: """
            For when somebody may have learned the key of the vault: with an old copy of it and a key that was \
            removed or changed since. The key that opens the vault for this stays one of its keys; another one \
            stays only if it is named too. What is interrupted is finished by the next vault rekey, and \
            nothing is lost meanwhile. The tokens themselves stay the same: for new ones log out and in.
            """)

    @OptionGroup var global: GlobalOptions

    @Option(
        name: .customLong("keep-key-file"),
        help: ArgumentHelp("Another key file that is to open the vault still; repeatable.", valueName: "file")
    )
    var keyFiles: [String] = []

    @Option(
        name: .customLong("keep-passphrase-file"),
        help: ArgumentHelp(
            "A file whose first line is another passphrase that is to open the vault still; repeatable.",
            valueName: "file"))
    var passphraseFiles: [String] = []

    @Flag(name: .shortAndLong, help: "Do not ask before keys of the vault are left behind.")
    var yes = false

    func run(_ context: CommandContext) async throws(Failure) {
        let home = try context.vaultDirectory
        var (vault, key) = try context.vaultOpener.openWithItsKey(home)
        let resumes = vault.isRekeying
        var dropped: [String] = []
        if resumes {
            guard keyFiles.isEmpty, passphraseFiles.isEmpty else {
                throw .usage("a change of the key is to be finished first, with the keys it was begun with")
            }
            context.console.say("going on with a change of the key that had not ended")
        } else {
            let plan = try plan(vault, key, context)
            dropped = plan.dropped
            vault = try ErrorPresenter.presenting { () throws(VaultError) in try vault.beginRekeying(plan) }
        }
        context.vaultOpener.forgetUnlocked(home)
        try await sealAnew(vault, context)
        let summary = try ErrorPresenter.presenting { () throws(VaultError) in
            try CredentialVault.summary(at: home)
        }
        if global.json {
            return try context.console.write([
                "schema": "bskyauth.vault-rekey/1", "accounts": JSONValue(summary.accounts),
                "resumed": .bool(resumes), "keys": .array(summary.slots.map { .string($0.name) }),
                "removed_keys": .array(dropped.map { .string($0) }),
            ])
        }
        let names = summary.slots.map(\.name.shown).joined(separator: ", ")
        context.console.say(
            resumes
                ? "the change of the key is finished; the vault opens with \(names)"
                : "the vault has a new key, which opens with \(names)")
    }

    private func plan(
        _ vault: CredentialVault, _ key: KeySource, _ context: CommandContext
    ) throws(Failure) -> RekeyingPlan {
        // A file that does not open now would keep the old key in the vault.
        let check = try ErrorPresenter.presenting { () throws(VaultError) in try vault.check() }
        if let failure = ErrorPresenter.failure(check) { throw failure }
        var sources = [key] + keyFiles.map { .keyFile(path: $0) }
        for path in passphraseFiles { sources.append(.passphrase(try PassphraseReader.fromFile(path))) }
        let plan = try ErrorPresenter.presenting { () throws(VaultError) in
            try vault.planRekeying(keeping: sources)
        }
        guard !plan.dropped.isEmpty, !yes else { return plan }
        let names = plan.dropped.map(\.shown).joined(separator: ", ")
        guard try context.confirm("Let the vault open no longer with \(names)?") else {
            throw Failure(
                .declined, "declined", "the key of the vault was not changed",
                hint: "bskyauth vault rekey --keep-key-file FILE --keep-passphrase-file FILE")
        }
        return plan
    }

    private func sealAnew(_ vault: CredentialVault, _ context: CommandContext) async throws(Failure) {
        let progress = context.console.progress
        let failures = try await ErrorPresenter.presenting { () async throws(CoreError) in
            try await AccountStore(vault: vault).sealAnew(lockTimeout: context.lockTimeout) { done, count in
                progress.show("\(done) of \(count) accounts")
            }
        }
        progress.clear()
        guard let first = failures.first.map({ ErrorPresenter.failure($0.error) }) else { return }
        if !global.json {
            for (_, error) in failures { context.console.report(ErrorPresenter.failure(error)) }
        }
        throw Failure(
            first.status, first.code,
            "\(failures.count) accounts are still sealed under the key before, which stays for them",
            hint: "bskyauth vault rekey", account: failures.first?.id.shown)
    }
}
