internal import ATPJSON
internal import ATPPlatform
internal import ATProtoGateway
internal import ArgumentParser
internal import BskyAuthCore
internal import BskyAuthLoopback

struct ExecCommand: OnlineCommand {
    static let configuration = CommandConfiguration(
        commandName: "exec",
        abstract: "Run a program that acts as an account, without giving it a token.",
        discussion: """
            A proxy on 127.0.0.1 runs as long as the program. The program logs in there with a secret that is good \
            for this run only, as with an app password: its address is in BSKYAUTH_PROXY_URL, the handle and the \
            secret in BSKYAUTH_PROXY_HANDLE and BSKYAUTH_PROXY_SECRET.

            --read-only and --allow stop mistakes, and programs that know only the proxy. They don't stop a \
            program that runs as you: it can run bskyauth itself. Run code that you don't trust as another user \
            or in a container, as docs/other-programs.md shows.

              bskyauth exec --for env -- ./bot.sh
              bskyauth exec --allow 'repo:app.bsky.feed.post?action=create' -- python3 post.py
            """)

    @OptionGroup var access: AccessOptions

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            """
            Also use the names that others know: env for BLUESKY_HANDLE and the like, goat for a saved session of goat. \
            Repeatable.
            """, valueName: "tool"))
    var conventions: [ChildSettings.Convention] = []

    @Option(
        help: ArgumentHelp(
            "Also set this variable to url, handle or secret. Repeatable.", valueName: "name=what"))
    var set: [String] = []

    @OptionGroup var mirror: MirrorOptions

    @OptionGroup var global: GlobalOptions

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("The program and its arguments, after --.", valueName: "command"))
    var command: [String] = []

    func run(_ context: CommandContext, _ servers: ServerAccess) async throws {
        guard !command.isEmpty else {
            throw Failure.usage("no program is named: bskyauth exec [OPTIONS] -- PROGRAM [ARGUMENTS]")
        }
        let (limits, variables) = (try access.limits(), try variables())
        let core = try servers.sessions(mirror: try mirror.make(context))
        let account = try await context.select(in: core.accounts).account
        try access.tellOfIdleRules(context.console)
        let log = try access.requestLog(context.console)
        context.console.progress.turnOff()
        // A signal after the end of the program waits for refreshes that have begun.
        SignalHold.begin(.ending)
        defer { SignalHold.end(.ending) }
        let ending = try await ProgramProxy.run(
            at: .port(0), for: [account], in: core, access, limits, log: log, context
        ) { service in try await runProgram(service, variables, context) }
        throw ProgramEnded(ending)
    }

    /// The variables of `--set`.
    func variables() throws -> [(name: String, value: ChildSettings.Value)] {
        try set.map { text in
            let name = text.prefix { $0 != "=" }
            guard let value = ChildSettings.Value(rawValue: String(text.dropFirst(name.count + 1))) else {
                throw Failure.usage("--set takes NAME=url, NAME=handle or NAME=secret")
            }
            return (try ChildSettings.checked(String(name)), value)
        }
    }

    private func runProgram(
        _ service: ProgramProxy, _ variables: [(name: String, value: ChildSettings.Value)],
        _ context: CommandContext
    ) async throws -> ChildProcess.Ending {
        guard let url = service.url, let account = service.accounts.first else {
            preconditionFailure("the proxy has no port or no account")
        }
        let settings = ChildSettings(url: url, account: account)
        var environment = ChildSettings.inherited(context.settings.environment)
        environment.merge(settings.own) { $1 }
        if conventions.contains(.env) { environment.merge(settings.usual) { $1 } }
        for (name, value) in variables { environment[name] = settings.value(value) }
        tellOfRemoved(context.settings.environment.keys.filter { environment[$0] == nil }, context.console)
        guard conventions.contains(.goat) else { return try await start(environment) }
        let folder = try stateFolder(
            settings.goatSession(try service.gateway.tokens(for: account, at: service.address)))
        environment["XDG_STATE_HOME"] = folder.path
        context.console.detail("XDG_STATE_HOME is \(folder.path) for this program and those that it starts")
        defer { remove(folder, context.console) }
        return try await start(environment)
    }

    /// Names the variables with a login that the program misses. A person at a terminal is told, because the program may fail without.
    private func tellOfRemoved(_ names: [String], _ console: Console) {
        let logins = names.filter(ChildSettings.isCredential).sorted().map(\.escapedForTerminal)
        guard !logins.isEmpty else { return }
        let words =
            "\(command[0].escapedForTerminal) does not get \(logins.joined(separator: ", ")), which may hold another login"
        if StandardStream.error.isTerminal { console.say(words) } else { console.detail(words) }
    }

    private func remove(_ folder: TemporaryDirectory, _ console: Console) {
        do { try folder.remove() } catch {
            console.say("\(folder.path.escapedForTerminal) could not be removed: \(error.reason)")
        }
    }

    /// A folder for the state of goat, with its saved session.
    private func stateFolder(_ session: JSONValue) throws -> TemporaryDirectory {
        do {
            let folder = try TemporaryDirectory()
            try folder.create("auth-session.json", in: "goat", Array(session.text.utf8))
            return folder
        } catch {
            throw Failure(
                .failure, "temporary_file", "goat's session can't be written: \(error.reason)",
                hint: "name a directory with room for it:  export TMPDIR=DIR")
        }
    }

    private func start(_ environment: [String: String]) async throws -> ChildProcess.Ending {
        do {
            return try await ForegroundProgram.run(command, environment: environment)
        } catch {
            throw notStarted(error)
        }
    }

    /// The next step if a program is not there. The options of exec stay as they are.
    private static func hint(forMissing name: String) -> String {
        let shown = name.escapedForTerminal.shellQuoted
        if name.contains(" ") {
            return "for a whole line of the shell, write after the same options:  -- sh -c \(shown)"
        }
        if name.contains("/") {
            return "a script needs the interpreter that its first line names:  head -1 \(shown)"
        }
        return "if it is a command of the shell, write after the same options:  -- sh -c \(shown)"
    }

    private func notStarted(_ error: SystemError) -> Failure {
        let name = command[0].escapedForTerminal
        let message = "\(name) can't be started: \(error.reason)"
        guard error.isMissing else {
            return Failure(
                .programNotStarted, "program_not_started", message,
                hint: "see whether you may run it:  ls -l \(name.shellQuoted)"
            )
        }
        return Failure(
            .programNotFound, "program_not_found", message, hint: Self.hint(forMissing: command[0]))
    }
}

extension ChildSettings.Convention: ExpressibleByArgument {}

/// That the program has ended, whose exit status is that of this process.
struct ProgramEnded: Error {
    let status: Int32

    init(_ ending: ChildProcess.Ending) {
        switch ending {
        case .exited(let status): self.status = status
        case .signalled(let signal): status = 128 + signal
        case .timedOut, .interrupted: status = 128
        }
    }
}
