internal import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoSessions
internal import ATProtoVault
internal import ArgumentParser
internal import BskyAuthCore
internal import FoundationEssentials

struct RefreshCommand: OnlineCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh",
        abstract: "Refresh access tokens that are about to expire.",
        discussion: """
            `call` refreshes tokens when it needs to; use this command in timers and CI. A refresh does not extend \
            a session: the session of a public OAuth client, such as bskyauth, ends 14 days after login.
            """)

    @Argument(
        help: ArgumentHelp("The accounts (default: the selected account).", valueName: "account"),
        completion: .account)
    var selectors: [String] = []

    @Flag(help: "Refresh every account.")
    var all = false

    @Option(
        help: ArgumentHelp(
            """
            Refresh tokens that expire sooner than this, at most half their lifetime (default: 30m with --all, \
            otherwise the limit that `call` uses).
            """, valueName: "time"))
    var minTtl: TimeLength?

    @Flag(help: "Refresh even if the token is still fresh, and retry a session in the state uncertain.")
    var force = false

    @Option(help: ArgumentHelp("How many accounts to refresh at the same time.", valueName: "n"))
    var jobs = 8

    @Option(
        help: ArgumentHelp(
            "Exit with 4 if a session ends sooner than this, for example 3d, even if it was refreshed.",
            valueName: "time"))
    var failIfSessionEndsWithin: TimeLength?

    @OptionGroup var mirror: MirrorOptions

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        guard (1...64).contains(jobs) else { throw ValidationError("--jobs takes a number from 1 to 64") }
    }

    func run(_ context: CommandContext, _ servers: ServerAccess) async throws {
        let core = try servers.sessions(mirror: try mirror.make(context))
        if all { try await catchUp(core.accounts, context) }
        let targets = try await AccountTargets(selectors: selectors, all: all).resolve(core.accounts, context)
        var report = RefreshReport(failsWithin: failIfSessionEndsWithin?.seconds, now: context.now)
        report.append(try await refresh(targets.accounts, core, report, servers))
        // Report the accounts that are not refreshed.
        let unreadable = targets.unreadable.map {
            report.failed($0.id, nil, ErrorPresenter.failure(for: $0.error))
        }
        for item in unreadable { announce(item, context) }
        report.append(unreadable)
        if report.items.isEmpty {
            context.console.say("no account is in the vault, so nothing was refreshed")
        }
        noteCap(report, context)
        if global.json { try context.console.write(report.json) }
        if let failure = report.failure { throw global.json ? failure : failure.told }
    }

    /// Looks into the store of a shared vault before any token is sent: for accounts of other machines, and whether the store went
    /// back. If it can't be reached, each account tells that.
    private func catchUp(_ accounts: VaultAccounts, _ context: CommandContext) async throws {
        guard let shared = accounts.vault.sharedAccounts else { return }
        do {
            let changes = try await shared.synchronize()
            if let id = changes.behind.first { throw VaultError.storeWentBack(id) }
        } catch VaultError.store {}
    }

    var options: RefreshFlow.Options {
        RefreshFlow.Options(
            minimumLife: minTtl?.seconds ?? (all ? Self.minimumLifeOfAll : nil), isForced: force)
    }

    private func refresh(
        _ targets: [Account], _ core: SessionEnvironment, _ report: RefreshReport,
        _ servers: ServerAccess
    ) async throws -> [RefreshReport.Item] {
        let context = servers.context
        let progress = context.console.progress
        var items: [UUID: RefreshReport.Item] = [:]
        let attempts = try await servers.concurrently(targets.count) {
            try await RefreshAllFlow(core).refresh(
                targets, options: options, jobs: jobs, lockTimeout: context.lockTimeout
            ) { attempt in
                progress.clear()
                if let line = report.line(attempt) { context.console.say(line) }
                if let line = GrantChange(attempt)?.line(attempt.account) { context.console.say(line) }
                let server = servers.knownMove(of: attempt.account)
                if case .success(let (_, session)) = attempt.result, let server {
                    let terms = AccountLogin(attempt.account, session).terms
                    context.console.say(ErrorPresenter.moved(attempt.account, terms, to: server).note)
                }
                var item = report.item(attempt, stored: stored(attempt, core.accounts))
                item.movedTo = server?.description
                if case .failure(let error) = attempt.result, let found = error.movedTo {
                    item.movedTo = found
                }
                announce(item, context)
                items[attempt.account.id] = item
                if items.count < targets.count {
                    progress.show("refreshing: \(items.count) of \(targets.count)")
                }
            }
        }
        return attempts.compactMap { items[$0.account.id] }
    }

    private func stored(_ attempt: RefreshAllFlow.Attempt, _ accounts: VaultAccounts) -> Session? {
        guard case .failure = attempt.result else { return nil }
        // An unreadable session is the reason why the attempt failed.
        return try? accounts.session(attempt.account.id)
    }

    private func announce(_ item: RefreshReport.Item, _ context: CommandContext) {
        guard !global.json else { return }
        for failure in item.failures { context.console.report(failure) }
    }

    /// Says once that the requested lifetime was reduced.
    private func noteCap(_ report: RefreshReport, _ context: CommandContext) {
        let halves = report.items.filter { $0.failure == nil }
            .compactMap { $0.session.map { $0.lifetime / 2 } }
        guard let wanted = minTtl?.seconds, let half = halves.min(), wanted > half else { return }
        context.console.say(
            "--min-ttl is more than half of a token's lifetime; \(TimeText.exact(half)) was used instead")
    }

    /// The remaining seconds below which `refresh --all` refreshes a token (requirements:H6).
    private static let minimumLifeOfAll = 1800.0
}
