internal import ATPCryptography
internal import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoOAuth
internal import ATProtoSessions
internal import FoundationEssentials
internal import Logging
internal import OAuthDPoP

/// The login of an account: the AT Protocol OAuth profile from an identifier to a sealed session
/// (atproto.com/specs/oauth; RFC 9126, 7636, 9449, 9207).
package struct LoginFlow: Sendable {
    private let environment: SessionEnvironment
    private let interaction: LoginInteraction

    package init(_ environment: SessionEnvironment, _ interaction: LoginInteraction) {
        self.environment = environment
        self.interaction = interaction
    }

    /// The result of discovery: the server to log in at, and the account if it is known.
    private struct Target {
        /// nil when only a server was named.
        let identity: Identity?
        let metadata: AuthorizationServerMetadata
        /// The login hint for the server (protocol:R34); nil if the user named only a server.
        let loginHint: String?
    }

    /// The values that the redirect from the browser is checked against.
    private struct Attempt: Sendable {
        let request: LoginRequest
        let identity: Identity?
        let loginHint: String?
        let responseMode: ResponseMode
        let server: AuthorizationServer
        let key: DPoPKey
        let verifier: CodeVerifier
        let client: Client
        let state: State
        let redirectURI: String
        let cache: SessionCache

        var pushed: PushedAuthorizationRequest {
            PushedAuthorizationRequest(
                client: client, redirectURI: redirectURI, scope: request.scope, state: state,
                challenge: verifier.challenge, loginHint: loginHint, responseMode: responseMode)
        }
    }

    /// Runs a login to its end. Nothing is saved before every check has passed.
    package func run(_ request: LoginRequest) async throws -> LoginOutcome {
        let target = try await target(of: request.identifier)
        if let identity = target.identity { try environment.requireOwnLabel(request.label, of: identity) }
        let pending = PendingLogin()
        let listener = try await interaction.redirects.listen(
            ports: request.ports, path: LoopbackClientID.redirectPath
        ) { query in
            await pending.receive(query: query)
        }
        do {
            let outcome = try await authorize(request, target, pending, listener)
            await listener.close()
            return outcome
        } catch let error {
            await listener.close()
            throw error
        }
    }

    private func authorize(
        _ request: LoginRequest, _ target: Target, _ pending: PendingLogin, _ listener: any RedirectListener
    ) async throws -> LoginOutcome {
        let cache = SessionCache(account: nil, store: environment.network.caches)
        let (attempt, url) = try await push(request, target, listener.port, cache)
        let section = environment.criticalSection
        await pending.await(state: attempt.state, issuer: target.metadata.issuer) { code in
            // It waits for the disk and for a lock, which the cooperative thread pool must not.
            try await section.uncancelled { await result(attempt, code) }.get()
        }
        await interaction.browser.present(
            AuthorizationPrompt(
                url: url, issuer: target.metadata.issuer, port: listener.port,
                usesPage: attempt.client.isConfidential, timeout: request.timeout),
            to: pending)
        return try await LoginWait(
            pending: pending, clock: environment.network.wallClock, timeout: request.timeout
        )
        .ending().get()
    }

    // MARK: Discovery

    private func target(of identifier: LoginIdentifier) async throws -> Target {
        let verifier = IssuerVerifier(environment.network)
        switch identifier {
        case .handle(let handle):
            let (identity, metadata) = try await verifier.account(.handle(handle))
            return Target(identity: identity, metadata: metadata, loginHint: handle.description)
        case .did(let did):
            let (identity, metadata) = try await verifier.account(.did(did))
            return Target(
                identity: identity, metadata: metadata,
                loginHint: identity.handle?.description ?? did.description)
        case .server(let origin):
            let metadata = try await verifier.metadata(ofTypedServer: origin)
            return Target(identity: nil, metadata: metadata, loginHint: nil)
        }
    }

    // MARK: Pushed authorization request

    /// A client and where the browser is sent with the answer.
    private struct Way {
        let client: Client
        var clientKey: ClientKey?
        let redirectURI: String
        let state: State
        var responseMode = ResponseMode.query
    }

    /// The ways to push a request, in the order in which they are tried. The loopback client has two: first with the
    /// portless redirect URI in the client id, then with the exact port if the server refuses that (protocol:L6,
    /// protocol:Differences-between-servers).
    private func ways(
        _ request: LoginRequest, _ metadata: AuthorizationServerMetadata, _ port: Int
    ) throws -> [Way] {
        let here = LoopbackClientID.redirectURI(port: port)
        switch request.client {
        case .loopback:
            let state = try State()
            return [LoopbackClientID.redirectURI(port: nil), here].map {
                let client = LoopbackClientID.make(scope: request.scope, redirectURI: $0)
                return Way(client: Client(client), redirectURI: here, state: state)
            }
        case .native(let client): return [Way(client: Client(client), redirectURI: here, state: try State())]
        case .web(let client, let key):
            return [
                Way(
                    client: Client(client.clientID, authentication: .privateKeyJWT(keyID: key.keyID)),
                    clientKey: key, redirectURI: client.redirectURI,
                    state: try request.browserIsHere ? State(port: port) : State(),
                    responseMode: metadata.offersFragment ? .fragment : .query)
            ]
        }
    }

    private func push(
        _ request: LoginRequest, _ target: Target, _ port: Int, _ cache: SessionCache
    ) async throws -> (Attempt, HTTPURL) {
        let key = try DPoPKey(random: ())
        var refusal: OAuthError?
        for way in try ways(request, target.metadata, port) {
            let server = AuthorizationServer(
                metadata: target.metadata, transport: environment.network.transport, nonces: cache,
                clock: cache, clientKey: way.clientKey)
            let attempt = Attempt(
                request: request, identity: target.identity, loginHint: target.loginHint,
                responseMode: way.responseMode, server: server, key: key, verifier: try CodeVerifier(),
                client: way.client, state: way.state, redirectURI: way.redirectURI, cache: cache)
            do {
                let pushed = try await server.push(attempt.pushed, key: key)
                sayWhoSeesTheCode(way)
                return (attempt, server.authorizationURL(for: pushed, clientID: way.client.id))
            } catch let error {
                refusal = error
                guard error.refusesRedirectURI else { break }
            }
        }
        throw refusal.map { SessionFailure.oauth($0, nil) }
            ?? CoreError.listener("no redirect URI was accepted")
    }

    private func sayWhoSeesTheCode(_ way: Way) {
        guard way.clientKey != nil, way.responseMode == .query else { return }
        environment.network.log.notice(
            "this server can't hide the sign-in code from the host of your page; without your key the code is of no use"
        )
    }

    // MARK: Token request and verification

    /// Exchanges the code, verifies the owner of the tokens, and saves them.
    private func result(_ attempt: Attempt, _ code: AuthorizationCode) async -> Result<
        LoginOutcome, any Error
    > {
        do { return .success(try await finish(attempt, code)) } catch let error { return .failure(error) }
    }

    private func finish(_ attempt: Attempt, _ code: AuthorizationCode) async throws -> LoginOutcome {
        let now = environment.network.wallClock.now
        let response: TokenResponse
        do {
            response = try await attempt.server.exchange(
                code, verifier: attempt.verifier, redirectURI: attempt.redirectURI,
                client: attempt.client, key: attempt.key)
        } catch let error {
            throw SessionFailure.oauth(error, nil)
        }
        let session = Session(
            response,
            OAuthCredential(
                issuer: attempt.server.metadata.issuer, client: attempt.client, key: attempt.key),
            askedAt: now)
        let saved: AccountStore.Saved
        do {
            let identity = try await verify(response, attempt)
            if case .web(let client, let key) = attempt.request.client {
                try environment.clients.keep(key, of: client, loggedInAt: now)
            }
            saved = try await save(session, identity, attempt, at: now)
        } catch let error {
            if case CoreError.loginKept = error { throw error }
            await revokeStray(response, attempt)
            throw error
        }
        attempt.cache.keep(for: saved.profile.id)
        return LoginOutcome(
            account: saved.profile, session: saved.session, replacedSession: !saved.replaced.isEmpty,
            isActive: try await environment.conclude(saved, makesActive: attempt.request.makesActive),
            missingScopes: GrantedScope.missing(from: session.scope, requested: attempt.request.scope))
    }

    /// The checks between a token response and a session (protocol:R43-R46).
    private func verify(_ response: TokenResponse, _ attempt: Attempt) async throws -> Identity {
        do {
            try response.validate(for: .atproto)
        } catch let error {
            throw SessionFailure.verification(.tokenResponse(error))
        }
        guard let subject = response.subject, let did = try? DID(validating: subject) else {
            throw SessionFailure.verification(.subjectIsNoDID)
        }
        if let expected = attempt.identity?.did, expected != did {
            throw SessionFailure.verification(
                .subjectIsAnother(expected: expected.description, received: did.description))
        }
        let identity = try await IssuerVerifier(environment.network).verify(
            did, issuer: attempt.server.metadata.issuer, cache: attempt.cache,
            sealedBy: environment.accounts.vault
        ).identity
        guard attempt.identity?.isFirstHand == false, case .handle(let typed) = attempt.request.identifier,
            identity.handle != typed
        else { return identity }
        // A cached identity or a resolver service may have led from the typed handle to a wrong account. So resolve the
        // handle again. A failed look-up is a different error.
        let current = try await environment.network.identities.resolve(.handle(typed), freshness: .now)
        guard current.did == did else {
            throw SessionFailure.verification(.handleIsAnothers(typed.description))
        }
        return Identity(document: identity.document, handle: typed, isFirstHand: true)
    }

    /// Revokes tokens that failed verification, at the server that issued them. The result is ignored, because the
    /// server may be hostile and the earlier error is the one to report.
    private func revokeStray(_ response: TokenResponse, _ attempt: Attempt) async {
        guard let token = response.tokenToRevoke else { return }
        do {
            try await attempt.server.revoke(token, client: attempt.client, key: attempt.key)
        } catch let error {
            environment.network.note("the stray tokens could not be revoked", error)
        }
    }

    private func save(
        _ session: Session, _ identity: Identity, _ attempt: Attempt, at now: Date
    ) async throws -> AccountStore.Saved {
        let profile = environment.newAccount(identity, label: attempt.request.label, at: now)
        return try await environment.save(profile, session)
    }
}
