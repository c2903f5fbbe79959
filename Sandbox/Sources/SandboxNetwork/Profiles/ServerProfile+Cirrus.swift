extension ServerProfile {
    /// Cirrus oauth-provider 0.5.0. Its password sessions were not recorded and follow the official server.
    public static let cirrus: ServerProfile = {
        var profile = ServerProfile(name: "cirrus")
        profile.nonces.areUsed = false
        // It accepted 60 s behind and 5 s ahead, and refused 120 s behind and 30 s ahead.
        profile.proofsAtAuthorizationServer = ProofRules(past: 70, future: 10, target: .host)
        profile.proofsAtPersonalDataServer = ProofRules(past: 70, future: 10)
        profile.clients = ClientRules(
            port: .exact,
            onlyFirstRedirect: true,
            allowsLocalhostRedirect: true,
            allowsUnknownKeys: true,
            allowsPath: true,
            needsAtproto: false,
            cacheLifetime: .seconds(3600)
        )
        // Not recorded: read in packages/oauth-provider/src/client-auth.ts and tokens.ts.
        profile.assertions = AssertionRules(
            past: 300, tolerance: 30, needsKeyID: false, mayNameTokenEndpoint: true, areNeededAtPush: false)
        let lifetimes = SessionRules.Lifetimes(session: nil, idle: 90 * 86_400)
        profile.sessions = SessionRules(
            binding: .nothing, ofPublicClients: lifetimes, ofConfidentialClients: lifetimes)
        profile.push = PushRules(
            required: ["redirect_uri", "response_type", "code_challenge", "code_challenge_method", "state"],
            readsProof: false,
            defaultScope: "atproto",
            checksDeclaredScope: false,
            refusesUnknownScope: true,
            checksHints: false
        )
        profile.pages = PageRules(
            status: 302,
            order: ["error", "error_description", "code", "state", "iss"],
            rejectionText: "User denied authorization",
            answersUnasked: false
        )
        profile.grants = GrantRules(
            grantBeforeClient: true,
            needsClientForRefresh: false,
            proofErrorsSpendCode: true,
            codeReplayEndsSession: false,
            challengesAreRemembered: false,
            key: .exchanging,
            failedRefreshEndsSession: false,
            race: .bothWin
        )
        profile.tokens = TokenRules(access: .opaque, havePrefix: false)
        profile.revocation = .missing
        profile.calls.schemeIsExact = true
        profile.documents = cirrusDocuments
        profile.authorizationWords = cirrusAuthorizationWords
        profile.resourceWords = cirrusResourceWords
        return profile
    }()

    private static let cirrusAuthorizationWords: [OAuthFailure.Reason: FailureWords] = {
        func words(_ error: String, _ text: String) -> FailureWords {
            FailureWords(status: 400, error: error, detail: ("error_description", text))
        }
        func refusal(_ text: String) -> FailureWords {
            FailureWords(status: 401, error: "invalid_client", detail: ("error_description", text))
        }
        let mediaType = words(
            "invalid_request",
            "Content-Type must be application/json or application/x-www-form-urlencoded")
        let code = words("invalid_grant", "Invalid or expired authorization code")
        let verifier = words("invalid_grant", "Invalid code_verifier")
        return [
            .badProof: words("invalid_dpop_proof", "{}"),
            .proofMissing: words("invalid_dpop_proof", "Missing DPoP header"),
            .mediaType: mediaType,
            .wrongVerb: mediaType,
            .responseType: words("unsupported_response_type", "Only response_type=code is supported"),
            .challengeMethod: words(
                "invalid_request", "Only code_challenge_method=S256 is supported"),
            .clientIDMissingAtPush: words("invalid_request", "Missing client_id parameter"),
            .clientIDMissing: words("invalid_request", "Missing required parameter: client_id"),
            .clientUnknown: words(
                "invalid_client", "Failed to resolve client: Invalid client ID format: {}"),
            .clientDocument: words("invalid_client", "Failed to resolve client: {}"),
            .assertionMissing: refusal("Client assertion required for confidential client"),
            .assertionInvalid: refusal("JWT verification failed: {}"),
            .assertionReused: refusal("JWT has already been used (replay detected)"),
            .parameterMissing: words("invalid_request", "Missing required parameter: {}"),
            .redirectUnknown: words("invalid_request", "redirect_uri is not registered for this client"),
            .scopeUnknown: words("invalid_scope", "Unknown scope resource: {}"),
            .scopeWithoutAtproto: words("invalid_scope", "Scope must include \"atproto\""),
            .grantUnknown: words("unsupported_grant_type", "Unsupported grant_type: {}"),
            .codeMissing: words("invalid_request", "Missing required parameter: code"),
            .codeUnknown: code,
            .clientMismatch: words("invalid_grant", "client_id mismatch"),
            .redirectMismatch: words("invalid_grant", "redirect_uri mismatch"),
            .verifierMissing: words("invalid_request", "Missing required parameter: code_verifier"),
            .verifierShort: verifier,
            .verifierWrong: verifier,
            .refreshTokenMissing: words("invalid_request", "Missing refresh_token parameter"),
            .refreshTokenUnknown: words("invalid_grant", "Invalid refresh token"),
            .refreshTokenExpired: words("invalid_grant", "Refresh token expired"),
            .refreshKeyMismatch: words("invalid_dpop_proof", "DPoP key mismatch"),
        ]
    }()

    private static let cirrusResourceWords: [XRPCFailure.Reason: FailureWords] = {
        let required = FailureWords(
            status: 401, error: "AuthenticationRequired", detail: ("message", "Access token required"))
        let text = "Invalid access token"
        let token = FailureWords(
            status: 401, error: "InvalidToken", detail: ("message", text),
            challenge: "DPoP error=\"invalid_token\", error_description=\"\(text)\"")
        return [
            .authorizationMissing: required,
            .authorizationScheme: required,
            .jwtMalformed: required,
            .jwtUnverified: required,
            .jwtOfOAuth: required,
            .authorizationMalformed: token,
            .badProof: token,
            .proofMissing: token,
            .keyMismatch: token,
            .badToken: token,
            .expiredToken: token,
        ]
    }()
}
