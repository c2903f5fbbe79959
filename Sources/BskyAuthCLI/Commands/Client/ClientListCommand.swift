internal import ATProtoVault
internal import ArgumentParser
internal import BskyAuthCore
internal import FoundationEssentials

struct ClientListCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the clients of your own.")

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext) async throws -> Document {
        let accounts = try context.accounts()
        let clients = try ClientStore(accounts.vault).all()
        return Document(
            json: { try await ClientText.json(clients, in: accounts) },
            text: { clients.isEmpty ? nil : .table(ClientText.table(clients)) },
            messages: {
                guard clients.isEmpty else { return }
                context.console.say("this vault has no client; to make one: bskyauth help client init")
            })
    }
}

struct ClientRemoveCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a client and its keys from the vault.",
        discussion: """
            Log out of its sessions first. Without its keys they can neither be refreshed nor logged out here. When you also \
            remove the published files, that holds everywhere.
            """)

    @Argument(help: ArgumentHelp("The client.", valueName: "name"))
    var name: String

    @Flag(help: "Remove it although sessions may still need it.")
    var force = false

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext) async throws -> Document {
        let accounts = try context.accounts()
        let clients = ClientStore(accounts.vault)
        let client = try clients.find(name)
        let sessions = try await ClientSessions(accounts, client)
        if !force, client.keys.contains(where: { sessions.mayNeed($0, at: context.now) }) {
            let question =
                "Sessions of \(client.name.escapedForTerminal) can then neither be refreshed nor logged out. Remove it?"
            guard let answer = try context.answer(to: question) else {
                throw ErrorPresenter.clientMayBeNeeded(client)
            }
            guard answer else { throw Failure(.declined, "declined", "nothing was removed") }
        }
        try await clients.remove(client.id)
        return Document(
            json: { try await ClientText.json(clients.all(), in: accounts) },
            afterwards: {
                context.console.say("removed the client \(client.name.escapedForTerminal) and its keys")
                if client.isPublished {
                    context.console.say(
                        "if its files are published at \(client.base.escapedForTerminal), remove them there")
                }
            })
    }
}
