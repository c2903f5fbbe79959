internal import BskyAuthCore
internal import CredentialVault
internal import FoundationEssentials

/// The accounts a command that takes several is about: those named, all, or the selected one.
struct AccountTargets {
    let selectors: [String]
    let all: Bool
    /// Whether a pin may say which; what ends sessions does not go by where it is run.
    var followsPins = true

    /// Those of `--all` that can't even be told who they are; others are named, or not found.
    typealias Unreadable = [(id: UUID, error: any KnownError)]

    func resolve(
        _ store: AccountStore, _ context: CommandContext
    ) throws -> (accounts: [AccountProfile], unreadable: Unreadable) {
        guard !all || (selectors.isEmpty && context.options.account == nil) else {
            throw Failure.usage("name accounts or use --all, not both")
        }
        if all {
            let (accounts, unreadable) = try store.everyProfile()
            return (accounts, unreadable)
        }
        if selectors.isEmpty { return ([try selected(store, context)], []) }
        return (try context.named(selectors, in: store), [])
    }

    private func selected(
        _ store: AccountStore, _ context: CommandContext
    ) throws -> AccountProfile {
        let selection = try context.select(in: store)
        guard let file = selection.file, !followsPins else { return selection.account }
        let active = try store.active()
        // Whoever works under the pin means its account, and whoever forgot it the active one.
        guard active.current == selection.account.id else {
            throw ErrorPresenter.pinNotFollowed(file, to: selection.account)
        }
        return selection.account
    }
}
