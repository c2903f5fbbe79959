internal import BskyAuthCore

/// The accounts a command that takes several is about: those named, all, or the selected one.
struct AccountTargets {
    let selectors: [String]
    let all: Bool

    func resolve(_ store: AccountStore, _ context: CommandContext) throws(Failure) -> [AccountProfile] {
        guard selectors.isEmpty || !all else { throw .usage("name accounts or say --all, not both") }
        do throws(CoreError) {
            if all { return try store.profiles() }
            if selectors.isEmpty { return [try store.select(context.accountChoice).account] }
            var targets: [AccountProfile] = []
            for selector in selectors {
                let profile = try store.find(selector)
                if !targets.contains(where: { $0.id == profile.id }) { targets.append(profile) }
            }
            return targets
        } catch {
            throw ErrorPresenter.failure(error)
        }
    }
}
