internal import ATPJSON
internal import ATPNetworking
internal import ATProtoSessions
internal import ATProtoVault
internal import ArgumentParser
internal import BskyAuthCore
internal import FoundationEssentials

struct SwitchCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "switch",
        abstract: "Change the active account.",
        discussion: """
            No account is logged out. Without an argument it switches to the other of two accounts, or asks at the \
            terminal if there are more. `-` is the previous account.
            """)

    @Argument(
        help: ArgumentHelp("The account, or - for the previous account.", valueName: "account"),
        completion: .account)
    var selector: String?

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext) async throws -> Document {
        let accounts = try context.accounts()
        let active = try accounts.activeIfReadable()
        let account = try await target(accounts, active, context)
        if account.id != active.current {
            try accounts.activate(account.id)
        }
        return Document([
            "schema": "bskyauth.switch/1", "active": .string(account.id.text),
            "previous": JSONValue(active.current?.text),
        ]) { try say(account, accounts, context) }
    }

    private func say(_ account: Account, _ accounts: VaultAccounts, _ context: CommandContext) throws {
        context.console.say("active: \(AccountText.name(account))")
        if let rule = try ruleBefore(context) {
            context.console.say("  but in this shell and directory \(rule) overrides it")
        }
        // An account whose session can't be read can be active, too. The next command with it says what is wrong.
        do {
            let session = try accounts.session(account.id)
            context.sayConcern(
                account, session, unclear: accounts.unclearIntent(of: account.id, session))
        } catch let error {
            context.console.say(ErrorPresenter.failure(error).note)
        }
    }

    /// The rule that selects an account before the active one counts.
    private func ruleBefore(_ context: CommandContext) throws -> String? {
        if context.settings.account != nil { return "BSKYAUTH_ACCOUNT" }
        do {
            return try PinFile.nearestPath(context.settings)?.escapedForTerminal
        } catch let failure as Failure {
            context.console.detail(failure.message)
            return nil
        }
    }

    private func target(
        _ accounts: VaultAccounts, _ active: ActiveAccount, _ context: CommandContext
    ) async throws -> Account {
        guard let selector = selector ?? global.account else { return try unnamed(accounts, active, context) }
        guard selector == "-" else { return try await context.one(selector, in: accounts) }
        let previous = try accounts.account(active.accountBefore())
        try await context.compareWithOption([previous], named: [selector], in: accounts)
        return previous
    }

    /// The other one of two accounts, or else the account that the user picks.
    private func unnamed(
        _ accounts: VaultAccounts, _ active: ActiveAccount, _ context: CommandContext
    ) throws -> Account {
        let stored = try accounts.readableAccounts()
        if let other = try active.other(of: stored) { return other }
        let all = stored.sorted { AccountText.sortKey($0) < AccountText.sortKey($1) }
        let picker = Picker(
            try lines(all, accounts, active.current, context.now),
            question: "which account should be active?",
            first: all.firstIndex { $0.id == active.current } ?? 0)
        switch try context.choose(picker) {
        case .chosen(let index): return all[index]
        case .left: throw Failure(.declined, "declined", "no account was chosen; nothing was changed")
        case nil: throw CoreError.accountNotNamed(all)
        }
    }

    private func lines(
        _ shown: [Account], _ accounts: VaultAccounts, _ active: UUID?, _ now: Date
    ) throws -> [String] {
        var table = Table()
        for account in shown {
            let state: String
            do {
                state = AccountText.state(account, try accounts.session(account.id), now: now)
            } catch let error {
                guard error.isOfOneFile else { throw error }
                state = "unreadable"
            }
            table.append([
                account.id == active ? "*" : "", AccountText.name(account), state == "ok" ? "" : state,
                account.pds.authority,
            ])
        }
        return table.lines
    }
}
