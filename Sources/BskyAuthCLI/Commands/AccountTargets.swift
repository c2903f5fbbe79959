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
    typealias Damaged = [(id: UUID, error: CoreError)]

    func resolve(
        _ store: AccountStore, _ context: CommandContext
    ) throws(Failure) -> (accounts: [AccountProfile], damaged: Damaged) {
        guard selectors.isEmpty || !all else { throw .usage("name accounts or say --all, not both") }
        if all {
            let (accounts, damaged) = try ErrorPresenter.presenting { () throws(CoreError) in
                try store.everyProfile()
            }
            return (accounts, damaged)
        }
        return (selectors.isEmpty ? [try selected(store, context)] : try named(store), [])
    }

    private func named(_ store: AccountStore) throws(Failure) -> [AccountProfile] {
        try ErrorPresenter.presenting { () throws(CoreError) in
            var targets: [AccountProfile] = []
            for selector in selectors {
                let profile = try store.find(selector)
                if !targets.contains(where: { $0.id == profile.id }) { targets.append(profile) }
            }
            return targets
        }
    }

    private func selected(
        _ store: AccountStore, _ context: CommandContext
    ) throws(Failure) -> AccountProfile {
        let selection = try context.select(in: store)
        guard let file = selection.file, !followsPins else { return selection.account }
        let active = try ErrorPresenter.presenting { () throws(CoreError) in try store.active() }
        // Whoever works under the pin means its account, and whoever forgot it the active one.
        guard active.current == selection.account.id else {
            throw ErrorPresenter.pinNotFollowed(file, to: selection.account)
        }
        return selection.account
    }
}
