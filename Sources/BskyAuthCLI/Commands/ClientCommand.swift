internal import ArgumentParser
internal import BskyAuthCore
internal import JSON
internal import OAuth

struct ClientCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client",
        abstract: "Be a client with a name of your own.",
        subcommands: [ClientMetadataCommand.self])
}

struct ClientMetadataCommand: LocalCommand {
    static let configuration = CommandConfiguration(
        commandName: "metadata",
        abstract: "Print a client metadata document, ready to host.",
        discussion: """
            Host what is printed at the URL you give, as application/json and without a redirect, then log in \
            with it: bskyauth login HANDLE --client-id URL
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(help: ArgumentHelp("The https URL the document will be hosted at.", valueName: "url"))
    var clientID: String

    @Option(help: "The name that people see on the consent page.")
    var name = "bskyauth"

    @Option(help: "A permission the client may ask for, repeatable; atproto is always among them.")
    var scope: [String] = []

    func run(_ context: CommandContext) async throws(Failure) {
        let clientID = try ClientIDOption.validated(self.clientID)
        let metadata = ClientMetadata(
            clientID: clientID, name: name, scope: RequestedScope.make(scope, default: context.settings.scope)
        )
        try context.console.write(readable: metadata.json)
    }
}
