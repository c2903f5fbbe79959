internal import ArgumentParser
internal import BskyAuthCore
internal import JSON
internal import OAuth

struct ClientCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client",
        abstract: "Set up your own OAuth client.",
        subcommands: [ClientMetadataCommand.self])
}

struct ClientMetadataCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "metadata",
        abstract: "Print a client metadata document to host.",
        discussion: """
            Host the document at the URL you give, as application/json and without a redirect. Then log in with \
            it: bskyauth login HANDLE --client-id URL
            """)

    @Argument(help: ArgumentHelp("The https URL where you will host the document.", valueName: "url"))
    var clientID: String

    @Option(help: "The name shown on the consent page.")
    var name = "bskyauth"

    @Option(help: "A scope the client may ask for. Repeatable. The scope atproto is always included.")
    var scope: [String] = []

    @OptionGroup var global: GlobalOptions

    var usesCryptography: Bool { false }

    func run(_ context: CommandContext) async throws {
        let clientID = try ClientIDOption.validated(self.clientID)
        let metadata = ClientMetadata(
            clientID: clientID, name: name, scope: RequestedScope.make(scope, default: context.settings.scope)
        )
        try context.console.write(readable: metadata.json)
    }
}
