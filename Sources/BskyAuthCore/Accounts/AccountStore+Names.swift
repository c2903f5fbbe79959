package import CredentialVault
internal import FoundationEssentials

extension AccountStore {
    /// The accounts whose UUIDs begin with a name, where it is long enough for that.
    func accounts(beginning name: String) throws -> [UUID] {
        guard name.utf8.count >= 4, name.allSatisfy({ $0.isHexDigit || $0 == "-" }) else { return [] }
        let beginning = name.lowercased()
        return try vault.accounts().filter {
            $0.text.hasPrefix(beginning)
        }
    }

    /// The accounts that may have a name; all of them where the index can't tell. Those that are damaged do not stand in
    /// the way of another, and of all of them none does that can't be read.
    func holders(of name: String) throws -> [AccountProfile] {
        guard let found = try vault.find(name: name) else {
            return try everyProfile().readable
        }
        var holders: [AccountProfile] = []
        for id in found {
            do { holders.append(try profile(id)) } catch let error as any KnownError where error.isDamage {}
        }
        return holders
    }

    /// Makes sure that the label of an account which is about to get it is no other account's handle or DID, and no
    /// beginning of its UUID: it would stand for the other one, at the latest when that is logged out.
    func requireOwnLabel(_ account: AccountProfile) throws {
        guard let label = account.label else { return }
        for other in try holders(of: label)
        where other.id != account.id && other.with(label: nil).answers(to: label) {
            throw CoreError.labelTaken(label, by: other.id)
        }
        if let id = try accounts(beginning: label).first(where: { $0 != account.id }) {
            throw CoreError.labelTaken(label, by: id)
        }
    }

    /// The same before a login. One that replaces the session of an account keeps the label.
    func requireOwnLabel(beforeLogin account: AccountProfile) throws {
        guard account.label != nil, try self.account(sameLoginAs: account) == nil else { return }
        try requireOwnLabel(account)
    }

    /// Makes every account whose profile can be read found by its names again, after a damage of their index.
    ///
    /// - Returns: what was damaged in it.
    @discardableResult
    package func rebuildNames() throws -> [Restoration] {
        let names = try everyProfile().readable.map { (id: $0.id, names: $0.names) }
        return try vault.rebuildNames(names)
    }

    /// The same where the index can't tell who has one of the names, before one more is noted there: a list that was
    /// begun anew with that one would lead to it alone.
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
