internal import ATProtoSessions
internal import ATProtoVault
internal import BskyAuthCore
internal import FoundationEssentials

/// Messages about the active account after a login or logout.
enum ActiveText {
    /// The active account; nil if no account is active or the file is unreadable.
    static func current(_ accounts: VaultAccounts) -> UUID? {
        (try? accounts.active())?.current
    }

    /// After a login to an account that is not the active one.
    static func afterLogin(to account: Account, _ accounts: VaultAccounts) -> String {
        let active = current(accounts).map { id in
            let active = self.account(id, accounts)
            return "active: \(active.map(AccountText.name) ?? id.text)"
        }
        let step = "bskyauth switch \(AccountText.selector(account, in: accounts))"
        return "\(active ?? "no account is active")\n  \(step)"
    }

    /// After the active account was logged out of.
    static func afterLogout(_ accounts: VaultAccounts) -> String {
        let left = (try? accounts.vault.accounts()) ?? []
        let step =
            switch left.count {
            case 0: "login HANDLE"
            case 1:
                "switch "
                    + (account(left[0], accounts).map { AccountText.selector($0, in: accounts) }
                        ?? left[0].text)
            // At a terminal it asks, and elsewhere it says which there are.
            default: "switch"
            }
        return "no account is active now\n  bskyauth \(step)"
    }

    /// Nil if it is unreadable.
    private static func account(_ id: UUID, _ accounts: VaultAccounts) -> Account? {
        try? accounts.account(id)
    }
}
