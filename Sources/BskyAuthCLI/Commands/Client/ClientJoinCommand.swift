internal import ATPNetworking
internal import ATProtoOAuth
internal import ATProtoVault
internal import ArgumentParser
internal import BskyAuthCore
internal import FoundationEssentials
internal import OAuthDPoP

struct ClientJoinCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "join",
        abstract: "Use a client that is published from another machine, with a key of this one.",
        discussion: """
            Makes a key in this vault and prints its public half. Take it to the machine that publishes the client: bskyauth \
            client keys NAME add LABEL --public FILE, then bskyauth client write NAME. When that machine has published the \
            files, servers take logins from here after 10 minutes to an hour.
            """)

    @Argument(help: ArgumentHelp("The https URL of the client.", valueName: "url"))
    var url: String

    @Option(help: ArgumentHelp("Your name for the client (default: the host of the URL).", valueName: "name"))
    var name: String?

    @Option(help: ArgumentHelp("Your name for this machine's key.", valueName: "label"))
    var keyLabel = "main"

    @Option(help: "A scope that logins ask for. Repeatable. The document of the client must have it.")
    var scope: [String] = []

    @OptionGroup var permissions: PermissionOptions

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext) async throws {
        let base = try ClientURL.base(url)
        let scope = try permissions.declared(scope, context.console)
        let host = (try? HTTPURL(validating: base))?.origin.host ?? base
        let key = try ClientKey(random: ())
        let client = HostedClient(
            name: try ClientURL.name(name ?? host), kind: .web, base: base, displayName: "bskyauth",
            scope: scope, isPublished: false,
            keys: [
                HostedClient.Key(
                    label: try ClientURL.keyLabel(keyLabel), publicKey: key.publicKey, secret: key,
                    addedAt: context.now)
            ])
        let clients = ClientStore(try context.accounts(createsVault: true).vault)
        do { try await clients.add(client) } catch CoreError.clientExists(let present)
            where present.base == base && !present.isPublished
        {
            // Another key for this machine.
            try await clients.change(present.id) { try $0.addNamed(key, keyLabel, at: context.now) }
        }
        try context.console.write(readable: key.publicKey.documentEntry)
        context.console.say(
            "made a key for \(client.name.escapedForTerminal). Take its public half, which is above, to the machine that "
                + "publishes the client, add it there, and publish the files that the second command writes:\n"
                + "  bskyauth client keys NAME add LABEL --public FILE\n  bskyauth client write NAME\n"
                + "log in here 10 minutes to an hour after that")
    }
}
