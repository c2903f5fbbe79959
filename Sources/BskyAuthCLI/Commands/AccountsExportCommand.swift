internal import ATProto
internal import ArgumentParser
internal import BskyAuthCore
internal import CredentialVault
internal import FoundationEssentials
internal import JSON
internal import OAuth
internal import Platform

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
        help: ArgumentHelp(
            "The file to write, which must not be there yet; with --copy, - for standard output.",
            valueName: "file"),
        completion: .file())
    var to: String

    @OptionGroup var bundle: BundleOptions

    @Flag var mode = Mode.move

    private var isToOutput: Bool { to == "-" }

    func run(_ context: CommandContext) async throws(Failure) {
        if isToOutput { try checkOutput() }
        let key = try bundle.source(context, isNew: true)
        let core = try context.core()
        let exported =
            if isToOutput {
                try await copy(core, key, context)
            } else {
                try await export(core, key, context)
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
                "copied: \(name) is in \(isToOutput ? "the bundle" : to.shown) and here; once it is imported, "
                    + "whichever machine refreshes second ends the session of both")
        }
        context.console.say(
            "  on the other machine:  bskyauth accounts import \(to.shown.shellQuoted)"
                + bundle.openingWords(context.settings))
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

    private func export(
        _ core: CoreEnvironment, _ key: KeySource, _ context: CommandContext
    ) async throws(Failure) -> ExportFlow.Exported {
        let account = try context.one(selector, in: core.accounts).id
        return try await ErrorPresenter.presenting { () async throws(CoreError) in
            try await ExportFlow(core).export(
                account, to: to, for: key, keepsAccount: mode == .copy,
                lockTimeout: context.lockTimeout)
        }
    }

    // MARK: Standard output

    /// Standard output takes copies alone: a pipe does not say whether anybody kept what it took.
    private func checkOutput() throws(Failure) {
        let copy = "bskyauth accounts export \(selector.shown.shellQuoted) --to - --copy\(bundle.words)"
        if mode == .move {
            throw Failure(
                .usage, "usage",
                "a pipe does not say whether the bundle arrived, and a move would take the account out of "
                    + "this vault",
                hint: copy)
        }
        if global.json {
            throw Failure(
                .usage, "usage", "standard output takes the bundle or what --json prints, not both",
                hint: copy)
        }
        if StandardStream.output.isTerminal {
            throw Failure(
                .usage, "bundle_to_terminal", "the bundle is of use to no terminal, and this is one",
                hint: "say --to FILE, or pipe it somewhere")
        }
    }

    private func copy(
        _ core: CoreEnvironment, _ key: KeySource, _ context: CommandContext
    ) async throws(Failure) -> ExportFlow.Exported {
        let account = try context.one(selector, in: core.accounts).id
        let (sealed, exported) = try await ErrorPresenter.presenting { () async throws(CoreError) in
            try await ExportFlow(core).copy(account, for: key, lockTimeout: context.lockTimeout)
        }
        do throws(Failure) {
            try context.console.write(sealed.bytes)
        } catch {
            // Who has seen enough of a listing may close the pipe; half a bundle is of no use.
            guard error.status == .done else { throw error }
            throw Failure(
                .failure, "output_failed", "the reader closed the pipe before it had the bundle",
                hint: "run the command again")
        }
        return exported
    }
}
