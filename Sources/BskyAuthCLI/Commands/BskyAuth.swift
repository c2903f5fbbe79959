internal import ArgumentParser

/// The command line.
struct BskyAuth: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bskyauth",
        abstract:
            "Manage AT Protocol (Bluesky) accounts and OAuth sessions, at a terminal, in scripts and in CI.",
        discussion: """
            Log in once, then make calls. The tokens are stored in an encrypted vault and bound to a key for each \
            session. They are refreshed when needed; any number of shells can use them at the same time.

              bskyauth login alice.example.com
              bskyauth call app.bsky.feed.getTimeline limit=5
            """,
        version: BskyAuthVersion.full,
        subcommands: [
            LoginCommand.self, AccountsCommand.self, WhoamiCommand.self, SwitchCommand.self, CallCommand.self,
            RefreshCommand.self, LogoutCommand.self, ExecCommand.self, ProxyCommand.self,
            TokenCommand.self, ServiceTokenCommand.self, VaultCommand.self, ClientCommand.self,
            ScopesCommand.self,
            ResolveCommand.self, VerifyCommand.self, DoctorCommand.self, CompletionCommand.self,
            HelpCommand.self,
        ])
}
