internal import ArgumentParser
internal import BskyAuthCore
internal import CredentialVault
internal import FoundationEssentials
internal import JSON
internal import Networking

struct SwitchCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "switch",
        abstract: "Make another account the active one.",
        discussion:
            "Nobody is logged out. With two accounts and no argument it toggles; `-` is the previous one.")

    @OptionGroup var global: GlobalOptions

    @Argument(help: "The account, or - for the previous one.")
    var selector: String?

    func run(_ context: CommandContext) async throws(Failure) {
        let (profile, previous) = try await context.withAccounts { store throws(CoreError) in
            let active = try store.activeIfReadable()
            let target = try target(store, active.current, active.previous)
            if target.id != active.current { try store.activate(target.id) }
            return (target, active.current)
        }
        if global.json {
            return try context.console.write([
                "schema": "bskyauth.switch/1",
                "active": .string(profile.id.shown),
                "previous": JSONValue(previous?.shown),
            ])
        }
        context.console.say("active: \(AccountText.name(profile))")
        if let rule = ruleBefore(context) { context.console.say("  here, \(rule) comes before it") }
    }

    /// What chooses an account before the active one is asked for.
    private func ruleBefore(_ context: CommandContext) -> String? {
        if context.settings.account != nil { return "BSKYAUTH_ACCOUNT" }
        do throws(Failure) { return try PinFile.nearestPath(context.settings)?.shown } catch {
            context.console.detail(error.message)
            return nil
        }
    }

    private func target(
        _ store: AccountStore, _ current: UUID?, _ previous: UUID?
    ) throws(CoreError) -> AccountProfile {
        switch selector {
        case "-":
            guard let previous else { throw .noPreviousAccount }
            return try store.profile(previous)
        case let text?: return try store.find(text)
        case nil:
            let all = try store.profiles()
            guard !all.isEmpty else { throw .noAccounts }
            guard all.count == 2, current != nil, let other = all.first(where: { $0.id != current }) else {
                throw .accountNotNamed(all)
            }
            return other
        }
    }
}
