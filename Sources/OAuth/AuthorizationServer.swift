package import FoundationEssentials
internal import HTTPTypes
internal import JSON
package import Networking

/// The requests that a client makes of one authorization server.
///
/// None is ever sent again but for another proof (``DPoPClient``): codes and refresh tokens are good once.
package struct AuthorizationServer: Sendable {
    package let metadata: AuthorizationServerMetadata
    private let client: DPoPClient

    /// - Parameter now: this machine's time.
    package init(
        metadata: AuthorizationServerMetadata, transport: any HTTPTransport, nonces: any NonceStore,
        clock: any ServerClock, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.metadata = metadata
        client = DPoPClient(transport: transport, nonces: nonces, clock: clock, now: now)
    }

    /// Hands in a request for a browser to continue (RFC 9126 §2).
    package func push(
        _ request: PushedAuthorizationRequest, key: DPoPKey
    ) async throws(OAuthError) -> PushedAuthorizationResponse {
        let response = try await post(
            request.parameters, to: metadata.pushedAuthorizationRequestEndpoint, key: key,
            endpoint: .pushedAuthorizationRequest)
        // 201 by the RFC, 200 by some (protocol:R28).
        guard let json = try? JSONParser.parse(response.body),
            let answer = PushedAuthorizationResponse(json: json)
        else {
            throw OAuthError(
                .malformedResponse(status: response.status), endpoint: .pushedAuthorizationRequest)
        }
        return answer
    }

    /// Where the browser goes: the endpoint with its own query, and `client_id` and `request_uri` alone
    /// (RFC 9126 §4, protocol:R30).
    package func authorizationURL(for response: PushedAuthorizationResponse, clientID: ClientID) -> HTTPURL {
        let parameters: FormParameters = [
            "client_id": clientID.description, "request_uri": response.requestURI,
        ]
        let endpoint = metadata.authorizationEndpoint
        let own = endpoint.query.map { $0.isEmpty ? "" : "\($0)&" } ?? ""
        return endpoint.replacing(path: endpoint.path, query: own + parameters.encoded)
    }

    /// Trades a code in for tokens (RFC 6749 §4.1.3, RFC 7636 §4.5).
    ///
    /// - Parameters:
    ///   - verifier: the one whose challenge was pushed.
    ///   - redirectURI: the one that was pushed, byte for byte (protocol:R41).
    package func exchange(
        _ code: AuthorizationCode, verifier: CodeVerifier, redirectURI: String, clientID: ClientID,
        key: DPoPKey
    ) async throws(OAuthError) -> TokenResponse {
        let parameters: FormParameters = [
            "grant_type": "authorization_code",
            "code": code.reveal(),
            "redirect_uri": redirectURI,
            "code_verifier": verifier.value,
            "client_id": clientID.description,
        ]
        return try await tokens(for: parameters, key: key, endpoint: .token)
    }

    /// Trades a refresh token in for tokens (RFC 6749 §6). The token is spent whatever comes back, unless
    /// ``OAuthError/refreshVerdict`` says otherwise.
    package func refresh(
        _ token: RefreshToken, clientID: ClientID, key: DPoPKey
    ) async throws(OAuthError) -> TokenResponse {
        let parameters: FormParameters = [
            "grant_type": "refresh_token",
            "refresh_token": token.reveal(),
            "client_id": clientID.description,
        ]
        return try await tokens(for: parameters, key: key, endpoint: .refresh, timeouts: .rotation)
    }

    /// Asks the server to forget a token (RFC 7009 §2.1). Success proves little: servers say it of tokens
    /// they know nothing about (protocol:R75).
    package func revoke(
        _ token: some RevocableToken, clientID: ClientID, key: DPoPKey
    ) async throws(OAuthError) {
        guard let url = metadata.revocationEndpoint else {
            throw OAuthError(.unsupported, endpoint: .revocation)
        }
        let parameters: FormParameters = ["token": token.reveal(), "client_id": clientID.description]
        _ = try await post(parameters, to: url, key: key, endpoint: .revocation)
    }

    private func tokens(
        for parameters: FormParameters, key: DPoPKey, endpoint: OAuthError.Endpoint,
        timeouts: Timeouts = .authorizationServer
    ) async throws(OAuthError) -> TokenResponse {
        let response = try await post(
            parameters, to: metadata.tokenEndpoint, key: key, endpoint: endpoint, timeouts: timeouts)
        guard let json = try? JSONParser.parse(response.body), let tokens = try? TokenResponse(json: json)
        else { throw OAuthError(.malformedResponse(status: response.status), endpoint: endpoint) }
        return tokens
    }

    /// Sends a form and answers what succeeded.
    private func post(
        _ parameters: FormParameters, to url: HTTPURL, key: DPoPKey, endpoint: OAuthError.Endpoint,
        timeouts: Timeouts = .authorizationServer
    ) async throws(OAuthError) -> FetchedResponse {
        let request = TransportRequest(
            method: .post, url: url,
            headerFields: [
                .contentType: "application/x-www-form-urlencoded", .accept: "application/json",
            ],
            body: .bytes(Array(parameters.encoded.utf8)), timeouts: timeouts, needsFreshConnection: true)
        let response = try await client.sendToAuthorizationServer(request, key: key, endpoint: endpoint)
        guard (200..<300).contains(response.status) else {
            let error = OAuthErrorResponse(
                status: response.status, headerFields: response.headerFields, body: response.body)
            throw OAuthError(.response(error), endpoint: endpoint, skew: client.skew(of: url, after: error))
        }
        return response
    }
}
