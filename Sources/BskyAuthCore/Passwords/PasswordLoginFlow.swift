internal import ATPNetworking
package import ATProtoIdentity
package import ATProtoSessions
internal import ATProtoVault
internal import ATProtoXRPC
internal import FoundationEssentials
internal import OAuthDPoP

/// The login with an app password (protocol:App-passwords). Nothing is saved before every check has passed.
package struct PasswordLoginFlow: Sendable {
    private let environment: SessionEnvironment

    package init(_ environment: SessionEnvironment) {
        self.environment = environment
    }

    /// Looks up an account. The identity decides where the password is sent, so neither a cache nor a resolver service is used.
    package static func identity(
        of identifier: ATIdentifier, in network: NetworkEnvironment
    ) async throws -> Identity {
        try await network.identities.resolve(identifier, freshness: .now)
    }

    /// - Parameters:
    ///   - found: the identity, if it was looked up a moment ago.
    ///   - factor: asks for the code from the e-mail; nil gives up.
    ///   - makesActive: whether the account becomes active even if another account is active.
    package func run(
        _ identifier: ATIdentifier, found: Identity? = nil, password: String, label: String?,
        makesActive: Bool,
        factor: @Sendable () async -> String?
    ) async throws -> LoginOutcome {
        try await environment.accounts.requireStore()
        let identity =
            if let found { found } else {
                try await Self.identity(of: identifier, in: environment.network)
            }
        let now = environment.network.wallClock.now
        let account = environment.newAccount(identity, label: label, at: now)
        try await refuseToWeaken(account)
        try environment.accounts.requireOwnLabel(beforeLogin: account)
        let server = PasswordSessionServer(network: environment.network, service: identity.pds, account: nil)
        let answer = try await create(server, identity.did, password, factor)
        let session = Session(answer, service: identity.pds, askedAt: now)
        let saved: VaultAccounts.Saved
        do {
            guard answer.did == identity.did.description else {
                throw SessionFailure.verification(
                    .subjectIsAnother(expected: identity.did.description, received: answer.did))
            }
            saved = try await environment.save(account, session)
        } catch let error {
            if case CoreError.loginKept = error { throw error }
            await endStray(server, session)
            throw error
        }
        SessionCache.forget(saved.account.id, in: environment.network.caches)
        return LoginOutcome(
            account: saved.account, session: saved.session, replacedSession: !saved.replaced.isEmpty,
            isActive: try await environment.conclude(saved, makesActive: makesActive),
            missingScopes: [])
    }

    /// Refuses to replace an OAuth session by an app password. With another label, the login makes a separate account.
    private func refuseToWeaken(_ account: Account) async throws {
        guard let earlier = try environment.accounts.account(sameLoginAs: account) else { return }
        let session: Session
        do {
            session = try environment.accounts.session(earlier.id)
        } catch let error {
            guard error.isDamage else { throw error }
            return
        }
        if case .oauth = session.credential { throw CoreError.labelHoldsOAuth(earlier) }
    }

    private func create(
        _ server: PasswordSessionServer, _ did: DID, _ password: String, _ factor: () async -> String?
    ) async throws -> PasswordSessionServer.Answer {
        do {
            return try await server.create(identifier: did, password: password, factor: nil)
        } catch let error {
            guard case .xrpc(let refusal, _) = error, refusal.name == "AuthFactorTokenRequired",
                let code = await factor()
            else { throw error }
            return try await server.create(identifier: did, password: password, factor: code)
        }
    }

    private func endStray(_ server: PasswordSessionServer, _ session: Session) async {
        do {
            try await server.end(session)
        } catch let error {
            environment.network.note("the stray session could not be ended", error)
        }
    }
}
