public import ATPNetworking

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A client of one authorization server with pushed requests and DPoP: OAuth 2.1 by RFC 6749, 7636, 8414, 9126, 9207 and
/// 9449, and nothing of AT Protocol.
///
/// ```swift
/// let policy = NetworkPolicy()
/// let client = try OAuthClient(
///     issuer: "https://login.example", clientID: "my-app", redirectURI: "https://app.example/done",
///     scope: "notes.read", transport: CurlTransport(policy: policy, userAgent: "my-app"), policy: policy)
/// let pending = try await client.begin()
/// // Show pending.url in a browser. It ends at the redirect URI with a query.
/// let tokens = try await client.complete(pending, redirect: redirect)
/// let response = try await client.send(request, with: tokens)
/// ```
///
/// The client stores nothing, reads no environment variable, installs no signal handler and prints nothing. It keeps the
/// server's metadata, nonces and clock in memory.
public struct OAuthClient: Sendable {
    let issuer: Issuer
    let client: Client
    let redirectURI: String
    let scope: Scope
    let transport: any HTTPTransport
    let policy: NetworkPolicy
    let now: @Sendable () -> Date
    let memory = ServerMemory()
    let metadata = MetadataMemory()

    /// The longest lifetime that is believed, in seconds: a year.
    static let longestLife: Int64 = 366 * 86400

    /// A public client of one server.
    ///
    /// - Parameters:
    ///   - issuer: the server's identifier, an https URL in its canonical form (RFC 8414 §2).
    ///   - clientID: the identifier by which the server knows the client.
    ///   - redirectURI: where the browser ends. A client of several servers that don't send `iss` needs another one for
    ///     each server (RFC 9700 §4.4.2).
    ///   - scope: the permissions to ask for, separated by spaces.
    ///   - transport: sends the requests.
    ///   - policy: which addresses may be contacted. Give the transport the same one.
    ///   - now: the time of this machine.
    /// - Throws: ``OAuthFailure/Code/invalidIssuer``.
    public init(
        issuer: String, clientID: String, redirectURI: String, scope: String, transport: any HTTPTransport,
        policy: NetworkPolicy = NetworkPolicy(), now: @escaping @Sendable () -> Date = { Date() }
    ) throws(OAuthFailure) {
        do {
            self.issuer = try Issuer(validating: issuer, profile: .plain, policy: policy)
        } catch {
            throw OAuthFailure(error)
        }
        client = Client(ClientID(clientID))
        self.redirectURI = redirectURI
        self.scope = Scope(scope)
        self.transport = transport
        self.policy = policy
        self.now = now
    }

    /// Fetches the server's metadata and pushes an authorization request (RFC 9126). The person then opens
    /// ``PendingAuthorization/url``.
    ///
    /// - Parameter signer: the key of the new session; nil makes a new ``DPoPKey``. Never use one key for two sessions.
    public func begin(signer: (any ProofSigner)? = nil) async throws(OAuthFailure) -> PendingAuthorization {
        let signer: any ProofSigner = if let signer { signer } else { try DPoPKey() }
        let secrets: (state: State, verifier: CodeVerifier)
        do { secrets = (try State(), try CodeVerifier()) } catch { throw OAuthFailure(error) }
        let server = server(try await freshMetadata())
        let request = PushedAuthorizationRequest(
            client: client, redirectURI: redirectURI, scope: scope, state: secrets.state,
            challenge: secrets.verifier.challenge)
        do {
            let pushed = try await server.push(request, key: signer)
            return PendingAuthorization(
                url: server.authorizationURL(for: pushed, clientID: client.id),
                expiry: now().addingTimeInterval(Double(min(pushed.expiresIn, Self.longestLife))),
                issuer: issuer.description,
                clientID: client.id.description, redirectURI: redirectURI, scope: scope.description,
                state: secrets.state, verifier: secrets.verifier, signer: signer)
        } catch {
            throw OAuthFailure(error)
        }
    }

    /// Exchanges the code of a redirect for tokens (RFC 6749 §4.1.3). The redirect's address, `state` and `iss` are checked
    /// before anything is sent. Tokens that are not bound to the key are revoked and not returned.
    ///
    /// A request that was sent goes on if the task is cancelled, because a code works once.
    ///
    /// - Parameters:
    ///   - pending: what ``begin(signer:)`` returned, for one redirect.
    ///   - redirect: the whole URL that the browser was sent to. The query is enough if your handler serves only the redirect
    ///     URI.
    /// - Throws: ``OAuthFailure``. After ``OAuthFailure/Code/foreignRedirect`` keep waiting for another redirect, because
    ///   anyone can send one. If ``OAuthFailure/requestWasSent`` is false, the same redirect can be tried again. Otherwise the
    ///   authorization has ended.
    public func complete(
        _ pending: PendingAuthorization, redirect: String
    ) async throws(OAuthFailure) -> TokenSet {
        guard pending.issuer == issuer.description, pending.clientID == client.id.description else {
            throw OAuthFailure(
                .otherServer, "the authorization is of \(UntrustedText.harmless(pending.issuer))")
        }
        let query = try pending.query(of: redirect)
        func response(needsIssuer: Bool) throws(OAuthFailure) -> AuthorizationResponse {
            do {
                return try AuthorizationResponse(
                    query: query, expectedState: pending.state, issuer: issuer, needsIssuer: needsIssuer)
            } catch {
                throw OAuthFailure(error)
            }
        }
        // A redirect from anybody must not make this client fetch anything.
        _ = try response(needsIssuer: false)
        let metadata: AuthorizationServerMetadata
        do { metadata = try await knownMetadata() } catch { throw error.withNothingSent }
        let code = try response(needsIssuer: metadata.namesIssuerInRedirects).code
        return try await uncancelled { () async throws(OAuthFailure) in
            try await exchange(code, of: pending, at: server(metadata))
        }
    }

    private func exchange(
        _ code: AuthorizationCode, of pending: PendingAuthorization, at server: AuthorizationServer
    ) async throws(OAuthFailure) -> TokenSet {
        let answer: TokenResponse
        do {
            answer = try await server.exchange(
                code, verifier: pending.verifier, redirectURI: pending.redirectURI, client: client,
                key: pending.signer)
        } catch {
            throw await failure(error, at: server, signer: pending.signer)
        }
        try await require(answer, after: nil, at: server, signer: pending.signer)
        return tokens(answer, scope: pending.scope, after: nil, signer: pending.signer)
    }

    /// The server as the requests use it.
    func server(_ metadata: AuthorizationServerMetadata) -> AuthorizationServer {
        AuthorizationServer(
            metadata: metadata, transport: transport, nonces: memory, clock: memory, assertions: nil, now: now
        )
    }

    /// Runs a request that must not be cancelled once it is sent, because its answer has the only tokens that work.
    func uncancelled<Failure: Error>(
        _ work: @escaping @Sendable () async throws(Failure) -> TokenSet
    ) async throws(Failure) -> TokenSet {
        try await Task {
            do throws(Failure) {
                return Result<TokenSet, Failure>.success(try await work())
            } catch { return .failure(error) }
        }.value.get()
    }
}
