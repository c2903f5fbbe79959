internal import ATPCryptography
internal import ATPNetworking
package import ATProtoIdentity
internal import ATProtoOAuth
package import ATProtoSessions
internal import ATProtoVault
internal import ATProtoXRPC
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

    /// A login whose request is pushed.
    private struct Attempt: Sendable {
        let request: LoginRequest
        let target: LoginTarget
        let exchange: LoginExchange
        let authorization: PendingAuthorization
    }

    /// Looks up the server that a login goes to.
    package static func target(
        of identifier: LoginIdentifier, in network: NetworkEnvironment
    ) async throws -> LoginTarget {
        try await IssuerVerifier(network).target(of: identifier)
    }

    /// Runs a login to its end. Nothing is saved before every check has passed.
    ///
    /// - Parameter found: the server, if it was looked up a moment ago.
    package func run(_ request: LoginRequest, at found: LoginTarget? = nil) async throws -> LoginOutcome {
        try await environment.accounts.requireStore()
        let target =
            if let found { found } else {
                try await Self.target(of: request.identifier, in: environment.network)
            }
        if let identity = target.identity { try environment.requireOwnLabel(request.label, of: identity) }
        let pending = LoginInProgress()
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
        _ request: LoginRequest, _ target: LoginTarget, _ pending: LoginInProgress,
        _ listener: any RedirectListener
    ) async throws -> LoginOutcome {
        let attempt = try await push(request, target, listener.port)
        let section = environment.criticalSection
        await pending.await(state: attempt.authorization.state, issuer: target.metadata.issuer) { code in
            // It waits for the disk and for a lock, which the cooperative thread pool must not.
            try await section.uncancelled { await result(attempt, code) }.get()
        }
        await interaction.browser.present(
            AuthorizationPrompt(
                url: attempt.authorization.url, issuer: target.metadata.issuer, port: listener.port,
                usesPage: attempt.exchange.client.isConfidential, timeout: request.timeout),
            to: pending)
        return try await LoginWait(
            pending: pending, clock: environment.network.wallClock, timeout: request.timeout
        )
        .ending().get()
    }

    /// A client and where the browser is sent with the answer.
    private struct Way {
        let client: Client
        var assertions: (any ClientAssertionSource)?
        let redirectURI: String
        let state: State
        var responseMode = ResponseMode.query
    }

    /// The ways to push a request, in the order in which they are tried. The loopback client has two: first with the
    /// portless redirect URI in the client id, then with the exact port if the server refuses that (protocol:L6,
    /// protocol:Differences-between-servers).
    private func ways(
        _ request: LoginRequest, _ metadata: AuthorizationServerMetadata, _ port: Int, _ key: DPoPKey,
        _ cache: SessionCache
    ) async throws -> [Way] {
        let here = LoopbackClientID.redirectURI(port: port)
        switch request.client {
        case .loopback:
            let state = try State()
            return [LoopbackClientID.redirectURI(port: nil), here].map {
                let client = LoopbackClientID.make(scope: request.scope, redirectURI: $0)
                return Way(client: Client(client), redirectURI: here, state: state)
            }
        case .native(let client, scope: _):
            return [Way(client: Client(client), redirectURI: here, state: try State())]
        case .backend(let backend, let code):
            let enrolment = try await environment.enrol(
                key, at: backend, for: metadata.issuer, code: code, cache)
            return [
                Way(
                    client: enrolment.client, assertions: enrolment.assertions,
                    redirectURI: enrolment.redirectURI,
                    state: try pageState(request, port))
            ]
        case .web(let client, let key):
            return [
                Way(
                    client: Client(client.clientID, authentication: .privateKeyJWT(keyID: key.keyID)),
                    assertions: key, redirectURI: client.redirectURI,
                    state: try pageState(request, port),
                    responseMode: metadata.offersFragment ? .fragment : .query)
            ]
        }
    }

    /// The state of a login whose redirect a page on the web hands on. Without a port, the page shows what to paste.
    private func pageState(_ request: LoginRequest, _ port: Int) throws -> State {
        try request.browserIsHere ? State(port: port) : State()
    }

    private func push(
        _ request: LoginRequest, _ target: LoginTarget, _ port: Int
    ) async throws -> Attempt {
        let key = try DPoPKey(random: ())
        let cache = SessionCache(account: nil, store: environment.network.caches)
        var refusal: SessionFailure?
        for way in try await ways(request, target.metadata, port, key, cache) {
            let exchange = LoginExchange(
                environment.network, at: target.metadata, as: way.client, way.assertions,
                cache: cache, sealedBy: environment.accounts.vault)
            do {
                let authorization = try await exchange.push(
                    redirectURI: way.redirectURI, scope: request.scope, state: way.state, key: key,
                    loginHint: target.loginHint, responseMode: way.responseMode)
                sayWhoSeesTheCode(way)
                return Attempt(
                    request: request, target: target, exchange: exchange, authorization: authorization)
            } catch let error as SessionFailure {
                refusal = error
                guard case .oauth(let error, _) = error, error.refusesRedirectURI else { break }
            }
        }
        throw refusal ?? CoreError.listener("no redirect URI was accepted")
    }

    private func sayWhoSeesTheCode(_ way: Way) {
        guard case .privateKeyJWT = way.client.authentication, way.responseMode == .query else { return }
        environment.network.log.notice(
            "this server can't hide the sign-in code from the host of your page; without your key the code is of no use"
        )
    }

    /// Exchanges the code, verifies the owner of the tokens, and saves them.
    private func result(_ attempt: Attempt, _ code: AuthorizationCode) async -> Result<
        LoginOutcome, any Error
    > {
        do { return .success(try await finish(attempt, code)) } catch let error { return .failure(error) }
    }

    private func finish(_ attempt: Attempt, _ code: AuthorizationCode) async throws -> LoginOutcome {
        let verified = try await attempt.exchange.complete(
            code, of: attempt.authorization, for: attempt.target.expected)
        let session = verified.session
        let saved: VaultAccounts.Saved
        do {
            if case .web(let client, let key) = attempt.request.client {
                try await environment.clients.keep(key, of: client, loggedInAt: session.createdAt)
            }
            let account = environment.newAccount(
                verified.identity, label: attempt.request.label, at: session.createdAt)
            saved = try await environment.save(account, session)
        } catch let error {
            if case CoreError.loginKept = error { throw error }
            await attempt.exchange.revoke(verified)
            throw error
        }
        attempt.exchange.cache.keep(for: saved.account.id)
        return LoginOutcome(
            account: saved.account, session: saved.session, replacedSession: !saved.replaced.isEmpty,
            isActive: try await environment.conclude(saved, makesActive: attempt.request.makesActive),
            missingScopes: Permissions(session.scope.values).missing(of: attempt.request.scope.values))
    }
}

/// Waits for the end of a login, with a time limit.
struct LoginWait {
    let pending: LoginInProgress
    let clock: any WallClock
    let timeout: Duration

    func ending() async -> Result<LoginOutcome, any Error> {
        let deadline = clock.now.addingTimeInterval(Double(timeout.components.seconds))
        return await withTaskCancellationHandler {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    // This sleep is usually cancelled.
                    guard (try? await clock.sleep(until: deadline)) != nil else { return }
                    await pending.giveUp(CoreError.loginTimedOut)
                }
                let ending = await pending.ending()
                group.cancelAll()
                return ending
            }
        } onCancel: {
            Task { await pending.giveUp(SessionFailure.cancelled) }
        }
    }
}
