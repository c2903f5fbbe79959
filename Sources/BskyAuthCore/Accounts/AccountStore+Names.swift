package import ATProtoSessions
package import ATProtoVault
internal import FoundationEssentials

extension AccountStore {
    /// The accounts whose UUIDs begin with a name, if the name is long enough.
    func accounts(beginning name: String) throws -> [UUID] {
        guard name.utf8.count >= 4, name.allSatisfy({ $0.isHexDigit || $0 == "-" }) else { return [] }
        let beginning = name.lowercased()
        return try vault.accounts().filter {
            $0.text.hasPrefix(beginning)
        }
    }

    /// The accounts that may have a name. If the index is unusable, these are all readable accounts. A damaged account
    /// does not prevent finding another account.
    func holders(of name: String) throws -> [Account] {
        guard let found = try vault.find(name: name) else {
            return try everyProfile().readable
        }
        var holders: [Account] = []
        for id in found {
            do { holders.append(try profile(id)) } catch let error as any KnownError where error.isDamage {}
        }
        return holders
    }

    /// The other accounts that a name also leads to.
    package func others(named name: String, than account: Account) throws -> [Account] {
        try holders(of: name).filter { $0.id != account.id && $0.answers(to: name) }
    }

    /// Refuses a new label that is another account's handle or DID, or the beginning of its UUID. Such a label could
    /// select the wrong account.
    func requireOwnLabel(_ account: Account) throws {
        guard let label = account.label else { return }
        for other in try holders(of: label)
        where other.id != account.id && other.with(label: nil).answers(to: label) {
            throw CoreError.labelTaken(label, by: other.id)
        }
        if let id = try accounts(beginning: label).first(where: { $0 != account.id }) {
            throw CoreError.labelTaken(label, by: id)
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
    package func rebuildNames() throws -> [Restoration] {
        let names = try everyProfile().readable.map { (id: $0.id, names: $0.names) }
        return try vault.rebuildNames(names)
    }

    /// Rebuilds the index if the file of one of the names is damaged. Call this before adding an account to these
    /// names: a new file would list only that account.
    func repairNames(_ names: [String]) throws {
        for name in names {
            let known = try vault.find(name: name)
            if known == nil {
                try rebuildNames()
                return
            }
        }
    }
}
