internal import BskyAuthCore
internal import CredentialVault

/// The accounts a command that takes several is about: those named, all, or the selected one.
struct AccountTargets {
    let selectors: [String]
    let all: Bool
    /// Whether a pin may say which; what ends sessions does not go by where it is run.
    var followsPins = true

    func resolve(_ store: AccountStore, _ context: CommandContext) throws(Failure) -> [AccountProfile] {
        guard selectors.isEmpty || !all else { throw .usage("name accounts or say --all, not both") }
        if selectors.isEmpty, !all { return [try selected(store, context)] }
        return try ErrorPresenter.presenting { () throws(CoreError) in
            if all { return try store.profiles() }
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
