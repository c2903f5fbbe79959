internal import ATProto
internal import ArgumentParser
internal import BskyAuthCore
internal import JSON
internal import Networking
internal import OAuth

struct LoginCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Log in to an account through the browser.",
        discussion: """
            Opens the sign-in page of the account's own server and waits for the answer on this machine. The \
            first account becomes the active one. Logging in again to the same account and label replaces its \
            session once the new one is saved.
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(help: ArgumentHelp("A handle, a DID, or the URL of a server.", valueName: "handle|did|url"))
    var identifier: String?

    @Option(
        help: ArgumentHelp(
            "A name of your own for the account; one account may have several, as work and ci.",
            valueName: "name"))
    var label: String?

    @Option(help: "A permission to ask for, repeatable; atproto is always asked for.")
    var scope: [String] = []

    @Option(
        name: .customLong("client-id"),
        help: ArgumentHelp("The URL of a hosted client metadata document.", valueName: "url"))
    var clientID: String?

    @Flag(help: "Log in with an app password, from the terminal or standard input, instead of the browser.")
    var appPassword = false

    @Flag(help: "Print the URL and open nothing.")
    var noBrowser = false

    @Option(
        help: ArgumentHelp(
            "The command that opens the URL, instead of BSKYAUTH_BROWSER, BROWSER or xdg-open.",
            valueName: "command"))
    var browser: String?

    @Option(help: "The port to listen on, or a range, as 8400-8410.")
    var port: PortRange?

    @Option(help: ArgumentHelp("How long to wait for the browser.", valueName: "time"))
    var timeout: TimeLength = TimeLength(.seconds(600))

    @Flag(name: .customLong("switch"), help: "Make the account the active one even if another is.")
    var makesActive = false

    func validate() throws {
        guard (1...600).contains(timeout.seconds) else { throw ValidationError("--timeout takes 1s to 10m") }
    }

    func run(_ context: CommandContext) async throws(Failure) {
        do throws(Failure) {
            let (outcome, accounts) =
                appPassword ? try await byPassword(context) : try await byBrowser(context)
            try report(outcome, accounts, context)
        } catch {
            throw naming(error)
        }
    }

    /// The failure with a next step that names the account as it was named, unless the name is what is wrong.
    private func naming(_ failure: Failure) -> Failure {
        guard let identifier, failure.status != .unknownAccount else { return failure }
        var words = [identifier] + (label.map { ["--label", $0] } ?? [])
        for value in scope { words += ["--scope", value] }
        if let clientID { words += ["--client-id", clientID] }
        if appPassword, failure.hint?.contains("--app-password") == false { words.append("--app-password") }
        let named = words.map(\.shown.shellQuoted).joined(separator: " ")
        var failure = failure
        failure.hint = failure.hint?.replacing("login HANDLE", with: "login \(named)")
        return failure
    }

    private func byBrowser(
        _ context: CommandContext
    ) async throws(Failure) -> (LoginOutcome, AccountStore) {
        let request = LoginRequest(
            identifier: try await loginIdentifier(context),
            label: try validLabel(),
            scope: RequestedScope.make(scope, default: context.settings.scope),
            client: try client(context),
            ports: port?.ports,
            timeout: timeout.duration,
            makesActive: makesActive)
        let browser = BrowserPresenter(
            console: context.console, isDisabled: noBrowser,
            browser: BrowserCommand(
                command: browser ?? context.settings.browser, environment: context.settings.environment),
            mayAsk: context.mayAsk)
        let core = try context.core(
            .init(createsVault: true, browser: browser, redirects: LoopbackRedirectReceiver()))
        let outcome = try await ErrorPresenter.presenting { () async throws(CoreError) in
            try await LoginFlow(core).run(request)
        }
        return (outcome, core.accounts)
    }

    private func byPassword(
        _ context: CommandContext
    ) async throws(Failure) -> (LoginOutcome, AccountStore) {
        let identifier: ATIdentifier
        switch try await loginIdentifier(context) {
        case .handle(let handle): identifier = .handle(handle)
        case .did(let did): identifier = .did(did)
        case .server: throw .usage("an app password needs a handle or DID, not a server")
        }
        let label = try validLabel()
        let core = try context.core(.init(createsVault: true))
        let password = try AppPasswordReader(context: context).read()
        let outcome = try await ErrorPresenter.presenting { () async throws(CoreError) in
            try await PasswordLoginFlow(core).run(
                identifier, password: password, label: label, makesActive: makesActive
            ) {
                context.console.say("the server has e-mailed a code")
                return (try? context.ask("Code: ")) ?? nil
            }
        }
        return (outcome, core.accounts)
    }

    private func loginIdentifier(_ context: CommandContext) async throws(Failure) -> LoginIdentifier {
        var given = identifier
        if given == nil { given = try context.ask("Handle, DID or server URL: ") }
        guard let text = given else {
            throw .usage("say which account: bskyauth login HANDLE")
        }
        do {
            return try LoginIdentifier(parsing: text)
        } catch {
            throw .usage("\"\(text.shown)\" is no handle, DID or server URL")
        }
    }

    /// The hosted client that is named, if one is.
    private func client(_ context: CommandContext) throws(Failure) -> ClientID? {
        guard let text = clientID ?? context.settings.clientID else { return nil }
        return try ClientIDOption.validated(text)
    }

    private func validLabel() throws(Failure) -> String? {
        guard let label else { return nil }
        return try AccountLabel.validated(label)
    }

    private func report(
        _ outcome: LoginOutcome, _ accounts: AccountStore, _ context: CommandContext
    ) throws(Failure) {
        let profile = outcome.account
        if global.json {
            try context.console.write([
                "schema": "bskyauth.login/1",
                "account": AccountText.json(
                    profile, outcome.session, isActive: outcome.isActive, now: context.now),
                "replaced_session": .bool(outcome.replacedSession),
            ])
        }
        let console = context.console
        console.say("logged in: \(AccountText.name(profile))")
        if !outcome.missingScopes.isEmpty {
            console.say("not granted: \(outcome.missingScopes.map(\.shown).joined(separator: " "))")
        }
        if outcome.isActive {
            console.say("this account is active")
        } else {
            console.say(ActiveText.afterLogin(to: profile, accounts))
        }
    }
}
