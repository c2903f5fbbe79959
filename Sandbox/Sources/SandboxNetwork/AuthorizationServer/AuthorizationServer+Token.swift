import Crypto

extension AuthorizationServer {
    /// The token endpoint: code exchange and refresh (RFC 6749 §4.1.3, §6; RFC 9449 §5; cases 300-343, 500-535).
    func token(_ exchange: Exchange) async throws(OAuthFailure) -> Answer {
        let form = try await form(of: exchange)
        let grant = form["grant_type"]
        exchange.note {
            $0.grant = grant
            $0.clientID = form["client_id"]
        }
        guard let clientID = form["client_id"] else { throw .invalidGrant(Self.missingCredentials) }
        try Self.validate(form, grant: grant)
        guard let proof = try verifyProof(of: exchange) else {
            throw OAuthFailure(.invalidProof("DPoP proof required"))
        }
        _ = try OAuthClient(clientID: clientID, registered: clients)
        let outcome: AuthorizationState.Outcome
        if grant == "authorization_code" {
            outcome = await state.exchange(
                code: form["code"] ?? "",
                redirectURI: form["redirect_uri"],
                verifierChallenge: form["code_verifier"].map {
                    Base64URL.encode(SHA256.hash(data: Array($0.utf8)))
                },
                clientID: clientID,
                jkt: proof.jkt
            )
        } else {
            let token = form["refresh_token"] ?? ""
            guard Self.isRefreshToken(token) else {
                throw .invalidGrant(
                    "Invalid refresh token: String must contain exactly 68 character(s) at refresh_token; "
                        + "Invalid refresh token format at refresh_token"
                )
            }
            outcome = await state.refresh(token: token, clientID: clientID, jkt: proof.jkt)
        }
        exchange.note {
            $0.consumed = outcome.consumed
            $0.account = outcome.account
            $0.sessionEnded = outcome.sessionEnded
        }
        return try tokens(of: outcome.result.get())
    }

    /// What is wrong with the form itself; spends nothing (cases 321, 322, 342, 522).
    private static func validate(_ form: FormBody, grant: String?) throws(OAuthFailure) {
        switch grant {
        case "authorization_code":
            guard form["code"] != nil else {
                throw .invalidGrant("Invalid request payload: Required at body.code")
            }
            if let verifier = form["code_verifier"], verifier.utf8.count < 43 {
                throw .invalidGrant(
                    "Invalid request payload: String must contain at least 43 character(s) at body.code_verifier"
                )
            }
            if let verifier = form["code_verifier"], verifier.utf8.count > 128 {
                throw .invalidGrant(
                    "Invalid request payload: String must contain at most 128 character(s) at body.code_verifier"
                )
            }
        case "refresh_token":
            guard form["refresh_token"] != nil else {
                throw .invalidGrant("Invalid request payload: Required at body.refresh_token")
            }
        case let other?:
            throw .invalidGrant("Grant type \"\(other)\" is not supported by the server")
        case nil:
            throw .invalidGrant("Invalid request payload: Required at body.grant_type")
        }
    }

    static func isRefreshToken(_ text: String) -> Bool {
        text.utf8.count == 68 && text.hasPrefix("ref-") && text.dropFirst(4).allSatisfy(\.isHexDigit)
    }

    private func tokens(of session: Session) throws(OAuthFailure) -> Answer {
        let now = clock.seconds
        guard
            let token = try? signer.token(
                for: session,
                issuer: issuer,
                audience: origins.personalDataServerDID,
                issued: now
            )
        else { throw OAuthFailure("server_error", "Server error", status: 500) }
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
