public import ATPNetworking
public import ATProtoIdentity
internal import ATProtoOAuth
public import Logging
public import OAuthDPoP

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Logs accounts in, keeps their sessions in a store, and calls their servers (atproto.com/specs/oauth).
///
/// ```swift
/// let client = ATProtoClient(
///     as: .loopback(redirectURI: "http://127.0.0.1/callback"), store: StoredSessions(storage),
///     transport: transport,
///     identities: NetworkIdentities(transport: transport, textRecords: SystemTextRecords()))
/// let account = try await client.login("alice.example.com", with: browser)
/// let profile: Profile = try await client.agent(for: account.id).query("app.bsky.actor.getProfile", ["actor": "alice"])
/// ```
///
/// Use one client for all tasks. It reads no environment variable, installs no signal handler, starts no process and prints
/// nothing. It keeps nonces, clock offsets, identities and servers' metadata in memory, and everything else in the store.
public struct ATProtoClient: Sendable {
    package let identity: ClientIdentity
    let store: any SessionStore
    let context: SessionContext
    let hub = EventHub()
    /// Logins to one account are saved one after the other, for a store that does not see to that itself.
    let logins = Turns<DID>()
    /// The agents of accounts, with what they have learned of their servers.
    let agents = SharedAgents()

    var network: NetworkEnvironment { context.network }
    package var clock: any WallClock { network.wallClock }

    /// - Parameters:
    ///   - identity: who the app is to authorization servers.
    ///   - store: keeps the accounts and their sessions.
    ///   - transport: sends the requests.
    ///   - identities: says what handles and DIDs lead to.
    ///   - policy: which addresses may be contacted. Give the transport the same one.
    ///   - clock: tells the time, and waits.
    ///   - runner: runs the rotations; nil runs them in this process.
    ///   - log: gets what changes nothing for the caller, such as a revocation that failed, and waits that may be long. It gets no
    ///     secret. Nil logs nothing.
    public init(
        as identity: ClientIdentity, store: any SessionStore, transport: any HTTPTransport,
        identities: any IdentitySource, policy: NetworkPolicy = NetworkPolicy(),
        clock: any WallClock = SystemClock(), runner: (any RotationRunner)? = nil,
        log: Logger? = nil
    ) {
        self.identity = identity
        self.store = store
        let network = NetworkEnvironment(
            policy: policy, transport: transport,
            identities: IdentityResolver(identities, cache: MemoryIdentities()),
            caches: MemoryCaches(), wallClock: clock,
            log: log ?? Logger(label: "ATProtoSessions") { _ in SwiftLogNoOpLogHandler() })
        context = SessionContext(
            accounts: StoreAccounts(store: store, identity: identity, network: network, events: hub),
            network: network,
            work: TaskWork(), keeper: runner)
    }

    // MARK: Login

    /// Finds the account's server and pushes an authorization request (RFC 9126). The person then opens
    /// ``PendingLogin/url``.
    ///
    /// - Parameters:
    ///   - identifier: a handle, a DID, or the https address of a server.
    ///   - label: tells several sessions of one account apart. A login with the same DID and label replaces the session.
    ///   - signer: the key of the new session; nil makes a new `DPoPKey`. Never use one key for two sessions.
    public func begin(
        _ identifier: String, label: String? = nil, signer: (any ProofSigner)? = nil
    ) async throws(ATProtoFailure) -> PendingLogin {
        try await begin(identifier, label: label, signer: signer, redirectURI: identity.redirectURI)
    }

    /// Begins a login whose redirect URI has a port that the client ID may lack (RFC 8252 §7.3).
    package func begin(
        _ identifier: String, label: String?, signer: (any ProofSigner)? = nil, redirectURI: String
    ) async throws(ATProtoFailure) -> PendingLogin {
        do {
            let target = try await IssuerVerifier(network).target(of: try Self.identifier(identifier))
            let signer: any ProofSigner = if let signer { signer } else { try DPoPKey(random: ()) }
            let authorization = try await exchange(target.metadata).push(
                redirectURI: redirectURI, scope: Scope(identity.scope), state: try State(),
                key: signer, loginHint: target.loginHint)
            return PendingLogin(authorization, for: target.expected, label: label)
        } catch {
            throw ATProtoFailure(error)
        }
    }

    /// Exchanges the code of a redirect for tokens, verifies whose they are, and saves the session. The redirect's address,
    /// `state` and `iss` are checked before anything is sent. Tokens that fail a check are revoked, and nothing is saved.
    ///
    /// A request that was sent goes on if the task is cancelled, because a code works once.
    ///
    /// - Parameters:
    ///   - pending: what ``begin(_:label:signer:)`` returned, for one redirect.
    ///   - redirect: the whole URL that the browser was sent to. The query is enough if your handler serves only the redirect
    ///     URI.
    /// - Returns: the account. It keeps its UUID if the login replaces a session of the same DID and label.
    /// - Throws: ``ATProtoFailure``. After ``ATProtoFailure/Code/foreignRedirect`` keep waiting for another redirect, because
    ///   anyone can send one.
    public func complete(
        _ pending: PendingLogin, redirect: String
    ) async throws(ATProtoFailure) -> Account {
        do {
            let authorization = pending.authorization
            guard authorization.clientID == identity.clientID else {
                throw ATProtoFailure(.invalidArgument, "the login is of another client")
            }
            let issuer = try Issuer(
                validating: authorization.issuer, profile: .atproto, policy: network.policy)
            let code = try AuthorizationResponse(
                query: authorization.query(of: redirect), expectedState: authorization.state, issuer: issuer,
                needsIssuer: true
            ).code
            let exchange = exchange(try await IssuerVerifier(network).metadata(of: issuer))
            return try await context.work.uncancelled { () async -> Result<Account, any Error> in
                do { return .success(try await finish(pending, code, exchange)) } catch {
                    return .failure(error)
                }
            }.get()
        } catch let error as OAuthFailure {
            throw ATProtoFailure(redirect: error)
        } catch {
            throw ATProtoFailure(error)
        }
    }

    /// Logs in with a user agent that shows the page and returns the redirect.
    ///
    /// - Parameters:
    ///   - identifier: a handle, a DID, or the https address of a server.
    ///   - label: tells several sessions of one account apart.
    ///   - userAgent: shows the page.
    public func login(
        _ identifier: String, label: String? = nil, with userAgent: any UserAgent
    ) async throws(ATProtoFailure) -> Account {
        let pending = try await begin(identifier, label: label)
        let redirect = try await userAgent.redirect(from: pending.url, to: identity.redirectURI)
        return try await complete(pending, redirect: redirect)
    }

    private static func identifier(_ text: String) throws(ATProtoFailure) -> LoginIdentifier {
        do { return try LoginIdentifier(parsing: text) } catch {
            throw ATProtoFailure(
                .invalidArgument,
                "\(UntrustedText.harmless(text)) is no handle, no DID and no address of a server")
        }
    }

    private func exchange(_ metadata: AuthorizationServerMetadata) -> LoginExchange {
        LoginExchange(
            network, at: metadata, as: identity.client, identity.assertions.first,
            cache: SessionCache(account: nil, store: network.caches), sealedBy: MemorySeal())
    }

    private func finish(
        _ pending: PendingLogin, _ code: AuthorizationCode, _ exchange: LoginExchange
    ) async throws -> Account {
        let verified = try await exchange.complete(code, of: pending.authorization, for: pending.expected)
        let identity = verified.identity
        let new = Account(
            id: UUID(), did: identity.did, handle: identity.handle, label: pending.label, pds: identity.pds,
            devNetwork: network.policy.devNetwork, addedAt: verified.session.createdAt.asRecorded)
        let saved: SavedLogin
        do {
            // Longer than the store itself waits for the account, so that it keeps the login that waits in vain.
            saved = try await logins.hold(new.did, waiting: Turn.longest * 2) {
                () async throws(StoreError) in
                guard let saved = try await store.saveLogin(new, verified.session, replacing: true) else {
                    throw StoreError(.failed)
                }
                return saved
            }
        } catch {
            // The tokens of a login that is kept are in the store, and other machines may use them already.
            if error.code != .kept { await exchange.revoke(verified) }
            throw error
        }
        let account = saved.account
        exchange.cache.keep(for: account.id)
        agents.forget(account.id)
        hub.tell(.loggedIn, account)
        for replaced in saved.replaced { await endReplaced(replaced.session, of: replaced.account) }
        return account
    }
}
