internal import ATPNetworking
internal import ATPPlatform
internal import ATProtoSessions
internal import ATProtoVault
internal import BskyAuthCore
internal import FoundationEssentials

/// What every command has: the console, the settings, and the way to the accounts in the vault. Nothing here leads to a
/// server.
struct CommandContext: Sendable {
    let options: GlobalOptions
    let settings: Settings
    let console: Console
    let clock: any WallClock

    /// Takes the secrets out of the environment, so that no child process gets them.
    ///
    /// - Parameter usesPager: whether the user's pager may show the data.
    init(live options: GlobalOptions, usesPager: Bool) {
        self.options = options
        settings = Settings(environment: ProcessEnvironment.variables)
        ProcessEnvironment.remove(Settings.secretVariables)
        console = Console(
            isQuiet: options.quiet, isVerbose: options.verbose, usesJSON: options.json,
            repeating: options.vaultOptions,
            isColored: options.color.isOn(settings, isTerminal: StandardStream.output.isTerminal),
            redraws: settings.terminalMoves,
            pager: usesPager ? Pager(options, settings) : nil)
        clock = SystemClock()
    }

    /// For the keeper, whose messages the command prints.
    init(keeper options: GlobalOptions, relay: @escaping @Sendable (String) -> Void) {
        self.options = options
        settings = Settings(environment: ProcessEnvironment.variables)
        console = Console(
            isQuiet: options.quiet, isVerbose: options.verbose, usesJSON: false,
            repeating: options.vaultOptions, relay: relay)
        clock = SystemClock()
    }

    var now: Date { clock.now }

    /// How long to wait for another process: `--lock-timeout`, its variable, or ten seconds.
    var lockTimeout: Duration {
        options.lockTimeout?.duration
            ?? settings.lockTimeout.flatMap { TimeLength(argument: $0)?.duration } ?? .seconds(10)
    }

    /// Refuses a variable that is no length of time.
    func checkLockTimeout() throws {
        _ = try Settings.timeLength("BSKYAUTH_LOCK_TIMEOUT", settings.lockTimeout)
    }

    // MARK: The vault

    /// The directory of the vault.
    var vaultDirectory: String {
        get throws { try settings.vaultDirectory(flag: options.home) }
    }

    var vaultOpener: VaultOpener {
        VaultOpener(options: options, settings: settings, console: console)
    }

    /// Opens the vault for commands that need no network and no account.
    ///
    /// - Parameter withAKey: whether a key is needed even if the vault is unlocked. Commands that change the keys of
    ///   the vault need it.
    func openVault(withAKey: Bool = false) throws -> CredentialVault {
        var opener = vaultOpener
        opener.usesStoredKey = !withAKey
        return try opener.open(creates: false)
    }

    /// The accounts in the vault.
    ///
    /// - Parameter createsVault: whether a missing vault is created first.
    func accounts(createsVault: Bool = false) throws -> VaultAccounts {
        try checkLockTimeout()
        return VaultAccounts(try vaultOpener.open(creates: createsVault), log: console.log)
    }

    /// The accounts of a shared vault, for commands that need no server.
    func sharedAccounts() throws -> SharedAccounts {
        guard let shared = try openVault().sharedAccounts else {
            throw ErrorPresenter.failure(SharingRefusal.isNotShared)
        }
        return shared
    }

    /// The revisions of the repositories that were verified here.
    func revisions(on network: NetworkPolicy) -> RevisionMemory {
        RevisionMemory(CacheDirectory(settings.stateDirectory), devNetwork: network.devNetwork)
    }

    // MARK: Asking

    /// Whether questions may be asked.
    var mayAsk: Bool { settings.mayAsk(options) }

    /// Asks on the terminal; nil if no question can be asked.
    func ask(_ question: String) throws -> String? {
        guard mayAsk, let terminal = Terminal.open() else { return nil }
        do {
            return try terminal.ask(question)
        } catch let error {
            throw Failure.terminal(error)
        }
    }

    /// Asks a yes-or-no question. If no question can be asked, the answer must be on the command line.
    ///
    /// - Parameter command: the command line with the answer, if it is known.
    func confirm(_ question: String, sayingYes command: String? = nil) throws -> Bool {
        guard let answer = try answer(to: question) else {
            var failure = Failure.usage(
                "\(question.prefix(1).lowercased() + question.dropFirst()) to confirm, add --yes")
            if let command { failure.hint = command }
            throw failure
        }
        return answer
    }

    /// The answer to a yes-or-no question; nil if no question can be asked.
    func answer(to question: String) throws -> Bool? {
        try ask("\(question) [y/N] ").map { ["y", "yes"].contains($0.lowercased()) }
    }

    /// Lets the user choose from a list; nil if no question can be asked.
    func choose(_ picker: Picker) throws -> Picker.Outcome? {
        guard mayAsk, let terminal = Terminal.open() else { return nil }
        do {
            guard settings.terminalMoves else { return try choose(picker, byNumberAt: terminal) }
            var picker = picker
            return try terminal.decide(showing: { picker.lines($0) }, by: { picker.press($0) }) ?? .left
        } catch let error {
            throw Failure.terminal(error)
        }
    }

    private func choose(
        _ picker: Picker, byNumberAt terminal: Terminal
    ) throws(SystemError) -> Picker.Outcome {
        var question = picker.plainLines.map { $0 + "\n" }.joined()
        while true {
            question += "Number (press Enter to cancel): "
            let line = try terminal.ask(question) ?? ""
            let answer = line.filter { !$0.isWhitespace }
            guard !answer.isEmpty else { return .left }
            if let number = Int(answer), picker.choices.indices.contains(number - 1) {
                return .chosen(number - 1)
            }
            question = "\"\(answer.escapedForTerminal)\" is not one of the numbers\n"
        }
    }

    // MARK: Accounts

    /// The account of a command. `--verbose` shows the rule that selected it.
    ///
    /// - Parameter name: the name from the command's own argument. It counts like `-a`.
    func select(in accounts: VaultAccounts, named name: String? = nil) async throws -> AccountSelection {
        let flag = name ?? options.account
        // Look for a pin only if it counts.
        let isNamed = flag != nil || settings.account != nil
        let choice = AccountChoice(
            flag: flag, environment: settings.account, pin: isNamed ? nil : try PinFile.nearest(settings))
        let selection: AccountSelection
        do {
            selection = try await lookUp(in: accounts) { try accounts.select(choice) }
        } catch let error as CoreError where flag == nil && isNamed && error.isAboutName {
            // The name comes from the variable, so the user did not type it now.
            var failure = ErrorPresenter.failure(error)
            failure.hint = "unset BSKYAUTH_ACCOUNT"
            throw failure
        }
        if let name { try await compareWithOption([selection.account], named: [name], in: accounts) }
        console.detail("account: \(AccountText.name(selection.account)), chosen by \(selection.words)")
        return selection
    }

    /// The accounts that a command's own arguments name, each once.
    func named(_ names: [String], in accounts: VaultAccounts) async throws -> [Account] {
        var found: [Account] = []
        for name in names {
            let account = try await lookUp(in: accounts) { try accounts.find(name) }
            if !found.contains(where: { $0.id == account.id }) { found.append(account) }
        }
        try await compareWithOption(found, named: names, in: accounts)
        return found
    }

    /// Refuses `-a` next to a command's own argument, unless both name the same account.
    func compareWithOption(
        _ found: [Account], named names: [String], in accounts: VaultAccounts
    ) async throws {
        guard let option = options.account, names.contains(where: { $0 != option }) else { return }
        let meant = try await lookUp(in: accounts) { try accounts.find(option) }
        if let other = found.first(where: { $0.id != meant.id }) {
            throw ErrorPresenter.notOneAccount(option: meant, argument: other)
        }
    }

    /// The account that a command's one argument names.
    func one(_ name: String, in accounts: VaultAccounts) async throws -> Account {
        let account = try await lookUp(in: accounts) { try accounts.find(name) }
        try await compareWithOption([account], named: [name], in: accounts)
        return account
    }

    /// Tells a person that the session of an account ended or soon will, or that a refresh has no answer.
    func sayConcern(_ account: Account, _ session: Session, unclear attempt: RotationIntent?) {
        if let concern = ErrorPresenter.concern(account, session, unclear: attempt, now: now) {
            console.say(concern.note)
        }
    }

    /// Finds accounts. One that is not here may be one that another machine of a shared vault has added.
    private func lookUp<Found>(in accounts: VaultAccounts, _ find: () throws -> Found) async throws -> Found {
        do { return try find() } catch let error as CoreError where error.mayBeElsewhere {
            guard await synchronize(accounts) != nil else { throw error }
            return try find()
        }
    }

    /// Takes over what other machines of a shared vault have changed. A store that can't be reached is no reason not to use what is
    /// here, so that is only said.
    ///
    /// - Returns: what was changed; nil if the vault is not shared or its store can't be reached.
    @discardableResult
    func synchronize(_ accounts: VaultAccounts) async -> SharedAccounts.Changes? {
        guard let shared = accounts.vault.sharedAccounts else { return nil }
        do {
            let changes = try await shared.synchronize()
            tellIfForgotten(changes, shared)
            for account in changes.removed.compactMap({ try? accounts.account($0) }) {
                console.say(
                    "another machine has logged out of \(AccountText.name(account)), and it could not be removed here; to "
                        + "remove it:  bskyauth logout \(AccountText.selector(account))")
            }
            return changes
        } catch {
            let failure = ErrorPresenter.failure(error)
            console.say("what other machines have changed is not known: \(failure.message)")
            return nil
        }
    }
}

extension CommandContext {
    /// Says that another machine has forgotten this one, and how to join again.
    func tellIfForgotten(_ changes: SharedAccounts.Changes, _ shared: SharedAccounts) {
        guard changes.isForgotten else { return }
        console.say(
            "\(ErrorPresenter.forgottenHere); to join again:  \(ErrorPresenter.joiningAgain(shared.url))")
    }
}

extension CoreError {
    /// Whether a name leads to no account, or to several.
    fileprivate var isAboutName: Bool {
        switch self {
        case .unknownAccount, .ambiguousAccount: true
        default: false
        }
    }

    /// Whether the account that is not here may be on other machines of a shared vault.
    fileprivate var mayBeElsewhere: Bool {
        switch self {
        case .unknownAccount, .noAccounts: true
        default: false
        }
    }
}
