extension AuthorizationServer {
    /// Pushed authorization requests (RFC 9126; cases 100-197).
    func push(_ exchange: Exchange) async throws(OAuthFailure) -> Answer {
        let form = try await form(of: exchange)
        guard let clientID = form["client_id"] else {
            throw OAuthFailure("invalid_client", Self.missingCredentials)
        }
        exchange.note { $0.clientID = clientID }
        let redirect = try Self.validatedRedirect(form["redirect_uri"])
        let proof = try verifyProof(of: exchange)
        let client = try OAuthClient(clientID: clientID, registered: clients)
        let parameters = try Self.parameters(form, client: client, redirect: redirect, proof: proof)
        if let hint = parameters.loginHint, let account = accounts.find(hint) {
            exchange.note { $0.account = account.did }
        }
        let uri = await state.push(parameters)
        return .json(["request_uri": .string(uri), "expires_in": 300], status: 201)
    }

    /// A redirect to the name `localhost` is refused before anything else is looked at (cases 110, 111).
    private static func validatedRedirect(_ redirect: String?) throws(OAuthFailure) -> String? {
        guard let redirect else { return nil }
        let rest = redirect.dropFirst("http://localhost".count)
        if redirect.hasPrefix("http://localhost"), rest.isEmpty || "/:?#".contains(rest.first ?? "/") {
            throw OAuthFailure(
                "invalid_request",
                "Invalid authorization request: Use of \"localhost\" hostname is not allowed (RFC 8252), "
                    + "use a loopback IP such as \"127.0.0.1\" instead at body.redirect_uri"
            )
        }
        return redirect
    }

    private static func parameters(
        _ form: FormBody,
        client: OAuthClient,
        redirect: String?,
        proof: DPoPProof?
    ) throws(OAuthFailure) -> AuthorizationRequest.Parameters {
        for name in ["claims", "id_token_hint", "nonce"] where form[name] != nil {
            throw OAuthFailure("invalid_request", "Unsupported \"\(name)\" parameter")
        }
        let type = form["response_type"] ?? ""
        guard type == "code" else {
            throw OAuthFailure("unsupported_response_type", "Unsupported response_type \"\(type)\"")
        }
        let scope = try scope(form["scope"], client: client)
        let redirectURI = try client.redirectURI(requested: redirect)
        let mode = form["response_mode"] ?? "query"
        guard ["query", "fragment", "form_post"].contains(mode) else {
            throw OAuthFailure("invalid_request", "Unsupported response_mode \"\(mode)\"")
        }
        let challenge = try challenge(form)
        if form["prompt"]?.split(separator: " ").contains("none") == true {
            throw OAuthFailure("invalid_request", "Public clients are not allowed to use silent-sign-on")
        }
        let hint = form["login_hint"]
        if let hint, !Identifiers.isHandle(hint), !Identifiers.isDID(hint) {
            throw OAuthFailure("invalid_request", "Invalid login_hint \"\(hint)\"")
        }
        if let declared = form["dpop_jkt"], let proof, declared != proof.jkt {
            throw OAuthFailure(.invalidToken("Invalid DPoP key binding"))
        }
        return AuthorizationRequest.Parameters(
            client: client,
            redirectURI: redirectURI,
            responseMode: mode,
            state: form["state"],
            scope: scope,
            codeChallenge: challenge,
            loginHint: hint.map { Identifiers.isDID($0) ? $0 : $0.lowercased() },
            jkt: proof?.jkt ?? form["dpop_jkt"]
        )
    }

    /// Every scope declared in the client's metadata, `atproto` among them (`protocol:L8`, cases 120-125).
    private static func scope(_ text: String?, client: OAuthClient) throws(OAuthFailure) -> ScopeSet {
        let scope = ScopeSet(text ?? "")
        if let other = scope.tokens.first(where: { !client.scopes.contains($0) }) {
            throw OAuthFailure("invalid_scope", "Scope \"\(other)\" is not declared in the client metadata")
        }
        guard scope.contains("atproto") else {
            throw OAuthFailure("invalid_scope", "The \"atproto\" scope is required")
        }
        return scope
    }

    /// PKCE with S256, always (RFC 7636; cases 130-133).
    private static func challenge(_ form: FormBody) throws(OAuthFailure) -> String {
        guard let challenge = form["code_challenge"] else {
            throw OAuthFailure(
                "invalid_request",
                form["code_challenge_method"] == nil
                    ? "Use of PKCE is required"
                    : "code_challenge is required when code_challenge_method is provided"
            )
        }
        guard form["code_challenge_method"] == "S256" else {
            throw OAuthFailure("invalid_request", "atproto requires use of \"S256\" code_challenge_method")
        }
        return challenge
    }
}
