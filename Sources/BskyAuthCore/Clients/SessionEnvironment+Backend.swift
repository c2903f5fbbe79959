internal import ATPCryptography
internal import ATPNetworking
internal import ATProtoOAuth
internal import ATProtoSessions
internal import OAuthDPoP

extension SessionEnvironment {
    /// What authenticates the client of a session; nil for a public client.
    ///
    /// - Throws: ``SessionFailure/clientKeyMissing(_:keyID:)``
    func assertions(
        of credential: OAuthCredential, _ cache: SessionCache
    ) throws -> (any ClientAssertionSource)? {
        if case .backend(let backend, let keyID) = credential.client.authentication {
            return BackendAssertions(requester(backend, credential.key, cache), keyID: keyID)
        }
        return try clients.key(of: credential.client)
    }

    /// The client of a backend, for a login.
    struct Enrolment {
        let client: Client
        let assertions: BackendAssertions
        /// The address of the backend that sends the browser on to this machine.
        let redirectURI: String
    }

    /// Asks a backend for the first assertion of a new session key, which says who the client is.
    func enrol(
        _ key: DPoPKey, at backend: AssertionBackend, for issuer: Issuer, code: SecretBytes?,
        _ cache: SessionCache
    ) async throws -> Enrolment {
        let requester = requester(backend, key, cache)
        let first: BackendAssertion
        do { first = try await requester.enrol(at: issuer, code: code) } catch {
            throw SessionFailure.oauth(error, nil)
        }
        guard let url = try? HTTPURL(validating: first.clientID.description),
            (try? HostedClientID.make(first.clientID.description)) != nil
        else {
            throw SessionFailure.oauth(
                OAuthError(.wrongAssertion("client_id"), endpoint: .clientAssertion), nil)
        }
        return Enrolment(
            client: Client(first.clientID, authentication: .backend(backend, keyID: first.keyID)),
            assertions: BackendAssertions(requester, keyID: first.keyID),
            redirectURI: "\(url.origin)/oauth/loopback")
    }

    private func requester(
        _ backend: AssertionBackend, _ key: any ProofSigner, _ cache: SessionCache
    ) -> AssertionRequester {
        let clock = network.wallClock
        return AssertionRequester(
            backend, key: key, transport: network.transport, nonces: cache, clock: cache
        ) { clock.now }
    }
}
