internal import ATPJSON
internal import ATPPlatform
internal import ATProtoIdentity
internal import ATProtoSessions
internal import ATProtoVault
internal import ArgumentParser
internal import BskyAuthCore
internal import FoundationEssentials
internal import OAuthDPoP

struct AccountsExportCommand: OnlineCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Export an account to an encrypted file, to move it to another machine.",
        discussion: """
            The account is removed from this vault after the file (the bundle) is safely on disk. Two machines \
            must not refresh the same session: the server would end it. On the other machine, run: \
            bskyauth accounts import FILE

              bskyauth accounts export bot --to bot.bundle --recipient-key ci.key
              bskyauth accounts export --all --to bundles --recipient-key laptop.key
            """)

    enum Mode: EnumerableFlag {
        case move, copy

        static func help(for value: Mode) -> ArgumentHelp? {
            switch value {
            case .move: "Remove the account from this vault after the export."
            case .copy:
                "Keep the account in this vault too. The machine that refreshes second ends the session on both."
            }
        }
    }

    @Argument(help: ArgumentHelp("The account.", valueName: "account"), completion: .account)
    var selector: String?

    @Flag(help: "Export every account, each to a bundle of its own.")
    var all = false

    @Option(
        help: ArgumentHelp(
            "The file to create. It must not exist. With --copy, - writes to standard output. With --all, the directory for the bundles, which is made if it does not exist.",
            valueName: "file"),
        completion: .file())
    var to: String

    @OptionGroup var bundle: BundleOptions

    @Flag var mode = Mode.move

    @Flag(help: "Export the session even if other accounts here use the same client key.")
    var shareClientKey = false

    @OptionGroup var global: GlobalOptions

    private var isToOutput: Bool { to == "-" }

    func validate() throws {
        if selector == nil, !all {
            throw ValidationError("name the account to export, or add --all")
        }
        if all, selector != nil { throw ValidationError("name an account or use --all, not both") }
        if all, mode == .copy { throw ValidationError("--all moves accounts; for a copy, name the account") }
        if all, isToOutput { throw ValidationError("--all needs a directory: --to DIRECTORY") }
    }

    func run(_ context: CommandContext, _ servers: ServerAccess) async throws {
        guard let selector else { return try await exportAll(context, servers) }
        if isToOutput { try checkOutput(selector) }
        let core = try servers.local()
        let id = try await context.one(selector, in: core.accounts).id
        let active = ActiveText.current(core.accounts)
        if !isToOutput { try SealedBundle.requireRoom(for: to) }
        // The last step before the export, because the user may have to choose a passphrase.
        let key = try bundle.source(context, isNew: true)
        let exported =
            if isToOutput {
                try await copy(id, core, key, context)
            } else {
                try await ExportFlow(core).export(
                    id, to: to, for: key, keepsAccount: mode == .copy,
                    sharesKey: shareClientKey, lockTimeout: context.lockTimeout)
            }
        let (account, session) = (exported.account, exported.session)
        tell(exported, in: to, core, context)
        if mode == .move, active != nil, ActiveText.current(core.accounts) == nil {
            context.console.say(ActiveText.afterLogout(core.accounts))
        }
        context.console.say(nextStep(context))
        if mode == .copy {
            let name = AccountText.selector(account, in: core.accounts)
            context.console.say("  then here:  bskyauth logout --local-only \(name)")
        }
        guard global.json else { return }
        let present = try core.accounts.activeIfReadable()
        try context.console.write([
            "schema": "bskyauth.export/1",
            "account": AccountText.json(
                account, session, unclear: nil, isActive: account.id == present.current, now: context.now),
            "file": .string(to),
            "moved": .bool(mode == .move),
        ])
    }

    /// The command that imports what was exported.
    func nextStep(_ context: CommandContext) -> String {
        "  on the other machine:  bskyauth accounts import \(to.escapedForTerminal.shellQuoted)"
            + bundle.openingWords(context.settings)
    }

    /// Says where an account is now, and what the user should know of its bundle.
    func tell(
        _ exported: ExportFlow.Exported, in file: String, _ core: LocalEnvironment, _ context: CommandContext
    ) {
        let name = AccountText.name(exported.account)
        let shown = file.escapedForTerminal
        switch exported.mirror {
        case .behind:
            context.console.say(
                "earlier bundles of \(name) no longer work: "
                    + "if you keep one, for example in a secret store, replace it with this one")
        case .current where mode == .move:
            context.console.say(
                "warning: another bundle has this session of \(name), in the secret store of --after-rotation or in the file "
                    + "that was imported here. Delete that bundle: the machine that refreshes second ends the session on both"
            )
        case .none, .current: break
        }
        if exported.isReadableByOthers {
            context.console.say(
                "warning: others can read \(shown), because its file system keeps no permissions. The "
                    + "bundle is encrypted, but copy it to another place soon")
        }
        if let error = exported.keyStays {
            context.console.say(
                "warning: the client key of \(name) is in \(shown) now, and could not be removed from this "
                    + "vault: \(ErrorPresenter.failure(for: error).message)")
        }
        switch mode {
        case .move:
            let name = AccountText.removedName(exported.account, from: core.accounts)
            context.console.say("moved: \(name) is now in \(shown) and no longer in this vault")
        case .copy:
            context.console.say(
                "copied: \(name) is in \(isToOutput ? "the bundle" : shown) and in this vault; the machine that "
                    + "refreshes second ends the session on both, so import it only when you stop using it here"
            )
        }
    }

    // MARK: Standard output

    /// Standard output accepts only copies, because a pipe does not tell whether the bundle arrived.
    private func checkOutput(_ selector: String) throws {
        let copy =
            "bskyauth accounts export \(selector.escapedForTerminal.shellQuoted) --to - --copy\(bundle.words)"
        if mode == .move {
            throw Failure(
                .usage, "usage",
                "--to - needs --copy: a pipe does not tell whether the bundle arrived, so the account can't be removed from "
                    + "this vault",
                hint: copy)
        }
        if global.json {
            throw Failure(
                .usage, "usage", "--to - and --json both write to standard output; use one of them",
                hint: copy)
        }
        if StandardStream.output.isTerminal {
            throw Failure(
                .usage, "bundle_to_terminal",
                "standard output is a terminal; a bundle is binary and was not printed",
                hint: "use --to FILE, or send the output to a pipe or a file")
        }
    }

    private func copy(
        _ account: UUID, _ core: LocalEnvironment, _ key: KeySource, _ context: CommandContext
    ) async throws -> ExportFlow.Exported {
        let (sealed, exported) = try await ExportFlow(core).copy(
            account, for: key, sharesKey: shareClientKey, lockTimeout: context.lockTimeout)
        do {
            try context.console.write(sealed.bytes)
        } catch let failure as Failure where failure.status == .done {
            // A reader may close the pipe of a listing at any time, but half a bundle is of no use.
            throw Failure(
                .failure, "output_failed", "the reader closed the pipe before the whole bundle was written",
                hint: "run the command again")
        }
        return exported
    }
}
