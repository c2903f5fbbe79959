extension ServerProfile {
    /// cocoon 7c46b9b.
    public static let cocoon: ServerProfile = {
        var profile = ServerProfile(name: "cocoon")
        // A nonce was accepted after 30 s and refused after 65 s.
        profile.nonces = NonceRules(rotation: .seconds(20), areGivenUnasked: false)
        let proofs = ProofRules(past: 190, future: 0, target: .host, areRemembered: false)
        profile.proofsAtAuthorizationServer = proofs
        profile.proofsAtPersonalDataServer = proofs
        profile.clients = ClientRules(
            port: .free, allowsLocalhostRedirect: true, allowsUnknownKeys: true, needsAtproto: false)
        // Not recorded: read in oauth/provider/client_auth.go and oauth/constants/constants.go.
        profile.assertions = AssertionRules(areRemembered: false)
        profile.sessions = SessionRules(
            binding: .method,
            ofConfidentialClients: .init(session: 2 * 365 * 86_400, idle: 90 * 86_400))
        profile.push = PushRules(
            required: ["redirect_uri", "scope", "state", "code_challenge", "code_challenge_method"],
            needsProof: true,
            checksDeclaredScope: false,
            needsAtproto: false,
            refusesUnknownScope: true,
            allowsPlainChallenge: true,
            checksResponseType: false,
            checksHints: false
        )
        profile.pages = PageRules(
            order: ["code", "iss", "state"], rejectionTarget: "http://localhost", answersUnasked: false)
        profile.grants = GrantRules(
            needsProofForCode: false,
            needsProofForRefresh: false,
            codeReplayEndsSession: false,
            codesExpire: false,
            challengesAreRemembered: false,
            checksClientOfCode: false,
            key: .pushedUnasked,
            failedRefreshEndsSession: false,
            race: .lastWins
        )
        profile.tokens.access = .jwtWithBareKey
        profile.revocation = .byToken
        profile.passwords = PasswordRules(
            accessLifetime: .seconds(3 * 3600),
            refreshLifetime: .seconds(7 * 86_400),
            grace: .zero,
            accessEndsWithRefresh: true,
            deleteTakesAccess: true
        )
        profile.calls = CallRules(
            schemeIsExact: true, authorizeFirst: true, proxiesUnknown: false, allowsUnexpectedBody: true)
        profile.documents = cocoonDocuments
        profile.authorizationWords = cocoonAuthorizationWords
        profile.resourceWords = cocoonResourceWords
        return profile
    }()

    private static let cocoonAuthorizationWords: [OAuthFailure.Reason: FailureWords] = {
        let mismatch = FailureWords.bare(400, "\"client_id\" mismatch")
        let code = FailureWords.bare(400, "\"redirect_uri\" mismatch")
        let request = FailureWords.bare(400, "InvalidRequest")
        let noClient = FailureWords.bare(
            400, "failed to get client: Get \"{url}\": unsupported protocol scheme \"\"")
        return [
            .nonceNeeded: .bare(400, "use_dpop_nonce"),
            .badProof: request,
            .proofMissing: .crash,
            .declaredKey: .bare(400, "supplied dpop jkt does not match header dpop jkt"),
            .mediaType: .bare(500, "Internal server error"),
            .wrongVerb: FailureWords(status: 405, detail: ("message", "Method Not Allowed")),
            .clientIDMissingAtPush: request,
            .clientIDMissing: noClient,
            .clientUnknown: noClient,
            .clientDocument: .bare(400, "failed to get client: {}"),
            .assertionMissing: .bare(
                400, "client authentication method \"private_key_jwt\" requires a \"client_assertion"),
            .assertionKeyMissing: .bare(400, "\"kid\" required in client_assertion"),
            .assertionKeyUnknown: .bare(400, "no key with kid \"{}\" in client jwks"),
            .assertionInvalid: .bare(400, "unable to verify \"client_assertion\" jwt: {}"),
            .methodMismatch: .bare(400, "\"client authentication method mismatch"),
            .parameterMissing: request,
            .redirectUnknown: .bare(400, "invalid_request"),
            .scopeUnknown: FailureWords(
                status: 400, error: "invalid_scope",
                detail: ("error_description", "unknown scope resource \"{kind}\"")),
            .requestUnknown: .bare(400, "client id does not match the client id for the supplied request"),
            .grantUnknown: .bare(400, "\"{}\" grant type is not supported by the server"),
            .codeMissing: .bare(400, "\"code\" is required"),
            .codeUnknown: code,
            .redirectMismatch: code,
            .clientMismatch: mismatch,
            .verifierMissing: .bare(400, "\"code_verifier\" is required"),
            .verifierShort: .bare(400, "\"code_verifier\" is too short"),
            .verifierWrong: .bare(400, "invalid code_verifier"),
            .refreshTokenMissing: .bare(400, "\"refresh_token\" is required"),
            .refreshTokenUnknown: mismatch,
            .refreshKeyMismatch: .bare(400, "dpop proof does not match expected jkt"),
            .sessionExpired: .bare(400, "Session expired"),
            .refreshTokenExpired: .bare(400, "Refresh token expired"),
        ]
    }()

    private static let cocoonResourceWords: [XRPCFailure.Reason: FailureWords] = {
        func challenged(_ status: Int, _ error: String, _ name: String, _ text: String) -> FailureWords {
            FailureWords(
                status: status, error: error, detail: (name, text),
                challenge: "DPoP error=\"\(error)\", error_description=\"\(text)\"")
        }
        let broken = FailureWords.bare(500, "Internal server error")
        let token = FailureWords.bare(400, "InvalidToken")
        return [
            .authorizationMissing: .bare(401, "Unauthorized"),
            .authorizationScheme: token,
            .authorizationMalformed: broken,
            .nonceNeeded: FailureWords(
                status: 401, error: "use_dpop_nonce", challenge: "DPoP error=\"use_dpop_nonce\""),
            .badProof: .bare(400, "InvalidRequest"),
            .proofMissing: .crash,
            .keyMismatch: .bare(400, "dpop jkt mismatch"),
            .badToken: challenged(401, "invalid_token", "error_description", "Token is invalid"),
            .expiredToken: challenged(401, "invalid_token", "error_description", "Token expired"),
            .scopeMissing: challenged(403, "insufficient_scope", "message", "Missing required scope {}"),
            .jwtMalformed: .crash,
            .jwtUnverified: FailureWords(status: 400, error: "ExpiredToken", detail: ("message", "*")),
            .jwtOfOAuth: token,
            .jwtRevoked: token,
            .wrongPassword: .bare(400, "InvalidRequest"),
            .methodUnknown: broken,
            .routeUnknown: FailureWords(status: 404, detail: ("message", "Not Found")),
            .notJSON: broken,
            .otherRepository: .bare(400, "InvalidRequest"),
            .blobUnknown: broken,
            .handleUnknown: broken,
            .handleInvalid: .bare(400, "Invalid handle."),
            .handleMissing: .bare(400, "Handle must be supplied in request."),
        ]
    }()
}
