internal import ATProtoIdentity
package import ATProtoSessions
internal import FoundationEssentials

/// Which account a name leads to.
extension VaultAccounts {
    /// What a look for a name found.
    package enum Found: Sendable {
        case one(Account)
        /// The name means no account. These are all readable ones.
        case none(of: [Account])
        case several([Account])
    }

    /// Finds an account by its handle, DID, label, UUID or the beginning of its UUID.
    ///
    /// A handle or a DID of several sessions is the session without a label, if the others are of the same DID and network. So a
    /// second login with a label changes nothing for a script that names the handle.
    package func lookUp(_ text: String) throws(VaultError) -> Found {
        let name = text.hasPrefix("@") ? String(text.dropFirst()) : text
        if let id = UUID(uuidString: name), let account = try account(ifHere: id) { return .one(account) }
        var matches: [Account] = []
        if let found = try vault.find(name: name) {
            // In the index, an old name may still lead to the account that had it. An account that can't be read may be the
            // one that is meant.
            for id in found {
                let account = try account(id)
                if account.answers(to: name) { matches.append(account) }
            }
        } else {
            matches = try everyAccount(answeringTo: name)
        }
        if matches.isEmpty {
            for id in try accounts(beginning: name) { matches.append(try account(id)) }
        }
        // If the index misses an account, look at all of them.
        if matches.isEmpty { matches = try everyAccount(answeringTo: name) }
        switch matches.count {
        case 0: return .none(of: try readableAccounts())
        case 1: return .one(matches[0])
        default: return Self.withoutLabel(matches, named: name).map { .one($0) } ?? .several(matches)
        }
    }

    /// All readable accounts with a name.
    ///
    /// - Throws: the error of an account that can't be read, if that one may be meant: the session without a label.
    private func everyAccount(answeringTo name: String) throws(VaultError) -> [Account] {
        let (readable, unreadable) = try all()
        let matches = readable.filter { $0.answers(to: name) }
        let areOthers = matches.allSatisfy { $0.label != nil && $0.with(label: nil).answers(to: name) }
        if let first = unreadable.first, !matches.isEmpty, areOthers { throw first.error }
        return matches
    }

    /// The session that a handle or a DID alone means: the only one without a label, if all are of one DID and one network.
    private static func withoutLabel(_ matches: [Account], named name: String) -> Account? {
        guard matches.allSatisfy({ $0.with(label: nil).answers(to: name) }),
            Set(matches.map(\.did)).count == 1, Set(matches.map(\.devNetwork)).count == 1
        else { return nil }
        let plain = matches.filter { $0.label == nil }
        return plain.count == 1 ? plain[0] : nil
    }

    /// The accounts whose UUIDs begin with a name, if the name is long enough.
    private func accounts(beginning name: String) throws(VaultError) -> [UUID] {
        guard name.utf8.count >= 4, name.allSatisfy({ $0.isHexDigit || $0 == "-" }) else { return [] }
        let beginning = name.lowercased()
        return try vault.accounts().filter { $0.text.hasPrefix(beginning) }
    }

    /// The accounts that may have a name. If the index is unusable, these are all readable accounts. A damaged account
    /// does not prevent finding another account.
    package func holders(of name: String) throws(VaultError) -> [Account] {
        guard let found = try vault.find(name: name) else { return try all().readable }
        return try readable(found)
    }

    /// The other accounts that a name also leads to.
    package func others(named name: String, than account: Account) throws(VaultError) -> [Account] {
        try holders(of: name).filter { $0.id != account.id && $0.answers(to: name) }
    }

    /// The account of the same login as another one: with its DID, label and network.
    package func account(sameLoginAs account: Account) throws(VaultError) -> Account? {
        try holders(of: account.did.description).first { $0.isSameLogin(as: account) }
    }

    /// Refuses a new label that is another account's handle or DID, or the beginning of its UUID. Such a label could
    /// select the wrong account.
    package func requireOwnLabel(_ account: Account) throws(VaultError) {
        guard let label = account.label else { return }
        for other in try holders(of: label)
        where other.id != account.id && other.with(label: nil).answers(to: label) {
            throw .labelTaken(label, by: other.id)
        }
        if let id = try accounts(beginning: label).first(where: { $0 != account.id }) {
            throw .labelTaken(label, by: id)
        }
    }

    // MARK: The index of names

    /// Rebuilds a damaged index of names from all readable accounts.
    ///
    /// - Returns: the damaged files of the index.
    @discardableResult
    package func rebuildNames() throws(VaultError) -> [Restoration] {
        try vault.rebuildNames(try all().readable.map { (id: $0.id, names: $0.names) })
    }

    /// Rebuilds the index if the file of one of the names is damaged. Call this before adding an account to these
    /// names: a new file would list only that account.
    package func repairNames(_ names: [String]) throws(VaultError) {
        for name in names where try vault.find(name: name) == nil {
            try rebuildNames()
            return
        }
    }
}
