internal import ATPCryptography
internal import ATProtoSessions
internal import FoundationEssentials

/// A login while it is saved.
struct LoginToSave {
    /// The account that the login adds, if it adds one.
    private(set) var account: Account
    let session: Session
    /// The time of the login.
    let date: Date
    /// The name of its file in `logins/`, by this process or by another one; nil if it has none.
    var kept: UUID?
    /// The write of this login into the store of a shared vault that was begun last; nil if none can have been made.
    var write: LoginWrite?
    /// Whether the store had this login, and another machine has ended it.
    var isEnded = false
    /// The sessions of accounts that another machine logged out of while this one refreshed them.
    var orphans: [(account: Account, session: Session)] = []

    init(account: Account, session: Session, date: Date) {
        self.account = account
        self.session = session
        self.date = date
    }

    init(_ kept: KeptLogin, date: Date) throws(VaultError) {
        account = try Account(kept.profile, of: kept.id)
        session = try Session(kept.session, of: kept.id)
        self.kept = kept.id
        self.date = date
        write = kept.write
    }

    /// Another machine has given the row of the login away, so a new account needs a new UUID.
    mutating func takeNewID() { account = account.with(id: UUID(), addedAt: account.addedAt) }

    /// Notes a write before it is begun, so that it is not repeated under another condition after a kill.
    ///
    /// - Parameter write: nil after a write that was not made, or is undone: then the login may be saved in another way.
    mutating func begin(_ write: LoginWrite?, in vault: CredentialVault) throws(VaultError) {
        if let kept {
            let login = KeptLogin(
                id: kept, profile: account.record, session: session.record, write: write)
            guard try vault.keepAgain(login, at: date) else { throw .overtaken }
        }
        self.write = write
    }

    /// Writes the login into its file in `logins/`.
    mutating func keep(in vault: CredentialVault) throws(VaultError) {
        let id = account.id
        try vault.keep(
            KeptLogin(id: id, profile: account.record, session: session.record, write: write), at: date)
        kept = id
    }

    /// Another machine has logged out of the account of a login that was made.
    mutating func end() -> VaultError {
        isEnded = true
        return .overtaken
    }

    /// The account whose session the login replaces.
    func account(replacing present: Account) -> Account {
        account.with(id: present.id, addedAt: present.addedAt)
    }

    /// What the account of the login has now, if this login may have been made before.
    func saved(as present: Account, _ found: Session) -> VaultAccounts.Saved {
        let isThis = found.isOfSameLogin(as: session)
        return VaultAccounts.Saved(
            account: present, session: found, replaced: orphans + (isThis ? [] : [(account, session)]))
    }
}

/// Logins that are kept in the vault while they are saved.
extension VaultAccounts {
    /// Removes a kept login that is saved. One that stays is recognized as saved later.
    ///
    /// - Returns: whether this call removed it, and no other process.
    @discardableResult
    func discard(_ login: UUID) -> Bool {
        do { return try vault.removeKept(login) } catch { return false }
    }

    /// The kept logins of the same account, this one included. In a shared vault the store may have one of them, and then this
    /// machine gets its account, so that the new login replaces it.
    func keptLogins(like login: LoginToSave) async throws(VaultError) -> [LoginToSave] {
        var found: [LoginToSave] = []
        for kept in try vault.keptLogins() {
            // `vault restore` names a kept login that can't be read.
            guard let other = try? LoginToSave(kept, date: login.date),
                other.account.isSameLogin(as: login.account)
            else { continue }
            _ = try await vault.place.isThere(other.account.id)
            found.append(other)
        }
        return found
    }

    /// Removes the kept logins that this one replaces. A process that waits with one of them finds that it is gone.
    ///
    /// - Parameter replaced: the sessions that are known to be replaced.
    /// - Returns: the accounts and sessions of the others.
    func drop(
        _ others: [LoginToSave], for login: LoginToSave,
        besides replaced: [(account: Account, session: Session)]
    ) -> [(account: Account, session: Session)] {
        var dropped: [(Account, Session)] = []
        for other in others {
            guard let kept = other.kept else { continue }
            let isKnown = ([login.session] + replaced.map(\.session)).contains {
                $0.isOfSameLogin(as: other.session)
            }
            if discard(kept), !isKnown { dropped.append((other.account, other.session)) }
        }
        return dropped
    }
}
