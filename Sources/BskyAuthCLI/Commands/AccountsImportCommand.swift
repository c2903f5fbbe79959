internal import ArgumentParser
internal import BskyAuthCore
internal import CredentialVault
internal import JSON
internal import Platform

struct AccountsImportCommand: OnlineCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import an account that was exported from another machine.",
        discussion: """
            The account keeps its UUID, label and session. If there is no vault yet, one is created. Delete the \
            bundle afterwards: it no longer works after the next refresh of the session.
            """)

    @Argument(help: "The bundle; - reads it from standard input.", completion: .file())
    var file: String

    @OptionGroup var bundle: BundleOptions

    @Option(
        help: ArgumentHelp(
            "Refuse a bundle with a lower generation (exit status 75). See bskyauth-ci(7).",
            valueName: "number"))
    var minGeneration: UInt64?

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext, _ servers: ServerAccess) async throws {
        // Open the bundle first, so that an unusable bundle leaves no new vault behind.
        let sealed = try read()
        let key = try bundle.source(context, isNew: false)
        let account: PortableAccount
        do {
            account = try SealedBundle(reading: sealed).open(with: key)
        } catch let error {
            throw ErrorPresenter.failure(error, opening: file)
        }
        if let minGeneration, account.generation < minGeneration {
            throw ErrorPresenter.superseded(account.generation, by: minGeneration)
        }
        // The policy before the vault: a setting that is not valid leaves no vault behind.
        let policy = try servers.policy()
        let accounts = try context.accounts(createsVault: true)
        let added = try ImportFlow(into: accounts, policy).add(account)
        context.console.say("imported: \(AccountText.name(added.profile))\(added.isActive ? ", active" : "")")
        if let note = try AccountText.sharedLabel(of: added.profile, in: accounts) {
            context.console.say(note)
        }
        if file != "-" {
            context.console.say(
                "  the bundle is no longer needed:  rm \(file.escapedForTerminal.shellQuoted)")
        }
        guard global.json else { return }
        try context.console.write([
            "schema": "bskyauth.import/1",
            "account": AccountText.json(
                added.profile, added.session, isActive: added.isActive, now: context.now),
        ])
    }

    private func read() throws -> [UInt8] {
        do {
            return try InputFile.read(file == "-" ? "/dev/stdin" : file, limit: SealedBundle.limit)
        } catch let error {
            throw Failure(
                .failure, "bundle_unreadable",
                "the bundle \(file.escapedForTerminal) can't be read: \(error.reason)",
                hint: "ls -l \(file.escapedForTerminal.shellQuoted)")
        }
    }
}
