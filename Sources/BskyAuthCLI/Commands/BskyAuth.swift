internal import ArgumentParser

/// The command line.
struct BskyAuth: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bskyauth",
        abstract: "Accounts and OAuth sessions of AT Protocol, for the terminal, scripts and CI.",
        discussion: """
            Log in once, then call: the tokens stay in an encrypted vault, are bound to a key of their own and \
            are refreshed when they have to be, safely from any number of shells.

              bskyauth login alice.example.com
              bskyauth call app.bsky.feed.getTimeline limit==5
            """,
        version: BskyAuthVersion.full,
        subcommands: [
            LoginCommand.self, AccountsCommand.self, SwitchCommand.self, CallCommand.self,
            RefreshCommand.self, LogoutCommand.self, TokenCommand.self, VaultCommand.self,
            ClientCommand.self, DoctorCommand.self, HelpCommand.self,
        ])
}
