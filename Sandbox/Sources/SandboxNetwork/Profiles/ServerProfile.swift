/// The recorded behavior of one server. The defaults are those of the official server.
///
/// A profile is data. The sandbox reads it wherever implementations differ.
public struct ServerProfile: Sendable {
    /// The name that `--profile` takes.
    public let name: String
    var nonces = NonceRules()
    var proofsAtAuthorizationServer = ProofRules()
    var proofsAtPersonalDataServer = ProofRules()
    var clients = ClientRules()
    var assertions = AssertionRules()
    var sessions = SessionRules()
    var push = PushRules()
    var pages = PageRules()
    var grants = GrantRules()
    var tokens = TokenRules()
    var revocation = RevocationRules.byClientAndKey
    var passwords = PasswordRules()
    var calls = CallRules()
    var documents = Documents()
    /// Error texts of the authorization server that differ from the official ones.
    var authorizationWords: [OAuthFailure.Reason: FailureWords] = [:]
    /// Error texts of the PDS that differ from the official ones.
    var resourceWords: [XRPCFailure.Reason: FailureWords] = [:]

    init(name: String) {
        self.name = name
    }

    /// `@atproto/oauth-provider` 0.22.3 in the whole reference PDS 0.5.29. The recordings lack the PDS itself.
    public static let official = ServerProfile(name: "official")
    /// Every profile there is.
    public static let all = [official, cocoon, cirrus]
}

/// Whether the server uses DPoP nonces, and which answers carry them (cases 100, 194-197, 402).
struct NonceRules: Sendable {
    var areUsed = true
    var rotation = Duration.seconds(60)
    /// Whether the PDS also sends one in answers to requests without DPoP.
    var areGivenUnasked = true
}

/// The rules for DPoP proofs (cases 161-178, 189-193, 405-424).
struct ProofRules: Sendable {
    enum Target {
        case path
        case host
    }

    /// How many seconds `iat` may be behind the server's clock, and how many ahead of it.
    var past = 190
    var future = 180
    var target = Target.path
    var areRemembered = true
}

/// The rules for client_ids (cases 101-114, 140-144).
struct ClientRules: Sendable {
    enum Port {
        /// Any port, for a redirect URI declared without one.
        case freeIfUndeclared
        case free
        case exact
    }

    var port = Port.freeIfUndeclared
    var onlyFirstRedirect = false
    var allowsLocalhostRedirect = false
    var allowsUnknownKeys = false
    var allowsPath = false
    var needsAtproto = true
    /// How long the document of a hosted client is kept (OP oauth-provider.ts:287-294).
    var cacheLifetime = Duration.seconds(600)
}

/// The rules for pushed requests (cases 120-180).
struct PushRules: Sendable {
    var required: [String] = []
    /// Whether the request's proof is verified.
    var readsProof = true
    var needsProof = false
    var defaultScope: String?
    var checksDeclaredScope = true
    var needsAtproto = true
    var refusesUnknownScope = false
    var allowsPlainChallenge = false
    var checksResponseType = true
    /// Whether `login_hint`, `prompt` and `nonce` are checked.
    var checksHints = true
}

/// The redirect back to the client (cases 200-202).
struct PageRules: Sendable {
    var status = 303
    /// The order of the parameters, if it is fixed.
    var order: [String] = []
    /// The URL that a rejection redirects to without parameters, in place of the redirect URI.
    var rejectionTarget: String?
    var rejectionText = "The user rejected the request"
    /// Whether confidential clients get a code without a question when the scope was granted before.
    var answersUnasked = true
}

/// The rules for codes and refresh tokens (cases 302-343, 505-535).
struct GrantRules: Sendable {
    enum Key {
        /// It must be the one that pushed the request.
        case pushed
        /// It is the one that pushed the request. The token request is not checked.
        case pushedUnasked
        /// It is the one of the token request.
        case exchanging
    }

    enum Race {
        /// One request succeeds. The other one finds the token used.
        case atomic
        /// Both get tokens, but only the last ones work.
        case lastWins
        /// Both get tokens that work.
        case bothWin
    }

    var grantBeforeClient = false
    var needsProofForCode = true
    var needsProofForRefresh = true
    var needsClientForRefresh = true
    var proofErrorsSpendCode = false
    var codeReplayEndsSession = true
    var codesExpire = true
    var challengesAreRemembered = true
    var checksClientOfCode = true
    var key = Key.pushed
    var failedRefreshEndsSession = true
    var race = Race.atomic
}

/// The form of tokens (case 301).
struct TokenRules: Sendable {
    enum Access {
        /// Signed with a secret of the server, so it names no key.
        case jwt
        /// A JWT with a string as `cnf`, and with the scope.
        case jwtWithBareKey
        case opaque
    }

    var access = Access.jwt
    /// Whether codes, tokens and request URIs begin with `cod-`, `ref-`, `req-`.
    var havePrefix = true
}

/// The rules of the revocation endpoint (cases 600-657).
enum RevocationRules: Sendable {
    case byClientAndKey
    /// Only the current token, and the client_id if there is one, are checked. The answer is always empty.
    case byToken
    /// There is no such endpoint.
    case missing
}

/// Password sessions (cases 700-746).
struct PasswordRules: Sendable {
    var accessLifetime = Duration.seconds(2 * 3600)
    var refreshLifetime = Duration.seconds(90 * 86_400)
    /// The grace period of a used refresh JWT.
    var grace = Duration.seconds(2 * 3600)
    /// Whether access JWTs end with the refresh JWT they came with.
    var accessEndsWithRefresh = false
    var deleteTakesAccess = false
}

/// XRPC calls (cases 414, 440-449, 724).
struct CallRules: Sendable {
    /// Whether the scheme `DPoP` is compared with case.
    var schemeIsExact = false
    /// Whether authorization is checked before the method is looked up.
    var authorizeFirst = false
    /// Whether a method that the PDS does not know is passed on to the AppView.
    var proxiesUnknown = true
    var allowsUnexpectedBody = false
}

/// Documents that differ (cases 001-003): JSON with the placeholders `{issuer}` and `{resource}`.
struct Documents: Sendable {
    var authorizationServer: String?
    var protectedResource: String?
    /// Whether there is a public key for access tokens.
    var publishesKeys = false
}
