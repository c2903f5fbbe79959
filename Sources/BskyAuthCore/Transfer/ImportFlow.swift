package import CredentialVault
internal import FoundationEssentials
package import Networking
internal import OAuth

/// Takes an account of another machine's vault in, as a login would, but for its UUID: that one was minted
/// when the account was logged in, and moves with it.
package struct ImportFlow: Sendable {
    private let accounts: AccountStore
    private let policy: NetworkPolicy

    package init(into accounts: AccountStore, _ policy: NetworkPolicy) {
        self.accounts = accounts
        self.policy = policy
    }

    /// Checks what a bundle holds and adds it to the vault. Nothing is saved before every check has passed,
    /// and nothing that is there is replaced.
    ///
    /// - Returns: the account, its session, and whether it is the active one now.
    package func add(
        _ account: PortableAccount
    ) throws -> (profile: AccountProfile, session: Session, isActive: Bool) {
        let profile: AccountProfile
        let session: Session
        do {
            profile = try AccountProfile(record: account.profile)
            session = try Session(record: account.session)
        } catch let error {
            throw CoreError.unreadableBundle(error)
        }
        guard profile.id == account.id else {
            throw CoreError.unreadableBundle(UnreadableRecord(member: "id"))
        }
        // What a login would not have taken either.
        guard profile.label.map(AccountLabel.isValid) ?? true else {
            throw CoreError.unreadableBundle(UnreadableRecord(member: "label"))
        }
        guard Self.fitsHeader(session.accessToken) else {
            throw CoreError.unreadableBundle(UnreadableRecord(member: "access_token"))
        }
        if let key = session.credential.oauth?.key {
            guard (try? key.verify()) != nil else {
                throw CoreError.unreadableBundle(UnreadableRecord(member: "dpop_key"))
            }
            if let bound = session.accessToken.confirmedThumbprint, bound != key.thumbprint {
                throw CoreError.foreignKey(AccountLogin(profile, session))
            }
        }
        try profile.checkNetwork(policy)
        if let taken = try accounts.account(profile.id) { throw CoreError.labelInUse(taken) }
        if let taken = try accounts.add(profile, session, after: account.generation) {
            throw CoreError.labelInUse(taken)
        }
        return (profile, session, try accounts.activate(afterLogin: profile.id, isWanted: false))
    }

    /// Whether a token can stand behind its scheme in a header field (RFC 6750 §2.1, where it is letters, digits and
    /// some signs).
    private static func fitsHeader(_ token: AccessToken) -> Bool {
        let text = token.reveal()
        return !text.isEmpty && text.utf8.allSatisfy { 0x21...0x7e ~= $0 }
    }
}
