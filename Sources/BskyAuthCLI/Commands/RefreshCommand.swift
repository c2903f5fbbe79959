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
        var outcomes: [Outcome] = []
        for profile in targets {
            outcomes.append(await refresh(profile, RefreshFlow(core), context))
        }
        if all {
            let entries = try ErrorPresenter.presenting { () throws(CoreError) in try core.accounts.entries()
            }
            for case .unreadable(let id, let error) in entries where !targets.contains(where: { $0.id == id })
            {
                outcomes.append(failed(id, nil, ErrorPresenter.failure(error), context))
            }
        }
        if global.json { try context.console.write(Self.json(outcomes)) }
        if let failure = outcomes.lazy.compactMap(\.failure).first {
            throw global.json ? failure : failure.told
        }
    }

    /// What became of one account.
    private struct Outcome {
        let id: UUID
        let handle: String?
        let status: String
        let session: Session?
        let failure: Failure?
    }

    private func refresh(
        _ profile: AccountProfile, _ flow: RefreshFlow, _ context: CommandContext
    ) async -> Outcome {
        do throws(CoreError) {
            let (outcome, session) = try await flow.refresh(
                profile.id, wants: .init(minimumLife: minTtl?.seconds, isForced: force),
                lockTimeout: context.lockTimeout)
            let left = TimeText.relative(session.accessExpiresAt, to: context.now)
            context.console.say(
                "\(outcome.rawValue): \(AccountText.name(profile)), access token ends \(left)")
            return Outcome(
                id: profile.id, handle: profile.handle?.description, status: outcome.rawValue,
                session: session, failure: nil)
        } catch {
            return failed(
                profile.id, profile.handle?.description, ErrorPresenter.failure(error), context)
        }
    }

    private func failed(
        _ id: UUID, _ handle: String?, _ failure: Failure, _ context: CommandContext
    ) -> Outcome {
        if !global.json { context.console.report(failure) }
        return Outcome(
            id: id, handle: handle, status: failure.status == .loginNeeded ? "expired" : "failed",
            session: nil, failure: failure)
    }

    private static func json(_ outcomes: [Outcome]) -> JSONValue {
        let results = outcomes.map { outcome -> JSONValue in
            [
                "id": .string(outcome.id.shown),
                "handle": JSONValue(outcome.handle),
                "status": .string(outcome.status),
                "access_expires_at": JSONValue(outcome.session.map { TimeText.rfc3339($0.accessExpiresAt) }),
                "session_ends_at": JSONValue(outcome.session.map { TimeText.rfc3339($0.endsAt) }),
                "error": JSONValue(outcome.failure?.code),
            ]
        }
        var summary = JSONObject()
        for status in ["refreshed", "fresh", "adopted", "expired", "failed"] {
            summary[status] = JSONValue(outcomes.filter { $0.status == status }.count)
        }
        return ["schema": "bskyauth.refresh/1", "results": .array(results), "summary": .object(summary)]
    }
}
