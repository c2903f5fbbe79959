package import ATProtoSessions
package import ATProtoVault
package import FoundationEssentials

/// The account that `switch` means if the user names none.
extension ActiveAccount {
    /// The account that was active before: `switch -`.
    package func accountBefore() throws -> UUID {
        guard let previous else { throw CoreError.noPreviousAccount }
        return previous
    }

    /// The other one of two accounts: `switch` without an argument; nil if the user has to choose.
    ///
    /// - Parameter accounts: all accounts of the vault.
    package func other(of accounts: [Account]) throws -> Account? {
        guard !accounts.isEmpty else { throw CoreError.noAccounts }
        guard let current, accounts.count == 2 else { return nil }
        return accounts.first { $0.id != current }
    }
}
