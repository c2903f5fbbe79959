internal import ATPNetworking
package import ATProtoIdentity
package import OAuthDPoP

/// The result of discovery: the server to log in at, and the account if it is known.
package struct LoginTarget: Sendable {
    /// What the person typed.
    package let identifier: LoginIdentifier
    /// nil when only a server was named.
    package let identity: Identity?
    package let metadata: AuthorizationServerMetadata
    /// The login hint for the server (protocol:R34); nil if the person named only a server.
    package let loginHint: String?

    /// Whose tokens are expected.
    package var expected: ExpectedAccount {
        var typed: Handle?
        if identity?.isFirstHand == false, case .handle(let handle) = identifier { typed = handle }
        return ExpectedAccount(did: identity?.did, doubted: typed)
    }
}

/// Whose tokens a login expects.
package struct ExpectedAccount: Sendable, Hashable {
    /// nil if only a server was named. Then it is whoever signs in there.
    package let did: DID?
    /// The typed handle, if a cached identity or a resolver service led from it to the account.
    package let doubted: Handle?

    package init(did: DID?, doubted: Handle?) {
        self.did = did
        self.doubted = doubted
    }
}

extension IssuerVerifier {
    /// Finds the server that a login goes to.
    ///
    /// - Throws: ``SessionFailure/oauthNotServed(_:because:)`` if only the way to the metadata is missing.
    package func target(of identifier: LoginIdentifier) async throws -> LoginTarget {
        do { return try await foundTarget(of: identifier) } catch let error as DiscoveryError {
            guard error.isAbsent, let server = (try? HTTPURL(validating: error.url))?.origin,
                await answersCalls(server)
            else { throw error }
            throw SessionFailure.oauthNotServed(server, because: error)
        }
    }

    private func foundTarget(of identifier: LoginIdentifier) async throws -> LoginTarget {
        switch identifier {
        case .handle(let handle):
            let (identity, metadata) = try await account(.handle(handle))
            return LoginTarget(
                identifier: identifier, identity: identity, metadata: metadata, loginHint: handle.description)
        case .did(let did):
            let (identity, metadata) = try await account(.did(did))
            return LoginTarget(
                identifier: identifier, identity: identity, metadata: metadata,
                loginHint: identity.handle?.description ?? did.description)
        case .server(let origin):
            let metadata = try await metadata(ofTypedServer: origin)
            return LoginTarget(identifier: identifier, identity: nil, metadata: metadata, loginHint: nil)
        }
    }
}
