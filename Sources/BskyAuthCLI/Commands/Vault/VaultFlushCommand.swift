internal import ATPJSON
internal import ATProtoSessions
internal import ATProtoVault
internal import ArgumentParser
internal import BskyAuthCore
internal import FoundationEssentials

struct VaultFlushCommand: OnlineCommand {
    static let configuration = CommandConfiguration(
        commandName: "flush",
        abstract: "Finish what this machine has begun in a shared vault.",
        discussion: """
            Stores sessions that are only on this machine, and finishes refreshes that were interrupted, so that no \
            other machine waits for this one. Also takes over what other machines have changed. Run it after the \
            store could not be reached, and before a machine goes away.

            If the store has lost changes, for example after a backup was restored, run it with --repair on every machine \
            with a disk that stays. Each offers the sessions that it has, the newest ones win, and until the last machine \
            has done so, no session is refreshed.
            """)

    @Flag(help: "Give the store back the sessions that it has lost.")
    var repair = false

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext, _ servers: ServerAccess) async throws -> Document {
        let core = try servers.sessions()
        guard let flow = FlushFlow(core), let shared = core.accounts.vault.sharedAccounts else {
            throw ErrorPresenter.failure(SharingRefusal.isNotShared)
        }
        if repair { try await repair(context) }
        var results: [JSONValue] = []
        var failures: [Failure] = []
        let changes = try await flow.run(lockTimeout: context.lockTimeout) { item in
            let name = AccountText.name(item.account)
            var members: JSONObject = ["id": .string(item.account.id.text)]
            switch item.result {
            case .success(let outcome):
                context.console.tell("\(name): \(outcome.words)")
                members["result"] = .string(outcome.rawValue)
                members["error"] = .null
            case .failure(let error):
                let failure = ErrorPresenter.failure(for: error)
                context.console.tell(failure.naming([name]))
                failures.append(failure)
                members["result"] = "failed"
                members["error"] = .string(failure.code)
            }
            results.append(.object(members))
        }
        context.tellIfForgotten(changes, shared)
        if let id = changes.behind.first {
            let failure = ErrorPresenter.storeWentBack(id)
            context.console.tell(failure)
            failures.append(failure)
        }
        if let waiting = changes.repair {
            let failure = ErrorPresenter.repairing(waiting)
            context.console.tell(failure)
            failures.append(failure)
        }
        if failures.isEmpty { context.console.tell(changes.words) }
        return Document(
            [
                "schema": "bskyauth.vault-flush/1", "results": .array(results),
                "added": changes.added.json, "removed": changes.removed.json, "busy": changes.busy.json,
                "behind": changes.behind.json,
            ], failure: failures.first)
    }
}

extension VaultFlushCommand {
    private func repair(_ context: CommandContext) async throws {
        let awaited = try await context.sharedAccounts().repair(waiting: context.lockTimeout) { rest in
            context.console.say(
                "waiting \(rest.components.seconds + 1) s until an interrupted refresh of this machine is over"
            )
        }
        switch awaited {
        case nil: context.console.tell("the store has lost nothing that this machine knows of")
        case []?: context.console.tell("the store has all sessions again")
        case _?: context.console.tell("the store has the sessions of this machine")
        }
    }
}

extension FlushFlow.Outcome {
    fileprivate var words: String {
        switch self {
        case .stored: "the store has its session now"
        case .refreshed: "an interrupted refresh was repeated, and the session works"
        case .ended: "another machine had logged out, so the session of this machine was ended too"
        }
    }
}

extension SharedAccounts.Changes {
    fileprivate var words: String {
        func count(_ ids: [UUID], _ what: String) -> String? {
            ids.isEmpty ? nil : "\(ids.count) account\(ids.count == 1 ? "" : "s") \(what)"
        }
        let parts = [
            count(added, "added"), count(removed, "removed"),
            count(busy, "in use by another process here, and left alone"),
        ].compactMap(\.self)
        return parts.isEmpty
            ? "nothing else to do" : "from other machines: " + parts.joined(separator: ", ")
    }
}

extension [UUID] {
    fileprivate var json: JSONValue { .array(map { .string($0.text) }) }
}
