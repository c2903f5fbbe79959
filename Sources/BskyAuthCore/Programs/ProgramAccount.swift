package import ATPCryptography
internal import ATPNetworking
internal import ATProtoGateway
internal import ATProtoIdentity
package import ATProtoSessions
internal import ATProtoVault
internal import FoundationEssentials

/// An account that programs may act as while a command runs, with the secret that chooses it.
package struct ProgramAccount: Sendable {
    /// The account when the run began. A later `switch` or a new handle changes nothing about which account it is.
    package let account: Account
    /// What a program shows to act as the account. It is good in this run only.
    package let secret: String

    /// How the account was logged in when the run began; nil if its session was unreadable.
    private let terms: LoginTerms?
    private let context: SessionContext
    private let policy: NetworkPolicy
    let agent: Agent

    package init(
        _ account: Account, in environment: SessionEnvironment
    ) throws(CryptographyError) {
        self.account = account
        secret = try RunKeys.secret()
        context = environment.context
        policy = environment.network.policy
        terms = environment.accounts.terms(of: account)
        agent = Agent(CallFlow(context, as: account.id))
    }

    /// Whether text is the secret, in a time that does not depend on the text.
    func hasSecret(_ text: String) -> Bool {
        ConstantTime.equals(Array(secret.utf8), Array(text.utf8))
    }

    /// Throws if the session has ended, as far as the vault knows, or belongs to another network.
    ///
    /// - Parameter limit: how long to wait for another process, if the session has ended here.
    package func checkSession(waiting limit: Duration) async throws {
        try account.checkNetwork(policy)
        do { try await context.usableSession(account.id, waiting: limit) } catch VaultError.noSuchAccount {
            throw CoreError.loggedOut(account, terms)
        }
    }
}
