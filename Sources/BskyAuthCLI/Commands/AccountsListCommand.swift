internal import ATProto
internal import ArgumentParser
internal import BskyAuthCore
internal import CredentialVault
internal import FoundationEssentials
internal import JSON

struct AccountsListCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the accounts; * marks the active one.")

    @OptionGroup var global: GlobalOptions

    @Flag(help: "Ask the server of each account whether its session works; exit with what is wrong with one.")
    var check = false

    @Option(help: ArgumentHelp("How many accounts --check asks about at once.", valueName: "n"))
    var jobs = 8

    func validate() throws {
        guard (1...64).contains(jobs) else { throw ValidationError("--jobs takes 1 to 64") }
    }

    func run(_ context: CommandContext) async throws(Failure) {
        guard let core = try coreIfThere(context) else { return try write(AccountListing(), context) }
        var checks: CheckReport?
        if check {
            let profiles = try await listing(core, nil).profiles
            checks = CheckReport(await findings(profiles, core, context), core)
        }
        // Only now: a check finds out what has become of a session, and may refresh it.
        let listing = try await listing(core, checks)
        try write(listing, context)
        if let failure = listing.failure { throw global.json ? failure : failure.told }
    }

    /// Where there is no vault yet there are no accounts, which is not an error.
    private func coreIfThere(_ context: CommandContext) throws(Failure) -> CoreEnvironment? {
        do throws(Failure) { return try context.core() } catch {
            guard error.code == "no_vault" else { throw error }
            return nil
        }
    }

    private func listing(
        _ core: CoreEnvironment, _ checks: CheckReport?
    ) async throws(Failure) -> AccountListing {
        let (entries, active) = try await ErrorPresenter.presenting { () async throws(CoreError) in
            (try await core.accounts.entries(), try core.accounts.active().current)
        }
        return AccountListing(entries: entries, active: active, checks: checks)
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

    private func write(_ listing: AccountListing, _ context: CommandContext) throws(Failure) {
        if global.json { return try context.console.write(listing.json(now: context.now)) }
        guard !listing.entries.isEmpty else {
            return context.console.say("no accounts yet\n  bskyauth login HANDLE")
        }
        try context.console.write(listing.table(now: context.now))
        for failure in listing.failures { context.console.report(failure) }
        for warning in listing.warnings(now: context.now) { context.console.say(warning) }
    }
}
