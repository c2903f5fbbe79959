package import ATProtoSessions
package import ATProtoVault
package import FoundationEssentials

/// Which account a command means.
extension VaultAccounts {
    /// The account that a name means: see ``lookUp(_:)``.
    package func find(_ text: String) throws -> Account {
        switch try lookUp(text) {
        case .one(let account): return account
        case .none(of: let known):
            throw known.isEmpty ? CoreError.noAccounts : CoreError.unknownAccount(text, known: known)
        case .several(let candidates): throw CoreError.ambiguousAccount(text, candidates: candidates)
        }
    }

    /// Selects the account of a command: `-a`, then the environment, then the nearest pin, then the active account,
    /// then the only account.
    ///
    /// After a logout of the active account, the only remaining account is not selected. Then the command fails because
    /// no account is active.
    package func select(_ choice: AccountChoice) throws -> AccountSelection {
        if let flag = choice.flag { return AccountSelection(account: try find(flag), source: .flag) }
        if let name = choice.environment {
            return AccountSelection(account: try find(name), source: .environment)
        }
        if let pin = choice.pin {
            guard let account = try account(ifHere: pin.account) else { throw CoreError.unknownPin(pin) }
            return AccountSelection(account: account, source: .pin, file: pin.file)
        }
        let active = try active()
        if let id = active.current { return AccountSelection(account: try account(id), source: .active) }
        let all = try readableAccounts()
        guard let first = all.first else { throw CoreError.noAccounts }
        guard all.count == 1, !active.isExplicitlyNone else { throw CoreError.noneActive(all) }
        return AccountSelection(account: first, source: .only)
    }

    // MARK: The active account

    package func active() throws -> ActiveAccount { try vault.active() }

    /// The active account for a command that selects a new one. An unreadable file counts as no active account.
    package func activeIfReadable() throws -> ActiveAccount {
        do {
            return try vault.active()
        } catch let error {
            guard error.isOfOneFile else { throw error }
            return ActiveAccount(current: nil, previous: nil, isExplicitlyNone: true)
        }
    }

    /// Makes an account active and remembers the previous one.
    package func activate(_ id: UUID?) throws { try vault.setActive(id) }

    /// Makes an account active after its login if the user wants that, or if no account is active. After a logout of
    /// the active account, the second rule applies only if the vault has no other account.
    ///
    /// - Returns: whether the account is active now.
    func activate(afterLogin id: UUID, isWanted: Bool) throws -> Bool {
        let active = try activeIfReadable()
        let hasOthers = try hasOthers(than: id, active)
        let isFirst = active.current == nil && !hasOthers
        if isWanted || isFirst { try activate(id) }
        return isWanted || isFirst || active.current == id
    }

    /// Whether the user logged out of the active account and the vault still has other accounts.
    private func hasOthers(than id: UUID, _ active: ActiveAccount) throws -> Bool {
        guard active.isExplicitlyNone else { return false }
        return try vault.accounts().contains { $0 != id }
    }
}
