internal import ATProto
internal import ArgumentParser
internal import BskyAuthCore
internal import CredentialVault
internal import FoundationEssentials
internal import JSON

struct AccountsListCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the accounts. An asterisk marks the active one.")

    @OptionGroup var global: GlobalOptions

    @Flag(
        help:
            "Ask each account's server whether the session works. The exit status is that of the first problem."
    )
    var check = false

    @Option(help: ArgumentHelp("How many accounts --check checks at the same time.", valueName: "n"))
    var jobs = Self.usualJobs

    static let usualJobs = 8

    var asksServers: Bool { check }

    func validate() throws {
        guard (1...64).contains(jobs) else { throw ValidationError("--jobs takes a number from 1 to 64") }
    }

    func run(_ context: CommandContext) async throws(Failure) {
        var listing = AccountListing(now: context.now)
        let core = try coreIfThere(context)
        if check, let core {
            listing.checks = CheckReport(await findings(try await profiles(core), core, context), core)
        }
        // Only now: a check finds out what has become of a session, may refresh it, and takes its time.
        listing.now = context.now
        let failure: Failure?
        if let core { try findActive(in: core.accounts, &listing) }
        if global.json {
            let items = try await items(core, listing.object)
            try context.console.write(listing.document(items))
            failure = listing.failure(items)
        } else {
            let items = try await items(core, listing.row)
            try write(items, of: listing, context)
            if let damage = listing.activeDamage { context.console.report(damage) }
            failure = listing.failure(items)?.told
        }
        if let failure { throw failure }
    }

    /// Where there is no vault yet there are no accounts, which is not an error.
    private func coreIfThere(_ context: CommandContext) throws(Failure) -> CoreEnvironment? {
        do throws(Failure) { return try context.core() } catch {
            guard error.code == "no_vault" else { throw error }
            return nil
        }
    }

    /// Which account is active. Where that is damaged the accounts are not, and are listed all the same.
    private func findActive(in accounts: AccountStore, _ listing: inout AccountListing) throws(Failure) {
        do throws(CoreError) {
            listing.active = try accounts.active().current
        } catch {
            guard error.isOfOneFile else { throw ErrorPresenter.failure(error) }
            listing.activeDamage = ErrorPresenter.failure(error)
        }
    }

    private func profiles(_ core: CoreEnvironment) async throws(Failure) -> [AccountProfile] {
        let profiles: [AccountProfile?] = try await items(core) { entry in
            if case .account(let profile, _) = entry { profile } else { nil }
        }
        return profiles.compactMap { $0 }
    }

    private func items<Item: Sendable>(
        _ core: CoreEnvironment?, _ item: @escaping @Sendable (AccountStore.Entry) -> Item
    ) async throws(Failure) -> [Item] {
        guard let core else { return [] }
        return try await ErrorPresenter.presenting { () async throws(CoreError) in
            try await core.accounts.map(item)
        }
    }

    private func findings(
        _ profiles: [AccountProfile], _ core: CoreEnvironment, _ context: CommandContext
    ) async -> [CheckFlow.Finding] {
        let progress = context.console.progress
        var count = 0
        defer { progress.clear() }
        return await CheckFlow(core).check(profiles, jobs: jobs, lockTimeout: context.lockTimeout) { _ in
            count += 1
            if count < profiles.count { progress.show("checking: \(count) of \(profiles.count)") }
        }
    }

    private func write(
        _ items: [AccountListing.Item<[Table.Cell]>], of listing: AccountListing, _ context: CommandContext
    ) throws(Failure) {
        guard !items.isEmpty else { return context.console.say("no accounts yet\n  bskyauth login HANDLE") }
        try context.console.write(listing.table(items))
        for failure in items.compactMap(\.failure) { context.console.report(failure) }
        for warning in listing.warnings(items) { context.console.say(warning) }
    }
}
