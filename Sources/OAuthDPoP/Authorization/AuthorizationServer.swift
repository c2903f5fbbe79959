internal import ATPCryptography
internal import ATPJSON
package import ATPNetworking
internal import HTTPTypes

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The requests that a client sends to one authorization server.
///
/// Each request names the client, and authenticates it if the session belongs to a confidential client. Codes
/// and refresh tokens work only once, so a request is repeated only with a new proof (``DPoPClient``).
package struct AuthorizationServer: Sendable {
    package let metadata: AuthorizationServerMetadata
    private let sender: DPoPClient
    private let assertions: (any ClientAssertionSource)?

    /// - Parameters:
    ///   - assertions: authenticates the confidential client whose sessions this is for; nil for public clients.
    ///   - now: the time of this machine.
    package init(
        metadata: AuthorizationServerMetadata, transport: any HTTPTransport, nonces: any NonceStore,
        clock: any ServerClock, assertions: (any ClientAssertionSource)?,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.metadata = metadata
        self.assertions = assertions
        sender = DPoPClient(transport: transport, nonces: nonces, clock: clock, now: now)
        // Servers check the time of an assertion before anything else, and there is no answer yet to learn it from.
        let origin = metadata.tokenEndpoint.origin
        if assertions != nil, let offset = metadata.clockOffset, clock.offset(for: origin) == 0 {
            clock.remember(offset: offset, for: origin)
        }
    }

    /// Pushes an authorization request, which the browser then continues (RFC 9126 §2).
    package func push(
        _ request: PushedAuthorizationRequest, key: any ProofSigner
    ) async throws(OAuthError) -> PushedAuthorizationResponse {
        let response = try await post(
            request.parameters, of: request.client, to: metadata.pushedAuthorizationRequestEndpoint,
            key: key, endpoint: .pushedAuthorizationRequest)
        // The RFC says 201, some servers answer 200 (protocol:R28).
        guard let json = try? JSONParser.parse(response.body),
            let answer = PushedAuthorizationResponse(json: json)
        else {
            throw OAuthError(
                .malformedResponse(status: response.status), endpoint: .pushedAuthorizationRequest)
        }
        return answer
    }

    /// The URL for the browser: the endpoint with its own query, `client_id` and `request_uri`, and no other
    /// parameter (RFC 9126 §4, protocol:R30).
    package func authorizationURL(for response: PushedAuthorizationResponse, clientID: ClientID) -> HTTPURL {
        let parameters: FormParameters = [
            "client_id": clientID.description, "request_uri": response.requestURI,
        ]
        let endpoint = metadata.authorizationEndpoint
        let own = endpoint.query.map { $0.isEmpty ? "" : "\($0)&" } ?? ""
        return endpoint.replacing(path: endpoint.path, query: own + parameters.encoded)
    }

    /// Exchanges a code for tokens (RFC 6749 §4.1.3, RFC 7636 §4.5).
    ///
    /// - Parameters:
    ///   - verifier: the verifier of the pushed challenge.
    ///   - redirectURI: the pushed redirect URI, byte for byte (protocol:R41).
    package func exchange(
        _ code: AuthorizationCode, verifier: CodeVerifier, redirectURI: String, client: Client,
        key: any ProofSigner
    ) async throws(OAuthError) -> TokenResponse {
        let parameters: FormParameters = [
            "grant_type": "authorization_code",
            "code": code.reveal(),
            "redirect_uri": redirectURI,
            "code_verifier": verifier.value,
        ]
        return try await tokens(for: parameters, of: client, key: key, endpoint: .token)
    }

    /// Exchanges a refresh token for new tokens (RFC 6749 §6). Treat the old refresh token as spent unless
    /// ``OAuthError/refreshVerdict`` says otherwise.
    ///
    /// - Parameter sentBy: when each attempt must have begun to go out at the latest; nil for no such moment.
    package func refresh(
        _ token: RefreshToken, client: Client, key: any ProofSigner, sentBy: ContinuousClock.Instant? = nil
    ) async throws(OAuthError) -> TokenResponse {
        let parameters: FormParameters = [
            "grant_type": "refresh_token",
            "refresh_token": token.reveal(),
        ]
        return try await tokens(
            for: parameters, of: client, key: key, endpoint: .refresh, timeouts: .rotation(sentBy: sentBy),
            sentBy: sentBy)
    }

    /// Revokes a token (RFC 7009 §2.1). Servers also report success for tokens that they don't know
    /// (protocol:R75).
    package func revoke(
        _ token: some RevocableToken, client: Client, key: any ProofSigner
    ) async throws(OAuthError) {
        guard let url = metadata.revocationEndpoint else {
            throw OAuthError(.unsupported, endpoint: .revocation)
        }
        _ = try await post(
            ["token": token.reveal()], of: client, to: url, key: key, endpoint: .revocation)
    }

    private func tokens(
        for parameters: FormParameters, of client: Client, key: any ProofSigner,
        endpoint: OAuthError.Endpoint, timeouts: Timeouts = .authorizationServer,
        sentBy: ContinuousClock.Instant? = nil
    ) async throws(OAuthError) -> TokenResponse {
        let response = try await post(
            parameters, of: client, to: metadata.tokenEndpoint, key: key, endpoint: endpoint,
            timeouts: timeouts, sentBy: sentBy)
        guard let json = try? JSONParser.parse(response.body) else {
            throw OAuthError(.malformedResponse(status: response.status), endpoint: endpoint)
        }
        guard let tokens = try? TokenResponse(json: json) else {
            let answer = UnreadableTokens(status: response.status, response.body)
            throw OAuthError(.unreadableTokens(answer), endpoint: endpoint)
        }
        return tokens
    }

    /// Sends a form as the client.
    ///
    /// - Throws: ``OAuthError`` also for a response whose status is not 2xx.
    private func post(
        _ parameters: FormParameters, of client: Client, to url: HTTPURL, key: any ProofSigner,
        endpoint: OAuthError.Endpoint, timeouts: Timeouts = .authorizationServer,
        sentBy: ContinuousClock.Instant? = nil
    ) async throws(OAuthError) -> FetchedResponse {
        let form = try form(parameters, of: client, endpoint)
        var request = TransportRequest(
            method: .post, url: url,
            headerFields: [
                .contentType: "application/x-www-form-urlencoded", .accept: "application/json",
            ],
            timeouts: timeouts, needsFreshConnection: true)
        request.sentBy = sentBy
        let response = try await sender.sendToAuthorizationServer(
            request, key: key, endpoint: endpoint, body: form)
        guard (200..<300).contains(response.status) else {
            let error = OAuthErrorResponse(
                status: response.status, headerFields: response.headerFields, body: response.body)
            throw OAuthError(.response(error), endpoint: endpoint, skew: sender.skew(of: url, after: error))
        }
        return response
    }

    /// Makes the body for each attempt. A confidential client needs a new assertion every time.
    private func form(
        _ parameters: FormParameters, of client: Client, _ endpoint: OAuthError.Endpoint
    ) throws(OAuthError) -> DPoPClient.BodyMaker {
        var parameters = parameters
        parameters.append("client_id", client.id.description)
        guard let keyID = client.keyID else {
            let body = Array(parameters.encoded.utf8)
            return { _ in body }
        }
        guard let assertions, assertions.keyID == keyID else {
            throw OAuthError(.noClientKey(keyID), endpoint: endpoint)
        }
        return { [parameters, issuer = metadata.issuer] issuedAt async throws(OAuthError) in
            var form = parameters
            form.append(
                contentsOf: try await assertions.parameters(
                    authenticating: client.id, to: issuer, issuedAt: issuedAt, endpoint: endpoint))
            return Array(form.encoded.utf8)
        }
    }
}
