internal import ArgumentParser
internal import BskyAuthCore
internal import JSON
internal import Networking

struct LogoutCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "End sessions at their servers and remove the accounts from the vault.")

    @OptionGroup var global: GlobalOptions

    @Argument(help: "The accounts; the active one where none is named.")
    var selectors: [String] = []

    @Flag(help: "Every account.")
    var all = false

    @Flag(name: .shortAndLong, help: "Do not ask.")
    var yes = false

    @Flag(help: "Tell no server; the session there ends by itself.")
    var localOnly = false

    @Flag(help: "Keep an account whose server does not confirm the end of its session.")
    var strict = false

    func run(_ context: CommandContext) async throws(Failure) {
        let core = try context.core()
        let targets = try AccountTargets(selectors: selectors, all: all).resolve(core.accounts, context)
        if all, !yes {
            guard try context.confirm("Log out of \(targets.count) accounts?") else {
                throw Failure(.declined, "declined", "nothing was logged out")
            }
        }
        let flow = LogoutFlow(core)
        var results: [JSONValue] = []
        var firstFailure: Failure?
        for profile in targets {
            do throws(CoreError) {
                let revocation = try await flow.logout(
                    profile.id, localOnly: localOnly, isStrict: strict, lockTimeout: context.lockTimeout)
                context.console.say(words(revocation, profile))
                results.append(result(profile, revocation.rawValue, nil))
            } catch {
                let failure = ErrorPresenter.failure(error)
                firstFailure = firstFailure ?? failure
                if !global.json { context.console.report(failure) }
                results.append(result(profile, "failed", failure.code))
            }
        }
        if global.json {
            try context.console.write(["schema": "bskyauth.logout/1", "results": .array(results)])
        }
        if let firstFailure {
            throw global.json ? firstFailure : firstFailure.told
        }
    }

    private func words(_ revocation: LogoutFlow.Revocation, _ profile: AccountProfile) -> String {
        let name = AccountText.name(profile)
        return switch revocation {
        case .accepted: "logged out: \(name)"
        case .localOnly: "removed: \(name); its session at the server was left alone"
        case .failed:
            "removed: \(name); the server could not be told, and its session there ends "
                + "when its 14 days are over"
        }
    }

    private func result(_ profile: AccountProfile, _ revoked: String, _ error: String?) -> JSONValue {
        ["id": .string(profile.id.shown), "revoked": .string(revoked), "error": JSONValue(error)]
    }
}
