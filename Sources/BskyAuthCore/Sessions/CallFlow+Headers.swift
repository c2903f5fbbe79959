package import HTTPTypes
package import Networking
internal import OAuth

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
        let audience = try environment.accounts.profile(id, on: environment.network.policy)
        guard url.origin == audience.pds else { throw CoreError.foreignAudience(audience, url.origin) }
        let session = try await freshSession(lockTimeout)
        // Read the profile again: the refresh may have found that the account has moved.
        let profile = try environment.accounts.profile(id, on: environment.network.policy)
        guard url.origin == profile.pds else { throw CoreError.foreignAudience(profile, url.origin) }
        guard let credential = session.credential.oauth else { throw CoreError.notBound(profile) }
        let client = DPoPClient(transport: environment.network.transport, nonces: cache, clock: cache)
        do {
            return try client.fields(
                for: TransportRequest(method: method, url: url), key: credential.key,
                accessToken: session.accessToken, nonce: nonce)
        } catch let error {
            throw CoreError.oauth(error, AccountLogin(profile, session))
        }
    }
}
