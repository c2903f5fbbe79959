internal import ATProto
internal import ArgumentParser
internal import BskyAuthCore
internal import FoundationEssentials
internal import JSON
internal import Networking

struct RefreshCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh",
        abstract: "Get new access tokens where the old ones are about to end.",
        discussion: """
            `call` refreshes by itself; this is for timers and CI. A session of a public client ends 14 days \
            after login, however often it is refreshed.
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(help: "The accounts; the active one where none is named.")
    var selectors: [String] = []

    @Flag(help: "Every account.")
    var all = false

    @Option(help: "Refresh tokens with less than this left; capped at half their lifetime.")
    var minTtl: TimeLength?

    @Flag(help: "Refresh even a fresh token, and try again where the server's last answer was unclear.")
    var force = false

    func run(_ context: CommandContext) async throws(Failure) {
        let core = try context.core()
        let targets = try AccountTargets(selectors: selectors, all: all).resolve(core.accounts, context)
        let flow = RefreshFlow(core)
        var results: [JSONValue] = []
        var counts = ["refreshed": 0, "fresh": 0, "adopted": 0, "expired": 0, "failed": 0]
        var firstFailure: Failure?
        for profile in targets {
            var status: String
            var error: String?
            var session: Session?
            do throws(CoreError) {
                let (outcome, current) = try await flow.refresh(
                    profile.id, wants: .init(minimumLife: minTtl?.seconds, isForced: force),
                    lockTimeout: context.lockTimeout)
                status = outcome.rawValue
                session = current
                let left = TimeText.relative(current.accessExpiresAt, to: context.now)
                context.console.say("\(status): \(AccountText.name(profile)), access token ends \(left)")
            } catch let coreError {
                let failure = ErrorPresenter.failure(coreError)
                firstFailure = firstFailure ?? failure
                if !global.json { context.console.report(failure) }
                status = failure.status == .loginNeeded ? "expired" : "failed"
                error = failure.code
            }
            counts[status, default: 0] += 1
            results.append([
                "id": .string(profile.id.shown),
                "handle": JSONValue(profile.handle?.description),
                "status": .string(status),
                "access_expires_at": JSONValue(session.map { TimeText.rfc3339($0.accessExpiresAt) }),
                "session_ends_at": JSONValue(session.map { TimeText.rfc3339($0.endsAt) }),
                "error": JSONValue(error),
            ])
        }
        if global.json {
            var summary = JSONObject()
            for name in ["refreshed", "fresh", "adopted", "expired", "failed"] {
                summary[name] = JSONValue(counts[name] ?? 0)
            }
            try context.console.write([
                "schema": "bskyauth.refresh/1", "results": .array(results), "summary": .object(summary),
            ])
        }
        if let firstFailure {
            throw global.json ? firstFailure : firstFailure.told
        }
    }
}
