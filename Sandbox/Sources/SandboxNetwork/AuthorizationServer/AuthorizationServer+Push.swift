extension AuthorizationServer {
    /// Pushed authorization requests (RFC 9126; cases 100-197).
    func push(_ exchange: Exchange) async throws(OAuthFailure) -> Answer {
        let form = try await form(of: exchange)
        guard let clientID = form["client_id"] else {
            throw OAuthFailure("invalid_client", Self.missingCredentials, reason: .clientIDMissingAtPush)
        }
        exchange.note { $0.clientID = clientID }
        for name in profile.push.required where form[name] == nil {
            throw OAuthFailure(
                "invalid_request", "\(name) is required", reason: .parameterMissing, subject: name)
        }
        let redirect = try validatedRedirect(form["redirect_uri"])
        let proof = try proofOfPush(exchange)
        let client: OAuthClient
        var authentication = ClientAuthentication.none
        if profile.assertions.areNeededAtPush {
            (client, authentication) = try await authenticated(clientID, form, proof: proof)
        } else {
            client = try await clients.find(clientID)
        }
        let parameters = try parameters(
            form, client: client, authentication, redirect: redirect, proof: proof)
        if let hint = parameters.loginHint, let account = accounts.find(hint) {
            exchange.note { $0.account = account.did }
        }
        let uri = await state.push(parameters)
        return .json(["request_uri": .string(uri), "expires_in": 300], status: 201)
    }

    private func proofOfPush(_ exchange: Exchange) throws(OAuthFailure) -> DPoPProof? {
        guard profile.push.readsProof else {
            proofs.note(exchange)
            return nil
        }
        let proof = try verifyProof(of: exchange)
        if proof == nil, profile.push.needsProof { throw .proofMissing }
        return proof
    }

    /// Refuses a redirect to the name `localhost` before any other check (cases 110, 111).
    private func validatedRedirect(_ redirect: String?) throws(OAuthFailure) -> String? {
        guard let redirect, !profile.clients.allowsLocalhostRedirect else { return redirect }
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

    private static let prompts = ["none", "login", "consent", "select_account", "create"]

    private func parameters(
        _ form: FormBody,
        client: OAuthClient,
        _ authentication: ClientAuthentication,
        redirect: String?,
        proof: DPoPProof?
    ) throws(OAuthFailure) -> AuthorizationRequest.Parameters {
        let rules = profile.push
        if rules.checksHints {
            for name in ["claims", "id_token_hint", "nonce"] where form[name] != nil {
                throw OAuthFailure("invalid_request", "Unsupported \"\(name)\" parameter")
            }
        }
        let type = form["response_type"] ?? ""
        guard type == "code" || !rules.checksResponseType else {
            throw OAuthFailure(
                "unsupported_response_type", "Unsupported response_type \"\(type)\"", reason: .responseType)
        }
        let scope = try scope(form["scope"], client: client)
        let redirectURI = try client.redirectURI(requested: redirect)
        let mode = form["response_mode"] ?? "query"
        guard ["query", "fragment", "form_post"].contains(mode) else {
            throw OAuthFailure("invalid_request", "Unsupported response_mode \"\(mode)\"")
        }
        let challenge = try challenge(form)
        let prompt = form["prompt"]
        if rules.checksHints, let prompt, !Self.prompts.contains(prompt) {
            throw OAuthFailure("invalid_request", "Invalid prompt \"\(prompt)\"")
        }
        if rules.checksHints, prompt == "none", !client.isConfidential {
            throw OAuthFailure("invalid_request", "Public clients are not allowed to use silent-sign-on")
        }
        let hint = form["login_hint"]
        if rules.checksHints, let hint, !Identifiers.isHandle(hint), !Identifiers.isDID(hint) {
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
            isPlainChallenge: form["code_challenge_method"] == "plain",
            loginHint: hint.map { Identifiers.isDID($0) ? $0 : $0.lowercased() },
            prompt: prompt,
            authentication: authentication,
            jkt: proof?.jkt ?? (rules.readsProof ? form["dpop_jkt"] : nil)
        )
    }

    /// All requested scopes must be declared by the client, and `atproto` is required (`protocol:L8`, cases 120-125).
    private func scope(_ text: String?, client: OAuthClient) throws(OAuthFailure) -> ScopeSet {
        let rules = profile.push
        let scope = ScopeSet(text ?? rules.defaultScope ?? "")
        if rules.refusesUnknownScope,
            let other = scope.tokens.first(where: { !scope.known.contains($0) })
        {
            throw OAuthFailure(
                "invalid_scope", "Scope \"\(other)\" is unknown", reason: .scopeUnknown, subject: other)
        }
        if rules.checksDeclaredScope, let other = scope.tokens.first(where: { !client.scopes.contains($0) }) {
            throw OAuthFailure("invalid_scope", "Scope \"\(other)\" is not declared in the client metadata")
        }
        guard scope.contains("atproto") || !rules.needsAtproto else {
            throw OAuthFailure(
                "invalid_scope", "The \"atproto\" scope is required", reason: .scopeWithoutAtproto)
        }
        return scope
    }

    /// PKCE with S256, always (RFC 7636; cases 130-133).
    private func challenge(_ form: FormBody) throws(OAuthFailure) -> String {
        guard let challenge = form["code_challenge"] else {
            throw OAuthFailure(
                "invalid_request",
                form["code_challenge_method"] == nil
                    ? "Use of PKCE is required"
                    : "code_challenge is required when code_challenge_method is provided"
            )
        }
        let isPlain = form["code_challenge_method"] == "plain" && profile.push.allowsPlainChallenge
        guard form["code_challenge_method"] == "S256" || isPlain else {
            throw OAuthFailure(
                "invalid_request", "atproto requires use of \"S256\" code_challenge_method",
                reason: .challengeMethod)
        }
        return challenge
    }
}
