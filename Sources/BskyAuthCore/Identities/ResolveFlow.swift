package import ATProtoIdentity
package import ATProtoSessions
package import OAuthDPoP

/// Looks up an account, as a login does before it asks for anything.
package struct ResolveFlow: Sendable {
    private let network: NetworkEnvironment

    package init(_ network: NetworkEnvironment) {
        self.network = network
    }

    /// The account, whose handle and DID name each other, and the issuer that its PDS and the issuer itself name.
    ///
    /// - Throws: ``IdentityError`` also if the handle of a DID could not be looked up. A login goes on without it, but
    ///   here the handle was asked for.
    package func run(
        _ identifier: ATIdentifier, freshness: IdentityResolver.Freshness
    ) async throws -> (identity: Identity, issuer: Issuer) {
        let (identity, metadata) = try await IssuerVerifier(network).account(identifier, freshness: freshness)
        if let failure = identity.handleFailure { throw failure }
        return (identity, metadata.issuer)
    }
}
