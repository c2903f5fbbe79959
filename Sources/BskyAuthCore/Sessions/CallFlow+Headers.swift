package import ATPNetworking
internal import ATProtoIdentity
package import ATProtoSessions
internal import ATProtoXRPC
package import HTTPTypes
internal import OAuthDPoP

extension CallFlow {
    /// The header fields for one request of another HTTP client: the token and a proof for exactly this method and URL
    /// (RFC 9449 §7.1).
    ///
    /// - Parameters:
    ///   - nonce: the nonce that the server sent to the other client; nil for the latest nonce that this program knows.
    /// - Throws: ``CoreError/foreignAudience(_:_:)`` for any server except the session's audience, before anything is
    ///   signed; ``CoreError/notBound(_:)`` for a session without a key.
    package func headers(
        for method: HTTPRequest.Method, _ url: HTTPURL, nonce: String?, lockTimeout: Duration
    ) async throws -> HTTPFields {
        let audience = try await context.accounts.account(id)
        guard url.origin == audience.pds else { throw CoreError.foreignAudience(audience, url.origin) }
        guard try await context.accounts.session(id).credential.oauth != nil else {
            throw CoreError.notBound(audience)
        }
        if nonce == nil { try await renewNonce(of: audience, lockTimeout) }
        let session = try await freshSession(lockTimeout)
        // Read the account again: the refresh may have found that the account has moved.
        let account = try await context.accounts.account(id)
        guard url.origin == account.pds else { throw CoreError.foreignAudience(account, url.origin) }
        guard let credential = session.credential.oauth else { throw CoreError.notBound(account) }
        let client = DPoPClient(transport: context.network.transport, nonces: cache, clock: cache)
        do {
            return try await client.fields(
                for: TransportRequest(method: method, url: url), key: credential.key,
                accessToken: session.accessToken, nonce: nonce)
        } catch let error {
            throw SessionFailure.oauth(error, AccountLogin(account, session))
        }
    }

    /// Sends a request of our own if no recent nonce is known. Otherwise the server would refuse the other client's first
    /// request. The response also shows whether the session works and what time it is there.
    private func renewNonce(of account: Account, _ lockTimeout: Duration) async throws {
        guard !cache.hasNonce(for: account.pds, role: .resourceServer, within: SessionCache.nonceLife) else {
            return
        }
        do {
            try await send(XRPCRequest(.query, .getSession), lockTimeout: lockTimeout).body.cancel()
        } catch let error as any KnownError where error.isNetworkFailure {
            context.network.note("no nonce could be learned", error)
        }
    }
}
