package import ATPNetworking
package import ATProtoSessions
package import ATProtoVault
internal import FoundationEssentials
internal import OAuthDPoP

/// Imports an account from another machine's vault, with the same checks as a login. The account keeps its UUID.
package struct ImportFlow: Sendable {
    private let accounts: VaultAccounts
    private let policy: NetworkPolicy

    package init(into accounts: VaultAccounts, _ policy: NetworkPolicy) {
        self.accounts = accounts
        self.policy = policy
    }

    /// The client that a bundle carries with its key; nil without one, or if the bundle can't be read.
    package static func client(in account: PortableAccount) -> HostedClient? {
        (try? Session(record: account.session)).flatMap { session in
            (try? CarriedClient.read(from: account.session, of: session)) ?? nil
        }
    }

    /// Checks the content of a bundle and adds the account to the vault. Nothing is saved before every check has
    /// passed, and no existing account is replaced.
    ///
    /// - Parameter mayActivate: whether the account becomes active if no other one is.
    /// - Returns: the account, its session, and whether the account is active now.
    package func add(
        _ portable: PortableAccount, mayActivate: Bool = true
    ) async throws -> (account: Account, session: Session, isActive: Bool) {
        let account: Account
        let session: Session
        do {
            account = try Account(record: portable.profile)
            session = try Session(record: portable.session)
        } catch let error {
            throw CoreError.unreadableBundle(error)
        }
        guard account.id == portable.id else {
            throw CoreError.unreadableBundle(UnreadableRecord(member: "id"))
        }
        // A login refuses such a label too.
        guard account.label.map(AccountLabel.isValid) ?? true else {
            throw CoreError.unreadableBundle(UnreadableRecord(member: "label"))
        }
        guard session.accessToken.fitsHeader else {
            throw CoreError.unreadableBundle(UnreadableRecord(member: "access_token"))
        }
        switch session.keyProblem {
        case .invalid: throw CoreError.unreadableBundle(UnreadableRecord(member: "dpop_key"))
        case .otherThanBound: throw CoreError.foreignKey(AccountLogin(account, session))
        case nil: break
        }
        try account.checkNetwork(policy)
        let client = try CarriedClient.read(from: portable.session, of: session)
        if let taken = try accounts.account(ifHere: account.id) {
            throw try conflict(of: portable, session, with: taken)
        }
        if let taken = try accounts.account(sameLoginAs: account) { throw VaultError.loginTaken(taken) }
        // The key first: without it, the session would be of no use.
        if let client { try await ClientStore(accounts.vault).adopt(client) }
        if let taken = try await accounts.addNew(account, session, imported: portable.generation) {
            throw VaultError.loginTaken(taken)
        }
        let isActive = try mayActivate && accounts.activate(afterLogin: account.id, isWanted: false)
        return (account, session, isActive)
    }

    /// What keeps an account that is here from being imported. The session of an app password has no key that tells it from that of
    /// another login, so its generation alone counts.
    private func conflict(
        of account: PortableAccount, _ session: Session, with taken: Account
    ) throws -> any Error {
        let key = try accounts.session(account.id).credential.oauth?.key.thumbprint
        guard session.credential.oauth?.key.thumbprint == key else { return VaultError.loginTaken(taken) }
        let present = try accounts.vault.read(.session, of: account.id).generation
        // An export that could not remove the account has taken its tokens, so the bundle alone has them.
        let isLater = try account.generation > present || !accounts.session(account.id).hasTokens
        return CoreError.takeover(isLater ? .laterThanHere(taken) : .alreadyHere(taken))
    }
}
