internal import ATPJSON
internal import ATProtoSessions
internal import ATProtoVault
internal import ArgumentParser
internal import BskyAuthCore
internal import FoundationEssentials

struct VaultRekeyCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "rekey",
        abstract: "Encrypt everything again under a new vault key.",
        discussion: """
            Use it if someone may know the vault key, for example from an old copy of the vault and an old \
            passphrase. The key that opens the vault now is kept. Other keys are kept only if you name them. If \
            the command is interrupted, nothing is lost; run it again to finish. The tokens stay the same: to \
            replace them, log out and log in again.
            """)

    @Option(
        name: .customLong("keep-key-file"),
        help: ArgumentHelp("Another key file to keep. Repeatable.", valueName: "file")
    )
    var keyFiles: [String] = []

    @Option(
        name: .customLong("keep-passphrase-file"),
        help: ArgumentHelp(
            "A file whose first line is another passphrase to keep. Repeatable.",
            valueName: "file"))
    var passphraseFiles: [String] = []

    @Flag(name: .shortAndLong, help: "Don't ask before keys are removed.")
    var yes = false

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext) async throws -> Document {
        let home = try context.vaultDirectory
        var (vault, key) = try context.vaultOpener.openWithItsKey(home)
        let resumes = vault.isRekeying
        let wasRemembered = try CredentialVault.rememberedID(at: home) != nil
        var dropped: [String] = []
        if resumes {
            guard keyFiles.isEmpty, passphraseFiles.isEmpty else {
                throw Failure.usage(
                    "an interrupted rekey must be finished first; run bskyauth vault rekey without --keep options"
                )
            }
            context.console.say("resuming an interrupted rekey")
        } else {
            let plan = try plan(vault, key, context)
            dropped = plan.dropped
            vault = try vault.beginRekeying(plan)
        }
        context.vaultOpener.forgetUnlocked(home)
        try await sealAnew(vault, context)
        let summary = try CredentialVault.summary(at: home)
        return Document([
            "schema": "bskyauth.vault-rekey/1", "accounts": JSONValue(summary.accounts),
            "resumed": .bool(resumes), "keys": .array(summary.slots.map { .string($0.name) }),
            "removed_keys": JSONValue(dropped),
        ]) {
            sayKeys(summary, dropped, resumes, context.console)
            if wasRemembered, summary.remembered == nil {
                context.console.say(
                    "the desktop keyring no longer opens the vault; to have it remembered again: bskyauth vault remember"
                )
            }
        }
    }

    private func sayKeys(_ summary: VaultSummary, _ dropped: [String], _ resumes: Bool, _ console: Console) {
        let names = summary.slots.map(\.name.escapedForTerminal).joined(separator: ", ")
        console.say(
            resumes
                ? "the rekey is finished; these keys open the vault: \(names)"
                : "the vault has a new vault key; these keys open it: \(names)")
        if !dropped.isEmpty {
            let removed = dropped.map(\.escapedForTerminal).joined(separator: ", ")
            console.say("removed keys, which no longer open the vault: \(removed)")
        }
    }

    private func plan(
        _ vault: CredentialVault, _ key: KeySource, _ context: CommandContext
    ) throws -> RekeyingPlan {
        // An unreadable file would keep the old key in the vault.
        let check = try vault.check()
        if let failure = ErrorPresenter.failure(check) { throw failure }
        var sources = [key] + keyFiles.map { .keyFile(path: $0) }
        for path in passphraseFiles {
            sources.append(.passphrase(try PassphraseReader.fromFile(path, context.console)))
        }
        let plan = try vault.planRekeying(keeping: sources)
        guard !plan.dropped.isEmpty, !yes else { return plan }
        let names = plan.dropped.map(\.escapedForTerminal).joined(separator: ", ")
        guard try context.confirm("Remove the keys \(names) from the vault?") else {
            throw Failure(
                .declined, "declined", "the vault key was not changed",
                hint: "bskyauth vault rekey --keep-key-file FILE --keep-passphrase-file FILE")
        }
        return plan
    }

    private func sealAnew(_ vault: CredentialVault, _ context: CommandContext) async throws {
        let progress = context.console.progress
        let accounts = VaultAccounts(vault, log: context.console.log)
        let failures = try await accounts.sealAnew(lockTimeout: context.lockTimeout) { done, count in
            progress.show("\(done) of \(count) accounts")
        }
        progress.clear()
        guard let first = failures.first.map({ ErrorPresenter.failure(for: $0.error) }) else { return }
        for (_, error) in failures { context.console.tell(ErrorPresenter.failure(for: error)) }
        throw Failure(
            first.status, first.code,
            "\(failures.count) accounts could not be encrypted again; the old vault key is kept for them",
            hint: "bskyauth vault rekey", account: failures.first?.id.text)
    }
}
