internal import ArgumentParser

struct ClientCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client",
        abstract: "Set up an OAuth client of your own, whose sessions last two years.",
        discussion: """
            Without a client of your own, a session ends 14 days after login. A client with a key and a static web \
            page lasts two years, if it is used every three months. Start with: bskyauth client init
            """,
        subcommands: [
            ClientInitCommand.self, ClientCheckCommand.self, ClientWriteCommand.self, ClientKeysCommand.self,
            ClientRotateCommand.self, ClientJoinCommand.self, ClientListCommand.self,
            ClientRemoveCommand.self,
        ])
}
