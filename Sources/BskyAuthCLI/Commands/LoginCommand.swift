internal import ATPJSON
internal import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoOAuth
internal import ATProtoSessions
internal import ATProtoVault
internal import ATProtoXRPC
internal import ArgumentParser
internal import BskyAuthCore
internal import OAuthDPoP

struct LoginCommand: OnlineCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Log in to an account in the browser.",
        discussion: """
            Opens the sign-in page of the account's server and waits until you have signed in. The first account \
            becomes the active account. Logging in again to the same account and label replaces its session \
            after the new one is saved.
            """)

    @Argument(
        help: ArgumentHelp(
            "A handle, a DID, or the URL of a server. Without it, you are asked.", valueName: "handle|did|url"
        ))
    var identifier: String?

    @Option(
        help: ArgumentHelp(
            "Your name for this session. One account can have several, for example work and ci.",
            valueName: "name"))
    var label: String?

    @Option(
        help:
            """
            A scope to ask for, for example repo:app.bsky.feed.post, or a permission set. Repeatable. The scope atproto is always \
            included (default: atproto transition:generic).
            """
    )
    var scope: [String] = []

    @OptionGroup var permissions: PermissionOptions

    @OptionGroup var client: ClientOptions

    @OptionGroup var backend: BackendOptions

    @Flag(
        help:
            "Log in with an app password instead of the browser. It is read from the terminal or standard input."
    )
    var appPassword = false

    @Flag(help: "Print the sign-in URL and open no browser.")
    var noBrowser = false

    @Option(
        help: ArgumentHelp(
            "The command that opens the URL. It overrides BSKYAUTH_BROWSER, BROWSER and xdg-open.",
            valueName: "command"))
    var browser: String?

    @Option(help: "The port to listen on, or a range such as 8400-8410.")
    var port: PortRange?

    @Option(help: ArgumentHelp("How long to wait for the sign-in, from 1s to 10m.", valueName: "time"))
    var timeout: TimeLength = TimeLength(.seconds(600))

    @Flag(name: .customLong("switch"), help: "Make this the active account.")
    var makesActive = false

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        guard (1...600).contains(timeout.seconds) else {
            throw ValidationError("--timeout takes a time from 1s to 10m")
        }
        if backend.clientAssertions != nil, appPassword || client.named != nil || client.clientKey != nil {
            throw ValidationError(
                "--client-assertions goes without --client, --client-key and --app-password")
        }
        if scope.contains(where: { $0.allSatisfy(\.isWhitespace) }) {
            throw ValidationError("--scope takes a scope; an empty one asks for no permission")
        }
        if appPassword, !scope.isEmpty || !permissions.permission.isEmpty {
            throw ValidationError(
                "no scope limits an app password; leave out --scope and --permission")
        }
    }

    func run(_ context: CommandContext, _ servers: ServerAccess) async throws -> Document {
        if let account = global.account { throw ErrorPresenter.loginOfOption(account, identifier) }
        let sets = try await permissions.lexicons(context, servers)
        let scope = try scope + permissions.scopes(sets)
        do {
            let (outcome, accounts) =
                appPassword
                ? try await byPassword(context, servers) : try await byBrowser(scope, sets, context, servers)
            return document(outcome, accounts, context)
        } catch let refused as any LoginRefusal {
            throw naming(refused.failure, refused.nextScopes)
        } catch let error as any KnownError {
            var failure = ErrorPresenter.failure(for: error)
            if let error = error as? DiscoveryError, error.isAbsentProtectedResource {
                failure.hint = "if the server does not offer OAuth:  bskyauth login HANDLE --app-password"
            }
            guard case SessionFailure.nothingGranted(let asked, _) = error,
                ScopeOption.corrected(asked) != asked
            else {
                throw naming(failure)
            }
            throw naming(failure, ScopeOption.corrected(asked).values.filter { $0 != Scope.atproto })
        }
    }

    /// The failure with a next step that repeats the options, and the user's name for the account unless that is wrong.
    ///
    /// - Parameter scopes: the values to ask for; nil for what the command line asks for.
    private func naming(_ failure: Failure, _ scopes: [String]? = nil) -> Failure {
        var name = "HANDLE"
        if let identifier, failure.status != .unknownAccount, (try? Self.account(identifier)) != nil,
            !AppPasswordReader.looksLikeAppPassword(identifier)
        {
            name = identifier
        }
        var words = [name] + (label.map { ["--label", $0] } ?? [])
        // An app password has no client and no scopes: its session may do everything, whatever the command line says.
        if failure.hint?.contains("--app-password") != true {
            words += (scopes ?? scope).flatMap { ["--scope", $0] } + (scopes == nil ? permissions.words : [])
            let namesKey = failure.hint?.contains(RefusedRequest.keyOption) == true
            words +=
                client.words(withKey: !namesKey) + backend.words + (permissions.noCheck ? ["--no-check"] : [])
        }
        if appPassword, failure.hint?.contains("--app-password") == false { words.append("--app-password") }
        let named = words.map(\.escapedForTerminal.shellQuoted).joined(separator: " ")
        var failure = failure
        let isServer = name.lowercased().hasPrefix("http")
        // An app password is sent to the server of a handle or a DID.
        if !isServer || failure.hint?.contains("--app-password") != true {
            failure.hint = failure.hint?.replacing("login HANDLE", with: "login \(named)")
        }
        return failure
    }

    /// - Parameters:
    ///   - scope: the values of `--scope` and of `--permission`.
    ///   - sets: tell what the sets of others permit.
    private func byBrowser(
        _ scope: [String], _ sets: KnownLexicons, _ context: CommandContext, _ servers: ServerAccess
    ) async throws -> (LoginOutcome, VaultAccounts) {
        let (identifier, label) = (try await loginIdentifier(context), try validLabel())
        // The scope of a client of one's own is in the vault.
        let namesClient =
            backend.clientAssertions == nil && (client.named ?? context.settings.clientID) != nil
        let early =
            scope.isEmpty && namesClient ? nil : ScopeOption.make(scope, default: context.settings.scope)
        if let early { try check(early, sets, context.console) }
        let (core, target) = try await prepare(context, servers) {
            try await LoginFlow.target(of: identifier, in: $0)
        }
        let client =
            try backend.choose(core.network.policy, context.console)
            ?? client.choose(context.settings, in: core.clients)
        if client.usesPage, let lowest = port?.ports.lowerBound, lowest < 1024 {
            throw Failure.usage(
                "the page of a client hands answers on to ports from 1024 on; choose a higher --port")
        }
        let (own, usual) = (client.scope?.description, context.settings.scope)
        // A page is that of one app, so its document comes before the variable.
        let asked = early ?? ScopeOption.make([], default: client.usesPage ? own ?? usual : usual ?? own)
        if early == nil { try check(asked, sets, context.console) }
        if !permissions.noCheck, let declared = client.declaredScope {
            try ScopeOption.check(asked, declared: declared)
        }
        let browser = BrowserPresenter(
            console: context.console, isDisabled: noBrowser,
            browser: BrowserCommand(
                command: browser ?? context.settings.browser, environment: context.settings.environment),
            mayAsk: context.mayAsk)
        let request = LoginRequest(
            identifier: identifier, label: label,
            scope: asked, client: client, browserIsHere: browser.isHere, ports: port?.ports,
            timeout: timeout.duration,
            makesActive: makesActive)
        if !permissions.permission.isEmpty {
            let lines = PermissionText.explanation(requested: asked.values, sets)
            lines.forEach { context.console.say($0) }
        }
        let interaction = LoginInteraction(redirects: LoopbackRedirectReceiver(), browser: browser)
        defer { browser.pastePrompt.end() }
        do {
            return (try await LoginFlow(core, interaction).run(request, at: target), core.accounts)
        } catch SessionFailure.oauth(let error, nil) {
            throw RefusedRequest(error: error, request: request, now: context.now)
        }
    }

    /// Says what servers will not grant of a scope.
    private func check(_ scope: Scope, _ sets: KnownLexicons, _ console: Console) throws {
        guard !permissions.noCheck else { return }
        for remark in try ScopeOption.check(scope, sets) { console.say(remark) }
    }

    private func byPassword(
        _ context: CommandContext, _ servers: ServerAccess
    ) async throws -> (LoginOutcome, VaultAccounts) {
        let identifier: ATIdentifier
        switch try await loginIdentifier(context) {
        case .handle(let handle): identifier = .handle(handle)
        case .did(let did): identifier = .did(did)
        case .server: throw Failure.usage("--app-password needs a handle or a DID, not a server URL")
        }
        let label = try validLabel()
        let reader = AppPasswordReader(context: context)
        let (core, early) = try await prepare(context, servers) {
            (
                identity: try await PasswordLoginFlow.identity(of: identifier, in: $0),
                password: try reader.read()
            )
        }
        let password = try early?.password ?? reader.read()
        let outcome = try await PasswordLoginFlow(core).run(
            identifier, found: early?.identity, password: password, label: label, makesActive: makesActive
        ) {
            context.console.say("the server has sent a code by e-mail")
            return (try? context.ask("Code: ")) ?? nil
        }
        return (outcome, core.accounts)
    }

    /// Opens the vault. The account is looked up before the vault's passphrase is asked for or a vault is made, so that a misspelt name
    /// costs neither.
    ///
    /// - Returns: also what was found; nil if the vault opened without that.
    private func prepare<Found>(
        _ context: CommandContext, _ servers: ServerAccess,
        _ lookUp: (NetworkEnvironment) async throws -> Found
    ) async throws -> (SessionEnvironment, Found?) {
        if let vault = try context.vaultOpener.openUnasked() {
            return (try servers.sessions(in: vault), nil)
        }
        let network = try servers.network()
        let found = try await lookUp(try servers.environment(network))
        return (try servers.sessions(createsVault: true, network: network), found)
    }

    private func loginIdentifier(_ context: CommandContext) async throws -> LoginIdentifier {
        var given = identifier
        if given == nil { given = try context.ask("Handle, DID or server URL: ") }
        guard let text = given else {
            throw Failure.usage("no account was named: bskyauth login HANDLE")
        }
        return try Self.account(text)
    }

    private static func account(_ text: String) throws -> LoginIdentifier {
        let found: LoginIdentifier
        do { found = try LoginIdentifier(parsing: text) } catch let error {
            throw ErrorPresenter.notALogin(text, error)
        }
        if case .server(let server) = found, server.host == ErrorPresenter.website {
            throw ErrorPresenter.websiteIsNoServer(text)
        }
        return found
    }

    private func validLabel() throws -> String? {
        guard let label else { return nil }
        return try AccountLabel.validated(label)
    }

    private func document(
        _ outcome: LoginOutcome, _ accounts: VaultAccounts, _ context: CommandContext
    ) -> Document {
        Document(
            [
                "schema": "bskyauth.login/1",
                "account": AccountText.json(
                    outcome.account, outcome.session, unclear: nil, isActive: outcome.isActive,
                    now: context.now),
                "replaced_session": .bool(outcome.replacedSession),
            ], afterwards: { try say(outcome, accounts, context.console) })
    }

    private func say(_ outcome: LoginOutcome, _ accounts: VaultAccounts, _ console: Console) throws {
        let account = outcome.account
        console.say("logged in: \(AccountText.name(account))")
        for line in ScopeText.missing(outcome.missingScopes) { console.say(line) }
        if outcome.isActive {
            console.say("it is the active account")
        } else {
            console.say(ActiveText.afterLogin(to: account, accounts))
        }
        if let note = try AccountText.sharedLabel(of: account, in: accounts) { console.say(note) }
    }
}
