internal import ATPJSON
internal import ATProtoIdentity
internal import ATProtoSessions
internal import ATProtoVault
internal import ArgumentParser
internal import BskyAuthCore
internal import FoundationEssentials

struct AccountsListCommand: OnlineCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the accounts. An asterisk marks the active one.")

    @Flag(
        help:
            "Ask each account's server whether the session works. The exit status is that of the first problem."
    )
    var check = false

    @Option(
        help: ArgumentHelp("How many accounts --check checks at the same time (default: 8).", valueName: "n"))
    var jobs: Int?

    @OptionGroup var part: GetOption

    @OptionGroup var global: GlobalOptions

    var usesPager: Bool { true }

    func validate() throws {
        guard (1...64).contains(jobs ?? 8) else {
            throw ValidationError("--jobs takes a number from 1 to 64")
        }
    }

    func run(_ context: CommandContext, _ servers: ServerAccess) async throws -> Document {
        if let account = global.account { throw ErrorPresenter.listOfOneAccount(account) }
        var listing = AccountListing(now: context.now)
        let accounts = check ? try await check(&listing, servers) : try ifThere { try context.accounts() }
        if !check, let accounts { await context.synchronize(accounts) }
        // Read the time after the check, because a check takes time and may refresh a session.
        listing.now = context.now
        listing.accounts = accounts
        listing.knownMove = { servers.knownMove(of: $0) }
        if let accounts { try findActive(in: accounts, &listing) }
        return document(listing, context)
    }

    /// The accounts as JSON or as rows: of very many, both would take too long and too much memory.
    private func document(_ listing: AccountListing, _ context: CommandContext) -> Document {
        var rows: [AccountListing.Item<[Table.Cell]>] = []
        var failure: Failure?
        return Document(
            json: {
                let items = try await items(listing.accounts, listing.object)
                failure = listing.failure(items)
                return listing.document(items)
            }, part: part,
            text: {
                rows = try await items(listing.accounts, listing.row)
                failure = listing.failure(rows)
                return rows.isEmpty ? nil : .table(listing.table(rows))
            }, failure: failure,
            messages: {
                say(rows, of: listing, context)
                if let damage = listing.activeDamage { context.console.report(damage) }
            })
    }

    /// A missing vault has no accounts. That is not an error.
    private func ifThere<Vault>(_ open: () throws -> Vault) throws -> Vault? {
        do { return try open() } catch VaultError.noVault { return nil }
    }

    /// Asks the servers of all accounts whether the sessions work.
    private func check(
        _ listing: inout AccountListing, _ servers: ServerAccess
    ) async throws -> VaultAccounts? {
        let sessions = try ifThere { try servers.sessions() }
        guard let sessions else { return nil }
        await servers.context.synchronize(sessions.accounts)
        let accounts: [Account?] = try await items(sessions.accounts) { entry in
            if case .account(let account, _) = entry { account } else { nil }
        }
        let findings = try await findings(accounts.compactMap(\.self), sessions, servers)
        listing.checks = CheckReport(findings, sessions.accounts)
        return sessions.accounts
    }

    /// The active account. If its file is damaged, the accounts can still be listed.
    private func findActive(in accounts: VaultAccounts, _ listing: inout AccountListing) throws {
        do {
            listing.active = try accounts.active().current
        } catch let error as any KnownError where error.isOfOneFile {
            listing.activeDamage = ErrorPresenter.failure(for: error)
        }
    }

    /// In the order of their names.
    private func items<Item: Sendable>(
        _ accounts: VaultAccounts?, _ item: @escaping @Sendable (VaultAccounts.Entry) -> Item
    ) async throws -> [Item] {
        guard let accounts else { return [] }
        return try await accounts.map { ($0.name, item($0)) }.sorted { $0.0 < $1.0 }.map(\.1)
    }

    private func findings(
        _ accounts: [Account], _ sessions: SessionEnvironment, _ servers: ServerAccess
    ) async throws -> [SessionCheckFlow.Finding] {
        let progress = servers.context.console.progress
        let lockTimeout = servers.context.lockTimeout
        var count = 0
        defer { progress.clear() }
        return try await servers.concurrently(accounts.count) {
            try await SessionCheckFlow(sessions).check(accounts, jobs: jobs ?? 8, lockTimeout: lockTimeout) {
                _ in
                count += 1
                if count < accounts.count { progress.show("checking: \(count) of \(accounts.count)") }
            }
        }
    }

    private func say(
        _ items: [AccountListing.Item<[Table.Cell]>], of listing: AccountListing, _ context: CommandContext
    ) {
        guard !items.isEmpty else {
            // A typing error in the path is seen by this.
            let place = global.home.map { ": there is none in \($0.escapedForTerminal)" } ?? ""
            return context.console.say("no accounts yet\(place)\n  bskyauth login HANDLE")
        }
        if let accounts = listing.accounts { sayPin(accounts, context) }
        for failure in listing.failures(items) { context.console.report(failure) }
        for warning in listing.warnings(items) { context.console.say(warning) }
    }

    /// Says which account this directory is pinned to. A pin that can't be used is no reason to fail.
    private func sayPin(_ accounts: VaultAccounts, _ context: CommandContext) {
        do {
            guard let pin = try PinFile.nearest(context.settings) else { return }
            // `accounts current` says what is wrong with the account.
            let name = (try? accounts.account(pin.account)).map(AccountText.name) ?? pin.account.text
            context.console.say("this directory is pinned to \(name) by \(pin.file.escapedForTerminal)")
        } catch let error {
            context.console.report(ErrorPresenter.failure(for: error))
        }
    }
}

extension VaultAccounts.Entry {
    /// What the list is ordered by. Accounts that can't be read are at its end.
    fileprivate var name: String {
        switch self {
        case .account(let account, _): AccountText.sortKey(account)
        case .unreadable(let id, _): "~\(id.text)"
        }
    }
}
