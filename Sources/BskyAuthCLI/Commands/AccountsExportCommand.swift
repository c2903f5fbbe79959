internal import ATProto
internal import ArgumentParser
internal import BskyAuthCore
internal import CredentialVault
internal import FoundationEssentials
internal import JSON
internal import OAuth

struct AccountsExportCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Move an account to another machine, by way of a sealed file.",
        discussion: """
            The session leaves this vault once the bundle is safe on the disk: two machines that refresh one \
            session lose it. On the other machine: bskyauth accounts import FILE

              bskyauth accounts export bot --to bot.bundle --recipient-key ci.key
            """)

    enum Mode: EnumerableFlag {
        case move, copy

        static func help(for value: Mode) -> ArgumentHelp? {
            switch value {
            case .move: "Take the account out of this vault."
            case .copy: "Leave it here too; whichever machine refreshes second ends the session of both."
            }
        }
    }

    @OptionGroup var global: GlobalOptions

    @Argument(help: ArgumentHelp("The account.", valueName: "account"), completion: .account)
    var selector: String

    @Option(
        help: ArgumentHelp("The file to write, which must not be there yet.", valueName: "file"),
        completion: .file())
    var to: String

    @OptionGroup var bundle: BundleOptions

    @Flag var mode = Mode.move

    func run(_ context: CommandContext) async throws(Failure) {
        let key = try bundle.source(context.settings)
        let core = try context.core()
        let exported = try await ErrorPresenter.presenting { () async throws(CoreError) in
            try await ExportFlow(core).export(
                try core.accounts.find(selector).id, to: to, for: key, keepsAccount: mode == .copy,
                lockTimeout: context.lockTimeout)
        }
        let (profile, session) = (exported.profile, exported.session)
        let name = AccountText.name(profile)
        if exported.storeIsBehind {
            context.console.say(
                "an earlier bundle of \(name) is of no use any more: "
                    + "where one is kept, as in a secret store, replace it with this one")
        }
        switch mode {
        case .move: context.console.say("moved: \(name) is in \(to.shown), and no longer here")
        case .copy:
            context.console.say(
                "copied: \(name) is in \(to.shown) and here; once it is imported, "
                    + "whichever machine refreshes second ends the session of both")
        }
        context.console.say("  on the other machine:  bskyauth accounts import \(to.shown.shellQuoted)")
        guard global.json else { return }
        let active = try ErrorPresenter.presenting { () throws(CoreError) in
            try core.accounts.activeIfReadable()
        }
        try context.console.write([
            "schema": "bskyauth.export/1",
            "account": AccountText.json(
                profile, session, isActive: profile.id == active.current, now: context.now),
            "file": .string(to),
            "moved": .bool(mode == .move),
        ])
    }
}
