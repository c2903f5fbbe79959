public import ATPNetworking
public import ATProtoIdentity
internal import ATProtoOAuth
public import FoundationEssentials
internal import Logging
public import OAuthDPoP

/// Logs accounts in, keeps their sessions in a store, and calls their servers (atproto.com/specs/oauth).
///
/// ```swift
/// let client = ATProtoClient(
///     as: .loopback(redirectURI: "http://127.0.0.1/callback"), store: StoredSessions(storage),
///     transport: CurlTransport(policy: policy, userAgent: "my-app"), textRecords: SystemTextRecords(),
///     policy: policy)
/// let account = try await client.login("alice.example.com", with: browser)
/// let profile: Profile = try await client.agent(for: account.id).query("app.bsky.actor.getProfile", ["actor": "alice"])
/// ```
///
/// Use one client for all tasks. It reads no environment variable, installs no signal handler, starts no process and prints
/// nothing. It keeps nonces, clock offsets, identities and servers' metadata in memory, and everything else in the store.
public struct ATProtoClient: Sendable {
    private let identity: ClientIdentity
    private let store: any SessionStore
    private let context: SessionContext
    private let hub = EventHub()

    private var network: NetworkEnvironment { context.network }

    /// - Parameters:
    ///   - identity: who the app is to authorization servers.
    ///   - store: keeps the accounts and their sessions.
    ///   - transport: sends the requests.
    ///   - textRecords: looks up DNS TXT records, by which most domains name their account. Nil for none. Then only those
    ///     handles are found whose web server names the account.
    ///   - policy: which addresses may be contacted. Give the transport the same one.
    ///   - clock: tells the time, and waits.
    public init(
        as identity: ClientIdentity, store: any SessionStore, transport: any HTTPTransport,
        textRecords: (any TextRecordResolver)?, policy: NetworkPolicy = NetworkPolicy(),
        clock: any WallClock = SystemClock()
    ) {
        self.identity = identity
        self.store = store
        let network = NetworkEnvironment(
            policy: policy, transport: transport,
            identities: IdentityResolver(
                handles: HandleResolver(
                    transport: transport, textRecords: textRecords ?? NoTextRecords(), policy: policy),
                dids: DIDResolver(transport: transport, policy: policy), cache: MemoryIdentities()),
            caches: MemoryCaches(), wallClock: clock,
            log: Logger(label: "ATProtoSessions") { _ in SwiftLogNoOpLogHandler() })
        context = SessionContext(
            accounts: StoreAccounts(store: store, network: network, events: hub), network: network,
            work: TaskWork(), keeper: nil)
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
        do {
            let target = try await IssuerVerifier(network).target(of: try Self.identifier(identifier))
            let signer: any ProofSigner = if let signer { signer } else { try DPoPKey(random: ()) }
            let authorization = try await exchange(target.metadata).push(
                redirectURI: identity.redirectURI, scope: Scope(identity.scope), state: try State(),
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
        let redirect: String
        do {
            redirect = try await userAgent.authorize(pending.url, redirectURI: identity.redirectURI)
        } catch {
            var failure = ATProtoFailure(.userAgent, "the login was not completed: \(error)")
            if error is CancellationError { failure = ATProtoFailure(.cancelled, "the login was cancelled") }
            failure.cause = error
            throw failure
        }
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
            network, at: metadata, as: identity.client, nil,
            cache: SessionCache(account: nil, store: network.caches), sealedBy: MemorySeal())
    }

    private func finish(
        _ pending: PendingLogin, _ code: AuthorizationCode, _ exchange: LoginExchange
    ) async throws -> Account {
        let verified = try await exchange.complete(code, of: pending.authorization, for: pending.expected)
        let session = verified.session
        let account: Account
        var replaced: Session?
        do {
            let new = Account(
                id: UUID(), did: verified.identity.did, handle: verified.identity.handle,
                label: pending.label, pds: verified.identity.pds, devNetwork: network.policy.devNetwork,
                addedAt: session.createdAt)
            if let present = try await store.accounts().first(where: new.isSameLogin) {
                replaced = try await store.session(present.id)
                account = new.with(id: present.id, addedAt: present.addedAt)
            } else {
                account = new
            }
            try await store.save(account, session)
        } catch {
            await exchange.revoke(verified)
            throw error
        }
        exchange.cache.keep(for: account.id)
        hub.tell(.loggedIn, account)
        if let replaced { await endReplaced(replaced, of: account) }
        return account
    }

    // MARK: Accounts

    /// All accounts of the store, in the order of their first login.
    public var accounts: [Account] {
        get async throws(ATProtoFailure) {
            do {
                return try await store.accounts().sorted { ($0.addedAt, $0.id) < ($1.addedAt, $1.id) }
            } catch {
                throw ATProtoFailure(error)
            }
        }
    }

    /// Calls the server of an account as the account. The session is refreshed when it needs to be.
    ///
    /// - Parameter id: ``Account/id``. It is looked up at the first call.
    public func agent(for id: UUID) -> Agent { Agent(CallFlow(context, as: id), id) }

    /// Gets new tokens now. A call does it by itself when it needs to, so this is for sessions that are seldom used. Other
    /// callers wait, and the new tokens are saved before anybody uses them.
    ///
    /// A request that was sent goes on if the task is cancelled.
    public func refresh(_ id: UUID) async throws(ATProtoFailure) {
        do {
            _ = try await RefreshFlow(context).refresh(
                id, options: RefreshFlow.Options(isForced: true), lockTimeout: Agent.longestTurn)
        } catch {
            throw ATProtoFailure(error)
        }
    }

    /// Ends a session at its server (RFC 7009), and removes the account from the store.
    ///
    /// - Parameters:
    ///   - id: ``Account/id``.
    ///   - isStrict: whether the account stays if the server could not be told.
    /// - Returns: whether the server was told. A server that says yes may still keep the session.
    @discardableResult
    public func logOut(_ id: UUID, isStrict: Bool = false) async throws(ATProtoFailure) -> Bool {
        do {
            let account = try await store.account(id)
            var wasTold = true
            do { try await end(try await store.session(id), of: account) } catch {
                if isStrict { throw error }
                wasTold = false
            }
            try await store.remove(id)
            SessionCache.forget(id, in: network.caches)
            hub.tell(.loggedOut, account)
            return wasTold
        } catch {
            throw ATProtoFailure(error)
        }
    }

    /// What happens to the accounts of this client from now on. Each call has its own sequence, which ends with the client.
    /// It keeps the newest 1,000 events for a listener that is slow. Saving does not depend on it.
    public var events: AsyncStream<SessionEvent> { hub.listen() }

    private func end(_ session: Session, of account: Account) async throws {
        guard let credential = session.credential.oauth else { return }
        let cache = SessionCache(account: account.id, store: network.caches)
        let server = AuthorizationServer(
            metadata: try await IssuerVerifier(network).metadata(of: credential.issuer),
            transport: network.transport, nonces: cache, clock: cache, clientKey: nil)
        try await OAuthSessionServer(
            clock: network.wallClock, profile: account, credential: credential, server: server
        ).end(session)
    }

    /// Ends a session that a new login has replaced. The new one is saved already, so a failure only leaves the old one to
    /// its own end.
    private func endReplaced(_ session: Session, of account: Account) async {
        do { try await end(session, of: account) } catch {
            network.note("the replaced session was not revoked", error)
        }
    }

    // MARK: Archives

    /// An account with its session, to move it to another machine or another store. Remove it here when it has arrived:
    /// with two copies, the first refresh ends the session of the other one.
    public func archive(of id: UUID) async throws(ATProtoFailure) -> SessionArchive {
        do {
            return SessionArchive(try await store.account(id), try await store.session(id))
        } catch {
            throw ATProtoFailure(error)
        }
    }

    /// Saves an account of an archive with its session. The session's next request shows whether it still works.
    ///
    /// - Returns: the account.
    /// - Throws: ``ATProtoFailure/Code/invalidArgument`` if the store has a session of the account already, and for an account
    ///   of another network.
    public func restore(_ archive: SessionArchive) async throws(ATProtoFailure) -> Account {
        do {
            let account = archive.account
            guard account.devNetwork == network.policy.devNetwork else {
                throw ATProtoFailure(.invalidArgument, "\(account.name) is an account of another network")
            }
            let present = try await store.accounts()
            guard !present.contains(where: { $0.id == account.id || $0.isSameLogin(as: account) }) else {
                throw ATProtoFailure(.invalidArgument, "the store has a session of \(account.name) already")
            }
            try await store.save(account, archive.session)
            hub.tell(.loggedIn, account)
            return account
        } catch {
            throw ATProtoFailure(error)
        }
    }
}

/// No DNS.
private struct NoTextRecords: TextRecordResolver {
    func textRecords(for name: String) -> [String] { [] }
}
