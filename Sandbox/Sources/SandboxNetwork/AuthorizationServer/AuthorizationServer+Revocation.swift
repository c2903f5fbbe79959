extension AuthorizationServer {
    /// Revocation (RFC 7009; cases 600-657). The answer is 200 `{}`, whether a session ended or not.
    func revoke(_ exchange: Exchange) async throws(OAuthFailure) -> Answer {
        let form = try await form(of: exchange)
        exchange.note { $0.clientID = form["client_id"] }
        if profile.revocation == .byToken { return await revokeByToken(form, exchange) }
        guard let clientID = form["client_id"] else {
            throw OAuthFailure("invalid_request", Self.missingCredentials)
        }
        guard let token = form["token"] else {
            throw OAuthFailure(
                "invalid_request",
                "Invalid request payload: Required at body.token, or Required at body.token")
        }
        let proof = try verifyProof(of: exchange)
        // The answer does not show any other error (OP router/create-oauth-middleware.ts:183-195).
        if let authentication = try? await authenticated(clientID, form, proof: proof).1 {
            let client = ProvenClient(clientID: clientID, authentication: authentication, jkt: proof?.jkt)
            await revoke(token, by: client, exchange)
        }
        return .json([:])
    }

    private func revoke(_ token: String, by client: ProvenClient, _ exchange: Exchange) async {
        let claims = try? signer.claims(of: token)
        let account = await state.revoke(
            refreshToken: Self.isRefreshToken(token) ? token : nil,
            accessTokenID: claims?["jti"]?.string,
            by: client
        )
        exchange.note {
            $0.account = account
            $0.sessionEnded = account != nil
        }
    }

    /// Ignores the proof and its key. The answer has no body (cases 600-657 of cocoon). The client counts only if it
    /// could be authenticated (cocoon server/handle_oauth_revoke.go).
    private func revokeByToken(_ form: FormBody, _ exchange: Exchange) async -> Answer {
        proofs.note(exchange)
        let token = form["token"] ?? ""
        let client = try? await authenticated(form["client_id"] ?? "", form, proof: nil).0
        let account = await state.revokeCurrent(
            token, accessTokenID: (try? signer.claims(of: token))?["jti"]?.string, clientID: client?.clientID
        )
        exchange.note {
            $0.account = account
            $0.sessionEnded = account != nil
        }
        return Answer(status: 200)
    }
}
