public import ATPNetworking

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

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
            throw RefreshFailure(
                refreshToken: error.code == .noRefreshToken ? .unusable : .usable, reason: error)
        }
        return try await uncancelled { () async throws(RefreshFailure) in
            try await refresh(tokens, with: token, at: server)
        }
    }

    private func refresh(
        _ tokens: TokenSet, with token: RefreshToken, at server: AuthorizationServer
    ) async throws(RefreshFailure) -> TokenSet {
        let answer: TokenResponse
        do {
            answer = try await server.refresh(token, client: client, key: tokens.signer)
        } catch {
            let state = RefreshFailure.TokenState(after: error)
            throw RefreshFailure(
                refreshToken: state, reason: await failure(error, at: server, signer: tokens.signer))
        }
        do {
            try await require(answer, after: tokens, at: server, signer: tokens.signer)
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
        try requireUsable(tokens)
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
            expiry: answer.expiresIn.map { now().addingTimeInterval(Double(min($0, Self.longestLife))) },
            subject: answer.subject ?? old?.subject, signer: signer)
    }

    /// Revokes tokens that are not acceptable. What is wrong with them is told even if that fails.
    ///
    /// - Parameter old: the tokens that were refreshed. A server that gives no new refresh token lets the old one work on
    ///   (RFC 6749 §6), so it is revoked then.
    func require(
        _ answer: TokenResponse, after old: TokenSet?, at server: AuthorizationServer, signer: any ProofSigner
    ) async throws(OAuthFailure) {
        guard let failure = refusal(of: answer, signer) else { return }
        throw await revoking(
            answer.refreshToken ?? old?.refresh ?? answer.accessToken, at: server, signer: signer, failure)
    }

    /// Why the tokens of an answer are not bound to the key; nil if they are.
    private func refusal(of answer: TokenResponse, _ signer: any ProofSigner) -> OAuthFailure? {
        do { try answer.validate(for: .plain) } catch { return OAuthFailure(error) }
        guard let thumbprint = answer.accessToken.confirmedThumbprint, thumbprint != signer.thumbprint else {
            return nil
        }
        return OAuthFailure(
            .unacceptableTokens, "the tokens are not acceptable: they are bound to another key",
            requestWasSent: true)
    }

    /// The failure of a request for tokens. A refresh token in an answer that lacks the access token is revoked.
    func failure(
        _ error: OAuthError, at server: AuthorizationServer, signer: any ProofSigner
    ) async -> OAuthFailure {
        guard case .unreadableTokens(let answer) = error.code, let token = answer.refreshToken else {
            return OAuthFailure(error)
        }
        return await revoking(token, at: server, signer: signer, OAuthFailure(error))
    }

    /// Revokes a token because of a failure, and adds to it if that does not work.
    private func revoking(
        _ token: any RevocableToken, at server: AuthorizationServer, signer: any ProofSigner,
        _ failure: OAuthFailure
    ) async -> OAuthFailure {
        var failure = failure
        do {
            try await revoke(token, at: server, signer: signer)
        } catch {
            let kind = token is RefreshToken ? "refresh" : "access"
            failure.description += "; the \(kind) token could not be revoked: \(error)"
        }
        return failure
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
        try requireUsable(tokens)
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

    /// Refuses tokens that name another key too. The server would refuse them.
    private func requireUsable(_ tokens: TokenSet) throws(OAuthFailure) {
        try requireOwn(tokens)
        if let thumbprint = tokens.access.confirmedThumbprint, thumbprint != tokens.signer.thumbprint {
            throw OAuthFailure(.otherKey, "the tokens are bound to another key")
        }
    }
}
