package import ATPCryptography
internal import ATPNetworking
internal import ATProtoIdentity
package import ATProtoSessions
internal import ATProtoVault
internal import ATProtoXRPC
package import BskyAuthCore
internal import FoundationEssentials

/// An account that a gateway serves, with the secret of this run that chooses it.
package struct GatewayAccount: Sendable {
    /// The account when the gateway began. A later `switch` or a new handle changes nothing about which account it is.
    package let profile: Account
    /// What a program shows to act as the account. It is good at this gateway only.
    package let secret: String

    /// How the account was logged in when the gateway began; nil if its session was unreadable.
    private let terms: LoginTerms?
    private let accounts: AccountStore
    private let policy: NetworkPolicy
    private let calls: CallFlow

    package init(
        _ profile: Account, in environment: SessionEnvironment
    ) throws(CryptographyError) {
        self.profile = profile
        secret = try RunKeys.secret()
        accounts = environment.accounts
        policy = environment.network.policy
        terms = accounts.terms(of: profile)
        calls = CallFlow(environment.context, as: profile.id)
    }

    /// The names by which a program may call the account, in lower case.
    var names: [String] {
        [profile.did.description] + [profile.handle?.description.lowercased()].compactMap(\.self)
    }

    /// The handle, or what atproto says in place of one that can't be verified.
    package var handle: String { profile.handle?.description ?? "handle.invalid" }

    /// Whether text is the secret, in a time that does not depend on the text.
    func hasSecret(_ text: String) -> Bool {
        ConstantTime.equals(Array(secret.utf8), Array(text.utf8))
    }

    /// Throws if the session has ended, as far as the vault knows, or belongs to another network.
    package func checkSession() throws {
        try profile.checkNetwork(policy)
        let session = try session()
        guard let ending = session.ending else { return }
        throw SessionFailure.sessionEnded(AccountLogin(profile, session), ending)
    }

    private func session() throws -> Session {
        do { return try accounts.session(profile.id) } catch VaultError.noSuchAccount {
            throw CoreError.loggedOut(profile, terms)
        }
    }

    /// Sends a call with the account's session.
    func send(_ call: XRPCRequest, lockTimeout: Duration) async throws -> TransportResponse {
        let isLong = call.body.length.map { $0 > Self.longBody } ?? true
        do {
            return try await calls.send(
                call, lockTimeout: lockTimeout, awaitsRefresh: false,
                minimumLife: isLong ? Self.lifeForLongBodies : nil)
        } catch let error as any KnownError where !error.isPassing {
            // The process that refreshes may have found out that the session has ended.
            try checkSession()
            throw error
        }
    }

    /// A body that may take long to send, in bytes.
    private static let longBody = 1 << 20
    /// How many seconds a token must be good for such a body.
    private static let lifeForLongBodies = 300.0
}
