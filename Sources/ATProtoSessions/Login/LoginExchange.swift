internal import ATPNetworking
package import ATProtoIdentity
internal import ATProtoOAuth
package import OAuthDPoP

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A login at its authorization server: the pushed request, and the exchange of the code for tokens that belong to the
/// expected account (atproto.com/specs/oauth; RFC 9126, 7636, 9449, 9207).
package struct LoginExchange: Sendable {
    private let network: NetworkEnvironment
    private let seal: any CacheSeal
    package let server: AuthorizationServer
    package let client: Client
    /// The nonces, the clock and the verified issuer, which the new account keeps.
    package let cache: SessionCache

    /// - Parameter assertions: authenticates a confidential client; nil for a public one.
    package init(
        _ network: NetworkEnvironment, at metadata: AuthorizationServerMetadata, as client: Client,
        _ assertions: (any ClientAssertionSource)?, cache: SessionCache, sealedBy seal: any CacheSeal
    ) {
        self.network = network
        self.seal = seal
        self.client = client
        self.cache = cache
        server = AuthorizationServer(
            metadata: metadata, transport: network.transport, nonces: cache, clock: cache,
            assertions: assertions)
    }

    /// Pushes the request of a new login.
    ///
    /// - Parameter key: the key of the new session, which no other session has.
    /// - Returns: what the redirect is checked against, with the page for the browser.
    package func push(
        redirectURI: String, scope: Scope, state: State, key: any ProofSigner, loginHint: String?,
        responseMode: ResponseMode = .query
    ) async throws -> PendingAuthorization {
        let verifier = try CodeVerifier()
        let pushed: PushedAuthorizationResponse
        do {
            pushed = try await server.push(
                PushedAuthorizationRequest(
                    client: client, redirectURI: redirectURI, scope: scope, state: state,
                    challenge: verifier.challenge, loginHint: loginHint, responseMode: responseMode), key: key
            )
        } catch {
            throw SessionFailure.oauth(error, nil)
        }
        return PendingAuthorization(
            url: server.authorizationURL(for: pushed, clientID: client.id),
            expiry: network.wallClock.now.addingTimeInterval(Double(pushed.expiresIn)),
            issuer: server.metadata.issuer.description, clientID: client.id.description,
            redirectURI: redirectURI, scope: scope.description, state: state, verifier: verifier, signer: key)
    }

    /// A session whose owner is verified, and which is not saved yet.
    package struct Verified: Sendable {
        package let session: Session
        package let identity: Identity
        fileprivate let response: TokenResponse
    }

    /// Exchanges a code, and verifies the owner of the tokens and that they permit something. Tokens that fail a check are revoked.
    package func complete(
        _ code: AuthorizationCode, of authorization: PendingAuthorization, for expected: ExpectedAccount
    ) async throws -> Verified {
        let now = network.wallClock.now
        let response: TokenResponse
        do {
            response = try await server.exchange(
                code, verifier: authorization.verifier, redirectURI: authorization.redirectURI,
                client: client, key: authorization.signer)
        } catch let error {
            throw SessionFailure.oauth(error, nil)
        }
        let session = Session(
            response,
            OAuthCredential(issuer: server.metadata.issuer, client: client, key: authorization.signer),
            askedAt: now, requestedScope: authorization.scope)
        let identity: Identity
        do { identity = try await verify(response, expected) } catch let error {
            await revoke(response, authorization.signer)
            throw error
        }
        let asked = Scope(authorization.scope)
        guard Self.grants(anythingOf: asked, session.scope) else {
            throw SessionFailure.nothingGranted(
                of: asked, areRevoked: await revoke(response, authorization.signer))
        }
        return Verified(session: session, identity: identity, response: response)
    }

    /// False if `atproto` alone was granted, and more was asked for. Such a session can do nothing, and would take the place of one that
    /// works.
    private static func grants(anythingOf asked: Scope, _ granted: Scope) -> Bool {
        asked.values.allSatisfy { $0 == Scope.atproto } || granted.values.contains { $0 != Scope.atproto }
    }

    /// The checks between a token response and a session (protocol:R43-R46).
    private func verify(_ response: TokenResponse, _ expected: ExpectedAccount) async throws -> Identity {
        do {
            try response.validate(for: .atproto)
        } catch let error {
            throw SessionFailure.verification(.tokenResponse(error))
        }
        guard let subject = response.subject, let did = try? DID(validating: subject) else {
            throw SessionFailure.verification(.subjectIsNoDID)
        }
        if let expected = expected.did, expected != did {
            // Most often the browser was signed in as somebody else. Their handles say who is who.
            throw SessionFailure.verification(
                .anotherSignedIn(await named(did), expected: await named(expected)))
        }
        let identity = try await IssuerVerifier(network).verify(
            did, issuer: server.metadata.issuer, cache: cache, sealedBy: seal
        ).identity
        guard let typed = expected.doubted, identity.handle != typed else { return identity }
        // A cached identity or a resolver service may have led from the typed handle to a wrong account. So resolve the
        // handle again. A failed look-up is a different error.
        let current = try await network.identities.resolve(.handle(typed), freshness: .now)
        guard current.did == did else {
            throw SessionFailure.verification(.handleIsAnothers(typed.description))
        }
        return Identity(document: identity.document, handle: typed, isFirstHand: true)
    }

    private func named(_ did: DID) async -> NamedDID {
        do {
            return NamedDID(did, try await network.identities.resolve(.did(did), freshness: .cached).handle)
        } catch let error {
            network.note("the handle of \(did) could not be looked up", error)
            return NamedDID(did, nil)
        }
    }

    /// Revokes a session that was verified but could not be saved.
    package func revoke(_ verified: Verified) async {
        guard let key = verified.session.credential.oauth?.key else { return }
        await revoke(verified.response, key)
    }

    /// Revokes stray tokens at the server that issued them. The result is ignored, because the server may be hostile and
    /// the earlier error is the one to report.
    ///
    /// - Returns: whether the server confirmed it.
    @discardableResult
    private func revoke(_ response: TokenResponse, _ key: any ProofSigner) async -> Bool {
        guard let token = response.tokenToRevoke else { return false }
        do {
            try await server.revoke(token, client: client, key: key)
            return true
        } catch let error {
            network.note("the stray tokens could not be revoked", error)
            return false
        }
    }
}
