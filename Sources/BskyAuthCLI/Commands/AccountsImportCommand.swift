internal import ATPJSON
internal import ATPPlatform
internal import ATProtoVault
internal import ArgumentParser
internal import BskyAuthCore
internal import OAuthDPoP

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
        if let client = ImportFlow.client(in: account) { try await requirePublished(client, servers) }
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

    /// Refuses a client whose document lacks the key of the bundle. A document that can't be fetched refuses nothing: a job
    /// should not fail because its web host does.
    private func requirePublished(_ client: HostedClient, _ servers: ServerAccess) async throws {
        let network = try servers.environment(try servers.network())
        let document: PublishedDocument?
        do { document = try await ClientSite(network).document(of: client) } catch is any KnownError {
            document = nil
        }
        guard let document else {
            return servers.context.console.say(
                "the document of the client at \(client.clientID.description.escapedForTerminal) is not published, or can't be fetched now. So it "
                    + "is not known whether the key of this session is published")
        }
        for key in client.keys where !document.keys.contains(key.publicKey) {
            throw CoreError.clientKeyNotPublished(client.clientID, keyID: key.id)
        }
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
