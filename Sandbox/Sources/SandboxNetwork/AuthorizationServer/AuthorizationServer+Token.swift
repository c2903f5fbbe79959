extension AuthorizationServer {
    /// The token endpoint: code exchange and refresh (RFC 6749 §4.1.3, §6; RFC 9449 §5; cases 300-343, 500-535).
    func token(_ exchange: Exchange) async throws(OAuthFailure) -> Answer {
        let form = try await form(of: exchange)
        let grant = form["grant_type"]
        exchange.note {
            $0.grant = grant
            $0.clientID = form["client_id"]
        }
        let clientID = form["client_id"]
        if profile.grants.grantBeforeClient { try Self.validate(form, grant: grant) }
        if clientID == nil, grant != "refresh_token" || profile.grants.needsClientForRefresh {
            throw .invalidGrant(Self.missingCredentials, .clientIDMissing)
        }
        if !profile.grants.grantBeforeClient { try Self.validate(form, grant: grant) }
        let proof = try await proof(of: exchange, form: form)
        let client = try await provenClient(clientID, form, proof)
        let outcome: AuthorizationState.Outcome
        if grant == "authorization_code" {
            outcome = await state.exchange(
                code: form["code"] ?? "",
                redirectURI: form["redirect_uri"],
                verifier: form["code_verifier"],
                client: client
            )
        } else {
            let token = form["refresh_token"] ?? ""
            guard Self.isRefreshToken(token) || !profile.tokens.havePrefix else {
                throw .invalidGrant(
                    "Invalid refresh token: String must contain exactly 68 character(s) at refresh_token; "
                        + "Invalid refresh token format at refresh_token",
                    .refreshTokenUnknown
                )
            }
            outcome = await state.refresh(token: token, client: client)
        }
        exchange.note {
            $0.consumed = outcome.consumed
            $0.account = outcome.account
            $0.sessionEnded = outcome.sessionEnded
        }
        return try tokens(of: outcome.result.get())
    }

    /// The client of the request. Its document must have the grant type (OP oauth-provider.ts).
    private func provenClient(_ clientID: String?, _ form: FormBody, _ proof: DPoPProof?)
        async throws(OAuthFailure) -> ProvenClient
    {
        guard let clientID else {
            return ProvenClient(clientID: nil, authentication: .none, jkt: proof?.jkt)
        }
        let (client, authentication) = try await authenticated(clientID, form, proof: proof)
        let grant = form["grant_type"] ?? ""
        guard client.grants.contains(grant) else {
            throw .invalidGrant("\"\(grant)\" grant type is not allowed for this client")
        }
        return ProvenClient(clientID: clientID, authentication: authentication, jkt: proof?.jkt)
    }

    /// The request's proof. Some servers spend the code when the proof is wrong or missing (cases 317-320).
    private func proof(of exchange: Exchange, form: FormBody) async throws(OAuthFailure) -> DPoPProof? {
        let isExchange = form["grant_type"] == "authorization_code"
        let isNeeded = isExchange ? profile.grants.needsProofForCode : profile.grants.needsProofForRefresh
        do throws(OAuthFailure) {
            let proof = try verifyProof(of: exchange)
            if proof == nil, isNeeded { throw .proofMissing }
            return proof
        } catch {
            if isExchange, profile.grants.proofErrorsSpendCode {
                let consumed = await state.spend(code: form["code"] ?? "")
                exchange.note { $0.consumed = consumed }
            }
            throw error
        }
    }

    /// Refuses a malformed form. Nothing is spent (cases 321, 322, 342, 522).
    private static func validate(_ form: FormBody, grant: String?) throws(OAuthFailure) {
        switch grant {
        case "authorization_code":
            guard form["code"] != nil else {
                throw .invalidGrant("Invalid request payload: Required at body.code", .codeMissing)
            }
            if let verifier = form["code_verifier"], verifier.utf8.count < 43 {
                throw .invalidGrant(
                    "Invalid request payload: String must contain at least 43 character(s) at body.code_verifier",
                    .verifierShort
                )
            }
            if let verifier = form["code_verifier"], verifier.utf8.count > 128 {
                throw .invalidGrant(
                    "Invalid request payload: String must contain at most 128 character(s) at body.code_verifier"
                )
            }
        case "refresh_token":
            guard form["refresh_token"] != nil else {
                throw .invalidGrant(
                    "Invalid request payload: Required at body.refresh_token", .refreshTokenMissing)
            }
        case let other?:
            throw .invalidGrant(
                "Grant type \"\(other)\" is not supported by the server", .grantUnknown, about: other)
        case nil:
            throw .invalidGrant(
                "Invalid request payload: Required at body.grant_type", .grantUnknown, about: "undefined")
        }
    }

    static func isRefreshToken(_ text: String) -> Bool {
        text.utf8.count == 68 && text.hasPrefix("ref-") && text.dropFirst(4).allSatisfy(\.isHexDigit)
    }

    private func tokens(of session: Session) -> Answer {
        let now = clock.seconds
        let token = signer.token(
            for: session,
            issuer: issuer,
            audience: origins.personalDataServerDID,
            issued: now,
            format: profile.tokens.access
        )
        return .json([
            "access_token": .string(token),
            "token_type": "DPoP",
            "refresh_token": .string(session.refreshToken),
            "scope": .string(session.scope.text),
            "expires_in": JSONValue(max(Int(session.accessTokenExpires.timeIntervalSince1970) - now, 0)),
            "sub": .string(session.account.did),
        ])
    }
}
