package import ATPNetworking
package import HTTPTypes

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Sends requests with a proof of possession.
///
/// A request is retried at most once for each of two reasons: the server asked for a nonce, or it rejected the
/// proof and its `Date` shows a different clock. Both retries are safe, because servers check the proof before
/// they act (protocol:R65). Redirects are not followed (protocol:R62).
package struct DPoPClient: Sendable {
    /// Makes the body of one attempt. The argument is the issue time of the attempt's proof.
    typealias BodyMaker = @Sendable (Date) async throws(OAuthError) -> [UInt8]

    private let transport: any HTTPTransport
    private let nonces: any NonceStore
    private let clock: any ServerClock
    private let now: @Sendable () -> Date

    /// - Parameter now: the time of this machine.
    package init(
        transport: any HTTPTransport, nonces: any NonceStore, clock: any ServerClock,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.transport = transport
        self.nonces = nonces
        self.clock = clock
        self.now = now
    }

    /// Sends a request to an authorization server and reads the whole response, whatever its status.
    ///
    /// - Parameters:
    ///   - endpoint: the endpoint that errors name.
    ///   - body: makes the body of each attempt. Nil sends the request's own body.
    func sendToAuthorizationServer(
        _ request: TransportRequest, key: any ProofSigner, endpoint: OAuthError.Endpoint = .token,
        body: BodyMaker? = nil
    ) async throws(OAuthError) -> FetchedResponse {
        var exchange = exchange(of: request, key: key, accessToken: nil, endpoint: endpoint, body: body)
        while true {
            let response = try await exchange.send()
            let body = try await exchange.collect(response, truncates: false)
            let fetched = FetchedResponse(
                status: response.status, headerFields: response.headerFields, body: body)
            guard try exchange.shouldRetry(after: ProofChallenge(ofAuthorizationServer: fetched)) else {
                return fetched
            }
        }
    }

    /// Sends a request with an access token. The body of the response streams, unless it was read to find out
    /// what is wrong with the proof or the token.
    package func sendToResourceServer(
        _ request: TransportRequest, key: any ProofSigner, accessToken: AccessToken
    ) async throws(OAuthError) -> ResourceResponse {
        var exchange = exchange(of: request, key: key, accessToken: accessToken, endpoint: .resource)
        while true {
            let response = try await exchange.send()
            guard response.status == 401 || (response.status == 400 && exchange.isProofFromAnotherTime)
            else { return .answered(response) }
            let body = try await exchange.collect(response, truncates: true)
            let challenge = ProofChallenge(
                ofResourceServer: response.headerFields, status: response.status, body: body)
            if try exchange.shouldRetry(after: challenge) { continue }
            let collected = response.with(body: body)
            return challenge == .invalidToken ? .invalidToken(collected) : .answered(collected)
        }
    }

    /// Learns the nonce and the clock of a resource server from its answer to a request that has no effect. It is sent once,
    /// whatever the answer is.
    package func learnNonce(
        by request: TransportRequest, key: any ProofSigner, accessToken: AccessToken
    ) async throws(OAuthError) {
        var exchange = exchange(of: request, key: key, accessToken: accessToken, endpoint: .resource)
        let response = try await exchange.send()
        _ = try await exchange.collect(response, truncates: true)
    }

    /// The header fields for one request of another HTTP client.
    ///
    /// - Parameter nonce: the nonce that the server gave that client. Nil uses the latest stored nonce.
    package func fields(
        for request: TransportRequest, key: any ProofSigner, accessToken: AccessToken, nonce: String?
    ) async throws(OAuthError) -> HTTPFields {
        var exchange = exchange(of: request, key: key, accessToken: accessToken, endpoint: .resource)
        exchange.suppliedNonce = nonce
        return try await exchange.signed().headerFields
    }

    /// How many seconds the server's clock is ahead, if the server refused a proof and the clock may be the
    /// reason.
    func skew(of url: HTTPURL, after error: OAuthErrorResponse) -> Int64? {
        guard error.error == "invalid_dpop_proof" else { return nil }
        let offset = clock.offset(for: url.origin)
        return offset == 0 ? nil : offset
    }

    private func exchange(
        of request: TransportRequest, key: any ProofSigner, accessToken: AccessToken?,
        endpoint: OAuthError.Endpoint, body: BodyMaker? = nil
    ) -> DPoPExchange {
        let role: ServerRole = accessToken == nil ? .authorizationServer : .resourceServer
        return DPoPExchange(
            transport: transport, nonces: nonces, clock: clock, now: now, request: request, key: key,
            accessToken: accessToken, role: role, endpoint: endpoint, body: body)
    }

    /// The longest body that is read, in bytes.
    static let longestBody = 65536
}

/// The response of a resource server to a request with an access token.
package enum ResourceResponse: Sendable {
    case answered(TransportResponse)
    /// The server refused the access token. A newer token may work.
    case invalidToken(TransportResponse)
}
