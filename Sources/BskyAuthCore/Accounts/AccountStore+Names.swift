package import ATProtoSessions
package import ATProtoVault
internal import FoundationEssentials

extension AccountStore {
    /// The accounts whose UUIDs begin with a name, if the name is long enough.
    func accounts(beginning name: String) throws(VaultError) -> [UUID] {
        guard name.utf8.count >= 4, name.allSatisfy({ $0.isHexDigit || $0 == "-" }) else { return [] }
        let beginning = name.lowercased()
        return try vault.accounts().filter {
            $0.text.hasPrefix(beginning)
        }
    }

    /// The accounts that may have a name. If the index is unusable, these are all readable accounts. A damaged account
    /// does not prevent finding another account.
    func holders(of name: String) throws(VaultError) -> [Account] { try rules.holders(of: name) }

    /// The other accounts that a name also leads to.
    package func others(named name: String, than account: Account) throws -> [Account] {
        try holders(of: name).filter { $0.id != account.id && $0.answers(to: name) }
    }

    /// Refuses a new label that is another account's handle or DID, or the beginning of its UUID. Such a label could
    /// select the wrong account.
    func requireOwnLabel(_ account: Account) throws(VaultError) {
        guard let label = account.label else { return }
        for other in try holders(of: label)
        where other.id != account.id && other.with(label: nil).answers(to: label) {
            throw .labelTaken(label, by: other.id)
        }
        if let id = try accounts(beginning: label).first(where: { $0 != account.id }) {
            throw .labelTaken(label, by: id)
        }
    }

    /// Refuses such a label before a login. A login that replaces a session keeps the label of its account.
    func requireOwnLabel(beforeLogin account: Account) throws {
        guard account.label != nil, try self.account(sameLoginAs: account) == nil else { return }
        try requireOwnLabel(account)
    }

    /// Rebuilds a damaged index of names from all readable profiles.
    ///
    /// - Returns: the damaged files of the index.
    @discardableResult
    package func rebuildNames() throws -> [Restoration] { try rules.rebuildNames() }
}
