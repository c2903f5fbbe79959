internal import ATProtoSessions
internal import ATProtoVault
internal import BskyAuthCore
internal import FoundationEssentials

/// The accounts of a command that takes several: the named ones, all, or the selected one.
struct AccountTargets {
    let selectors: [String]
    let all: Bool
    /// Whether a pin may select the account. Commands that end sessions ignore pins.
    var followsPins = true

    /// The accounts of `--all` with unreadable profiles. Without `--all`, an account is found by name or not at all.
    typealias Unreadable = [(id: UUID, error: any KnownError)]

    func resolve(
        _ store: VaultAccounts, _ context: CommandContext
    ) async throws -> (accounts: [Account], unreadable: Unreadable) {
        guard !all || (selectors.isEmpty && context.options.account == nil) else {
            throw Failure.usage("name accounts or use --all, not both")
        }
        if all {
            await context.synchronize(store)
            let (accounts, unreadable) = try store.all()
            return (accounts, unreadable)
        }
        if selectors.isEmpty { return ([try await selected(store, context)], []) }
        return (try await context.named(selectors, in: store), [])
    }

    private func selected(
        _ store: VaultAccounts, _ context: CommandContext
    ) async throws -> Account {
        let selection = try await context.select(in: store)
        guard let file = selection.file, !followsPins else { return selection.account }
        let active = try store.active()
        // A user in a pinned directory may mean the pinned account, or may have forgotten the pin and mean the active
        // one.
        guard active.current == selection.account.id else {
            let word = AccountText.selector(selection.account, in: store)
            throw ErrorPresenter.pinNotFollowed(file, to: selection.account, word)
        }
        return selection.account
    }
}
