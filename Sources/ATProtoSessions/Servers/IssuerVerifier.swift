internal import ATPJSON
package import ATPNetworking
package import ATProtoIdentity
internal import ATProtoOAuth
internal import ATProtoXRPC
package import OAuthDPoP

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Finds the authorization server of a PDS, and proves that an issuer may speak for a DID.
package struct IssuerVerifier: Sendable {
    private let network: NetworkEnvironment
    private let discovery: MetadataClient

    package init(_ network: NetworkEnvironment) {
        self.network = network
        let clock = network.wallClock
        discovery = MetadataClient(transport: network.transport, profile: .atproto, policy: network.policy) {
            clock.now
        }
    }

    /// Finds the account and its authorization server. If a cached identity leads to no server, the account may have
    /// moved, so the identity is resolved again.
    package func account(
        _ identifier: ATIdentifier, freshness: IdentityResolver.Freshness = .cached
    ) async throws -> (Identity, AuthorizationServerMetadata) {
        let identity = try await network.identities.resolve(identifier, freshness: freshness)
        do {
            return (identity, try await metadata(ofPDS: identity.pds))
        } catch let error as DiscoveryError where !identity.isFirstHand {
            let current = try await network.identities.resolve(identifier, freshness: .now)
            guard current.pds != identity.pds else { throw error }
            return (current, try await metadata(ofPDS: current.pds))
        }
    }

    /// Goes from a PDS to its protected resource metadata and to the authorization server metadata (protocol:R18-R22).
    package func metadata(ofPDS pds: Origin) async throws -> AuthorizationServerMetadata {
        let resource = try await discovery.protectedResource(at: pds)
        return try await discovery.authorizationServer(issuer: resource.issuer, protecting: resource)
    }

    /// The metadata for a URL that the user typed. The URL may also be an entryway: an authorization server without its
    /// own protected resource (protocol:R84).
    package func metadata(ofTypedServer origin: Origin) async throws -> AuthorizationServerMetadata {
        do {
            return try await metadata(ofPDS: origin)
        } catch let error as DiscoveryError where error.isAbsentProtectedResource {
            guard
                let issuer = try? Issuer(
                    validating: origin.description, profile: .atproto, policy: network.policy)
            else { throw error }
            return try await metadata(of: issuer)
        }
    }

    /// Whether a server describes itself as a PDS does, in a call that needs no session.
    func answersCalls(_ server: Origin) async -> Bool {
        do {
            let answer = try await network.transport.fetch(
                XRPCRequest(.query, .describeServer).transportRequest(to: server, timeouts: .metadata),
                limit: 65536)
            guard answer.status == 200 else { return false }
            return try JSONParser.parse(answer.body, leniency: .halfSurrogates)["availableUserDomains"] != nil
        } catch {
            network.note("\(server.host) answers no calls", error)
            return false
        }
    }

    /// An issuer's own metadata, without a check of its accounts. This is enough to end a session there.
    package func metadata(of issuer: Issuer) async throws -> AuthorizationServerMetadata {
        return try await discovery.authorizationServer(issuer: issuer, protecting: nil)
    }

    /// Resolves the DID to its PDS and issuer without a cache. Requires the issuer of the session (protocol:R46).
    ///
    /// - Returns: the identity and the server's metadata. The PDS of the identity is the audience of the session.
    package func verify(
        _ did: DID, issuer: Issuer, cache: SessionCache, sealedBy seal: any CacheSeal
    ) async throws -> (identity: Identity, metadata: AuthorizationServerMetadata) {
        let identity: Identity
        identity = try await network.identities.resolve(.did(did), freshness: .now)
        let answer = try await asked(identity.pds)
        return (
            identity,
            try accept(answer, of: identity.pds, for: did, issuer: issuer, cache: cache, sealedBy: seal)
        )
    }

    /// Asks for the authorization server of a PDS, and remembers the answer for other accounts of the PDS.
    private func asked(_ pds: Origin) async throws -> KnownServers.Answer {
        let now = network.wallClock.now
        let answer = KnownServers.Answer(metadata: try await metadata(ofPDS: pds), fetchedAt: now)
        network.knownServers.remember(answer, ofPDS: pds)
        return answer
    }

    /// Notes that a PDS names the issuer of the account's session. Refuses any other issuer.
    private func accept(
        _ answer: KnownServers.Answer, of pds: Origin, for did: DID, issuer: Issuer, cache: SessionCache,
        sealedBy seal: any CacheSeal
    ) throws -> AuthorizationServerMetadata {
        let metadata = answer.metadata
        guard metadata.issuer == issuer else {
            throw SessionFailure.verification(
                .issuerMismatch(
                    account: did.description, expected: issuer.description,
                    found: metadata.issuer.description))
        }
        cache.remember(
            IssuerVerification(
                did: did.description, pds: pds.description, issuer: issuer.description,
                metadata: metadata.json, verifiedAt: answer.fetchedAt), sealedBy: seal)
        return metadata
    }

    /// The authorization server of a stored session, verified now or less than ten minutes ago.
    ///
    /// - Parameter assertions: authenticates the session's client; nil for a public client.
    /// - Returns: the server, and the identity if it was resolved now.
    package func server(
        of account: Account, _ credential: OAuthCredential, _ assertions: (any ClientAssertionSource)?,
        cache: SessionCache,
        sealedBy seal: any CacheSeal
    ) async throws -> (AuthorizationServer, Identity?) {
        let issuer = credential.issuer
        if let recent = cache.verification(
            at: network.wallClock.now, sealedBy: seal),
            recent.did == account.did.description, recent.issuer == issuer.description,
            recent.pds == account.pds.description,
            let metadata = try? AuthorizationServerMetadata(
                json: recent.metadata, issuer: issuer, profile: .atproto, policy: network.policy)
        {
            return (server(metadata, cache, assertions), nil)
        }
        let identity = try await identity(of: account)
        let known = network.knownServers.answer(ofPDS: identity.pds, at: network.wallClock.now)
        let answer = if let known { known } else { try await asked(identity.pds) }
        let metadata = try accept(
            answer, of: identity.pds, for: account.did, issuer: issuer, cache: cache, sealedBy: seal)
        return (server(metadata, cache, assertions), identity)
    }

    /// Resolves the DID document of the account again. A verified handle is kept without a look-up while the document
    /// still claims it. So a failure of DNS does not remove the handle, and the issuer of a DID does not depend on DNS.
    private func identity(of account: Account) async throws -> Identity {
        let document = try await network.identities.document(of: account.did, freshness: .now)
        if let handle = account.handle, document.claimedHandle == handle {
            return Identity(document: document, handle: handle, isFirstHand: false)
        }
        return try await network.identities.resolve(.did(account.did), freshness: .now)
    }

    private func server(
        _ metadata: AuthorizationServerMetadata, _ cache: SessionCache,
        _ assertions: (any ClientAssertionSource)?
    ) -> AuthorizationServer {
        AuthorizationServer(
            metadata: metadata, transport: network.transport, nonces: cache, clock: cache,
            assertions: assertions)
    }
}
