internal import ATProtoSessions
internal import FoundationEssentials

/// Where the accounts of a vault are changed: in the files of this machine alone, or in the store of a shared vault first. Which one it
/// is stays the same for an opened vault.
///
/// The rotation of a session is not in it: its steps with a store are an order for crashes, which ``VaultRotation`` shows.
protocol AccountPlace: Sendable {
    /// Whether an account is here. In a shared vault, after a look into the store.
    func isThere(_ id: UUID) async throws(VaultError) -> Bool

    /// Adds the accounts of other machines here, and removes those that they logged out of.
    ///
    /// - Returns: the accounts that are gone, also those whose files can't be removed here.
    func lookForOthers() async throws(VaultError) -> [UUID]

    /// Checks that the place can be written, before a person does something that ends in a write.
    func requireStore() async throws(VaultError)

    /// Brings the account here up to date.
    ///
    /// - Throws: ``VaultError/noSuchAccount(_:)`` if another machine has logged out of it.
    func catchUp(_ id: UUID, under lock: borrowing AccountLock) async throws(VaultError)

    /// Whether this machine has a session of the account that other machines don't have.
    func isUnfinished(_ id: UUID) throws(VaultError) -> Bool

    // MARK: Adding

    /// Adds an account with a UUID of its own: see ``VaultAccounts/add(_:_:imported:checking:)``.
    func add(
        _ account: Account, _ session: Session, imported: UInt64?,
        checking check: () throws(VaultError) -> Void
    ) async throws(VaultError) -> Account?

    /// Adds an account, also if another one has its login already.
    func addAnyway(_ account: Account, _ session: Session) async throws(VaultError)

    /// Adds the account of a login, unless there is one.
    ///
    /// - Returns: nil if another machine has changed something meanwhile, so that the login has to look again.
    func addNew(
        _ login: inout LoginToSave, checking check: () throws(VaultError) -> Void
    ) async throws(VaultError) -> LoginPlace?

    /// Finishes the write of a login that was kept because the store did not answer: under the same condition, because the store may
    /// have had its session, and another machine may have ended it since.
    func finish(
        _ write: LoginWrite, of login: inout LoginToSave
    ) async throws(VaultError) -> VaultAccounts.Saved

    // MARK: Changing

    /// Changes an account: see ``VaultAccounts/replace(_:under:writing:_:)``.
    func replace(
        _ id: UUID, under lock: borrowing AccountLock,
        writing begin: (LoginWrite?) throws(VaultError) -> Void,
        _ change: (_ present: PresentAccount, _ mayBeWritten: Bool) throws(VaultError) -> AccountChange?
    ) async throws(VaultError) -> Bool

    /// Gives an account another label: see ``VaultAccounts/rename(_:to:under:checking:)``.
    func rename(
        _ id: UUID, to label: String?, under lock: borrowing AccountLock,
        checking check: (Account) throws(VaultError) -> Void
    ) async throws(VaultError) -> Account

    // MARK: Removing

    /// Keeps other machines from spending the token of an account that is removed next.
    ///
    /// - Parameter limit: how long to wait for other machines.
    /// - Throws: ``VaultError/noSuchAccount(_:)`` if another machine has removed it.
    func beginRemoval(
        of id: UUID, under lock: borrowing AccountLock, waiting limit: Duration
    ) async throws(VaultError)

    /// Removes an account everywhere but from the files of this machine.
    ///
    /// - Throws: ``VaultError/overtaken`` if another machine has logged in to the account since.
    func remove(_ id: UUID, under lock: borrowing AccountLock) async throws(VaultError)
}

/// What became of the account of a login.
enum LoginPlace {
    /// The login made a new account.
    case added
    /// This account has the login, or its UUID, already.
    case holder(Account)
    /// The login was made, and another one may have replaced it since.
    case saved(VaultAccounts.Saved)
}

extension CredentialVault {
    var place: any AccountPlace {
        if let sharedAccounts { return sharedAccounts }
        return LocalAccounts(vault: self)
    }
}
