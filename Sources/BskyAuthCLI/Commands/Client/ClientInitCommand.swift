internal import ATPJSON
internal import ATProtoOAuth
internal import ATProtoVault
internal import ArgumentParser
internal import BskyAuthCore
internal import FoundationEssentials
internal import OAuthDPoP

struct ClientInitCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Make a client: a key in the vault, and the files for a static web host.",
        discussion: """
            Publish the files at the URL, then check them and log in: bskyauth client check NAME, then bskyauth login \
            HANDLE --client NAME. Use a web address that serves nothing else: every page of the same origin could take \
            part in a login. The key of the client is like a password. No command prints it.
            """)

    @Argument(help: ArgumentHelp("Your name for the client.", valueName: "name"))
    var name: String

    @Argument(help: ArgumentHelp("The https URL where the files will be.", valueName: "url"))
    var url: String

    @Option(
        help:
            "A scope that logins ask for, and at most may ask for. Repeatable. The scope atproto is always included."
    )
    var scope: [String] = []

    @OptionGroup var permissions: PermissionOptions

    @Option(help: ArgumentHelp("The name in the document. Most servers do not show it.", valueName: "name"))
    var displayName = "bskyauth"

    @Option(help: ArgumentHelp("Your name for this machine's key.", valueName: "label"))
    var keyLabel = "main"

    @OptionGroup var site: SiteOptions

    @Flag(
        name: .customLong("public"),
        help: "Make a client without a key. Its sessions end after 14 days, and it needs only the document.")
    var isPublic = false

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext) async throws -> Document {
        let base = try ClientURL.base(url)
        let scope = try permissions.declared(scope, context.console)
        let key = isPublic ? nil : try ClientKey(random: ())
        let keys = try key.map {
            HostedClient.Key(
                label: try ClientURL.keyLabel(keyLabel), publicKey: $0.publicKey, secret: $0,
                addedAt: context.now)
        }
        let client = HostedClient(
            name: try ClientURL.name(name), kind: isPublic ? .native : .web, base: base,
            displayName: displayName, scope: scope,
            isPublished: true, keys: keys.map { [$0] } ?? [])
        let accounts = try context.accounts(createsVault: true)
        let clients = ClientStore(accounts.vault)
        try await clients.add(client)
        let directory = try site.write(client, default: nil)
        let made = try await clients.change(client.id) { $0.directory = directory }
        return Document(
            json: { try await ClientText.json([made], in: accounts) },
            afterwards: { say(made, directory, context.console) })
    }

    private func say(_ client: HostedClient, _ directory: String, _ console: Console) {
        let name = client.name.escapedForTerminal.shellQuoted
        console.say(
            "made the client \(client.name.escapedForTerminal); its files are in \(directory.escapedForTerminal)"
        )
        console.say("consent pages will show: \(ClientURL.consentName(of: client))")
        if ClientURL.isOnSharedHost(client) {
            console.say(
                "warning: every site at this host name shares one origin with the client, and its owners could take part "
                    + "in your logins. Better use a host name that serves nothing else")
        }
        console.say(
            "publish the files at \(client.base.escapedForTerminal), then:  bskyauth client check \(name)")
    }
}

/// Where the files of a client's site are written.
struct SiteOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The directory for the files (default: where they were written last, or site).",
            valueName: "directory"), completion: .directory)
    var out: String?

    @Flag(help: "Add a workflow for GitHub Pages beside the directory, in .github/workflows.")
    var github = false

    /// Writes the files.
    ///
    /// - Returns: the directory, absolute.
    func write(_ client: HostedClient, keeping others: [JSONValue] = [], default: String?) throws -> String {
        try SiteFiles(client: client, others: others, hasWorkflow: github).write(
            to: out ?? `default` ?? "site")
    }
}
