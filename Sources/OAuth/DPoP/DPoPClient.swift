internal import Cryptography
package import FoundationEssentials
package import HTTPTypes
package import Networking

/// Sends requests with a proof of possession, and again where the server only wanted another proof.
///
/// Sent twice is what was answered `use_dpop_nonce`, once, and what was answered `invalid_dpop_proof`, or with
/// a vague word for it, by a server whose clock turns out to be another, once; servers check proofs before they act (protocol:R65).
/// Nothing else ever is. Redirects are answers like others (protocol:R62).
package struct DPoPClient: Sendable {
    /// Makes the body of one sending from the time that its proof is dated.
    typealias BodyMaker = @Sendable (Date) throws(CryptographyError) -> [UInt8]

    private let transport: any HTTPTransport
    private let nonces: any NonceStore
    private let clock: any ServerClock
    private let now: @Sendable () -> Date

    /// - Parameter now: this machine's time.
    package init(
        transport: any HTTPTransport, nonces: any NonceStore, clock: any ServerClock,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.transport = transport
        self.nonces = nonces
        self.clock = clock
        self.now = now
    }

    /// Sends a request of an authorization server's and reads its whole answer, whatever its status.
    ///
    /// - Parameters:
    ///   - endpoint: what errors say was asked.
    ///   - body: makes the body of each sending, from the server's time; nil where it is the request's own.
    func sendToAuthorizationServer(
        _ request: TransportRequest, key: DPoPKey, endpoint: OAuthError.Endpoint = .token,
        body: BodyMaker? = nil
    ) async throws(OAuthError) -> FetchedResponse {
        var exchange = exchange(of: request, key: key, accessToken: nil, endpoint: endpoint, body: body)
        while true {
            let response = try await exchange.send()
            let body = try await exchange.collect(response, truncates: false)
            let fetched = FetchedResponse(
                status: response.status, headerFields: response.headerFields, body: body)
            guard try exchange.mustSendAgain(after: ProofChallenge(ofAuthorizationServer: fetched)) else {
                return fetched
            }
        }
    }

    /// Sends a request with an access token; the body of the answer is still on its way, unless it had to
    /// be read for what it says of the proof or the token.
    package func sendToResourceServer(
        _ request: TransportRequest, key: DPoPKey, accessToken: AccessToken
    ) async throws(OAuthError) -> ResourceResponse {
        var exchange = exchange(of: request, key: key, accessToken: accessToken, endpoint: .resource)
        while true {
            let response = try await exchange.send()
            guard response.status == 401 || (response.status == 400 && exchange.isProofFromAnotherTime)
            else { return .answered(response) }
            let body = try await exchange.collect(response, truncates: true)
            let challenge = ProofChallenge(
                ofResourceServer: response.headerFields, status: response.status, body: body)
            if try exchange.mustSendAgain(after: challenge) { continue }
            let collected = TransportResponse(
                status: response.status, headerFields: response.headerFields,
                body: ResponseBody(CollectedBody(body)))
            return challenge == .invalidToken ? .invalidToken(collected) : .answered(collected)
        }
    }

    /// The fields that a request of another HTTP client's has to carry, good for one sending.
    ///
    /// - Parameter nonce: what the server asked that client for; nil for the latest that is known here.
    package func fields(
        for request: TransportRequest, key: DPoPKey, accessToken: AccessToken, nonce: String?
    ) throws(OAuthError) -> HTTPFields {
        var exchange = exchange(of: request, key: key, accessToken: accessToken, endpoint: .resource)
        exchange.suppliedNonce = nonce
        return try exchange.signed().headerFields
    }

    /// How many seconds a server's clock is ahead, where it refused a proof and that may be why.
    func skew(of url: HTTPURL, after error: OAuthErrorResponse) -> Int64? {
        guard error.error == "invalid_dpop_proof" else { return nil }
        let offset = clock.offset(for: url.origin)
        return offset == 0 ? nil : offset
    }

    private func exchange(
        of request: TransportRequest, key: DPoPKey, accessToken: AccessToken?,
        endpoint: OAuthError.Endpoint, body: BodyMaker? = nil
    ) -> DPoPExchange {
        let role: ServerRole = accessToken == nil ? .authorizationServer : .resourceServer
        return DPoPExchange(
            transport: transport, nonces: nonces, clock: clock, now: now, request: request, key: key,
            accessToken: accessToken, role: role, endpoint: endpoint, body: body)
    }

    /// How much of an answer is read.
    static let longestBody = 65536
}

/// What a resource server said to a request with an access token.
package enum ResourceResponse: Sendable {
    case answered(TransportResponse)
    /// The access token is no longer good, or not here; a newer one may be.
    case invalidToken(TransportResponse)
}
