public import ATPNetworking
internal import FoundationEssentials

extension OAuthClient {
    /// Gets new tokens for a refresh token, which works once (RFC 6749 §6). Two calls for one token at a time would spend it
    /// twice, which ends the session at many servers. So call it for one token at a time, in all processes.
    ///
    /// A request that was sent goes on if the task is cancelled.
    ///
    /// - Returns: the new tokens. Store them before you use them.
    /// - Throws: ``RefreshFailure``, which says whether the refresh token still works.
    public func refresh(_ tokens: TokenSet) async throws(RefreshFailure) -> TokenSet {
        let server: AuthorizationServer
        let token: RefreshToken
        do {
            token = try requireRefreshToken(tokens)
            server = self.server(try await knownMetadata())
        } catch {
            throw RefreshFailure(refreshToken: .usable, reason: error)
        }
        let answer: TokenResponse
        do {
            // Once sent, the request is not cancelled: its answer has the only tokens that work.
            answer = try await Task { [client] in
                do throws(OAuthError) {
                    return Result<TokenResponse, OAuthError>.success(
                        try await server.refresh(token, client: client, key: tokens.signer))
                } catch { return .failure(error) }
            }.value.get()
        } catch {
            throw RefreshFailure(error)
        }
        do {
            try await require(answer, at: server, signer: tokens.signer)
        } catch {
            throw RefreshFailure(refreshToken: .unusable, reason: error)
        }
        return self.tokens(answer, scope: tokens.scope, after: tokens, signer: tokens.signer)
    }

    /// Ends the session at the server (RFC 7009). Servers report success also for tokens that they don't know.
    ///
    /// - Throws: ``OAuthFailure/Code/unsupported`` if the server can't revoke tokens.
    public func revoke(_ tokens: TokenSet) async throws(OAuthFailure) {
        try requireOwn(tokens)
        let server = server(try await knownMetadata())
        try await revoke(tokens.refresh ?? tokens.access, at: server, signer: tokens.signer)
    }

    /// Sends a request to a resource server with the access token and a proof (RFC 9449 §7). A request that the server
    /// refuses for its nonce is sent once more with the nonce that the server wants; its body is then read again.
    ///
    /// - Returns: the response of any status, whose body streams.
    /// - Throws: ``OAuthFailure/Code/accessTokenRefused`` if the server refuses the token. Nothing is refreshed.
    public func send(
        _ request: TransportRequest, with tokens: TokenSet
    ) async throws(OAuthFailure) -> TransportResponse {
        try requireOwn(tokens)
        if let refusal = policy.refusal(of: request.url) {
            throw OAuthFailure(
                TransportError(.refused(refusal), requestWasSent: false, url: "\(request.url)"))
        }
        let sender = DPoPClient(transport: transport, nonces: memory, clock: memory, now: now)
        let answer: ResourceResponse
        do {
            answer = try await sender.sendToResourceServer(
                request, key: tokens.signer, accessToken: tokens.access)
        } catch {
            throw OAuthFailure(error)
        }
        switch answer {
        case .answered(let response): return response
        case .invalidToken(let response):
            throw OAuthFailure(
                .accessTokenRefused, "the server refuses the access token", status: response.status,
                requestWasSent: true)
        }
    }

    /// The tokens of an answer. What the server leaves out stays as it was (RFC 6749 §5.1, §6).
    func tokens(
        _ answer: TokenResponse, scope: String, after old: TokenSet?, signer: any ProofSigner
    ) -> TokenSet {
        TokenSet(
            issuer: issuer.description, clientID: client.id.description, access: answer.accessToken,
            refresh: answer.refreshToken ?? old?.refresh, scope: answer.scope?.description ?? scope,
            expiry: answer.expiresIn.map { now().addingTimeInterval(Double($0)) },
            subject: answer.subject ?? old?.subject, signer: signer)
    }

    /// Revokes tokens that are not acceptable. What is wrong with them is told even if that fails.
    func require(
        _ answer: TokenResponse, at server: AuthorizationServer, signer: any ProofSigner
    ) async throws(OAuthFailure) {
        do {
            try answer.validate(for: .plain)
        } catch let problem {
            var failure = OAuthFailure(problem)
            do {
                try await revoke(answer.refreshToken ?? answer.accessToken, at: server, signer: signer)
            } catch {
                failure.description += "; and they could not be revoked: \(error)"
            }
            throw failure
        }
    }

    private func revoke(
        _ token: any RevocableToken, at server: AuthorizationServer, signer: any ProofSigner
    ) async throws(OAuthFailure) {
        do {
            try await server.revoke(token, client: client, key: signer)
        } catch {
            throw OAuthFailure(error)
        }
    }

    private func requireRefreshToken(_ tokens: TokenSet) throws(OAuthFailure) -> RefreshToken {
        try requireOwn(tokens)
        guard let token = tokens.refresh else {
            throw OAuthFailure(.noRefreshToken, "the server gave no refresh token")
        }
        return token
    }

    /// Refuses tokens of another server or client, which must not see them.
    private func requireOwn(_ tokens: TokenSet) throws(OAuthFailure) {
        guard tokens.issuer == issuer.description, tokens.clientID == client.id.description else {
            throw OAuthFailure(.otherServer, "the tokens are of another server or client")
        }
    }
}
