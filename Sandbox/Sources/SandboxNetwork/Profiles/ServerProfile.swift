/// What one server does differently from the others, as recorded; the defaults are the official server's.
///
/// A profile is data: the servers ask it at the places where implementations differ.
public struct ServerProfile: Sendable {
    /// The name that `--profile` takes.
    public let name: String
    var nonces = NonceRules()
    var proofsAtAuthorizationServer = ProofRules()
    var proofsAtPersonalDataServer = ProofRules()
    var clients = ClientRules()
    var push = PushRules()
    var pages = PageRules()
    var grants = GrantRules()
    var tokens = TokenRules()
    var revocation = RevocationRules.byClientAndKey
    var passwords = PasswordRules()
    var calls = CallRules()
    var documents = Documents()
    /// Words of the authorization server that are not the official ones.
    var authorizationWords: [OAuthFailure.Reason: FailureWords] = [:]
    /// Words of the PDS that are not the official ones.
    var resourceWords: [XRPCFailure.Reason: FailureWords] = [:]

    init(name: String) {
        self.name = name
    }

    /// `@atproto/oauth-provider` 0.22.3 and the reference PDS.
    public static let official = ServerProfile(name: "official")
    /// Every profile there is.
    public static let all = [official, cocoon, cirrus]
}

/// DPoP nonces: whether there are any, and where they are given (cases 100, 194-197, 402).
struct NonceRules: Sendable {
    var areUsed = true
    var rotation = Duration.seconds(60)
    /// Whether answers of the PDS to other than DPoP requests have one too.
    var areGivenUnasked = true
}

/// What a DPoP proof must be (cases 161-178, 189-193, 405-424).
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

/// What a client_id may be and what it stands for (cases 101-114, 140-144).
struct ClientRules: Sendable {
    enum Port {
        /// Any, for a redirect URI declared without one.
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
}

/// What a pushed request must have (cases 120-180).
struct PushRules: Sendable {
    var required: [String] = []
    /// Whether the proof of the request is looked at.
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

/// How the browser gets back to the client (cases 200-202).
struct PageRules: Sendable {
    var status = 303
    /// The order of the parameters; those of other servers vary.
    var order: [String] = []
    /// Where a rejection goes without any parameter, instead of the redirect URI.
    var rejectionTarget: String?
    var rejectionText = "The user rejected the request"
}

/// What spends a code or a refresh token, and what it binds to (cases 302-343, 505-535).
struct GrantRules: Sendable {
    enum Key {
        /// Must be the one that pushed the request.
        case pushed
        /// Is the one that pushed the request, whoever asks.
        case pushedUnasked
        /// Is the one that asks.
        case exchanging
    }

    enum Race {
        /// One request wins, the other finds the token used.
        case atomic
        /// Both get tokens, and only the last ones live.
        case lastWins
        /// Both get tokens that live.
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

/// What tokens look like (case 301).
struct TokenRules: Sendable {
    enum Access {
        case jwt
        /// `cnf` is a string, and the scope is inside.
        case jwtWithBareKey
        case opaque
    }

    var access = Access.jwt
    /// Whether codes, tokens and request URIs begin with `cod-`, `ref-`, `req-`.
    var havePrefix = true
}

/// What the revocation endpoint looks at (cases 600-657).
enum RevocationRules: Sendable {
    case byClientAndKey
    /// The current token alone, and the client_id if there is one; the answer is always empty.
    case byToken
    /// There is no such endpoint.
    case missing
}

/// Sessions by password (cases 700-746).
struct PasswordRules: Sendable {
    var accessLifetime = Duration.seconds(2 * 3600)
    var refreshLifetime = Duration.seconds(90 * 86_400)
    /// How long a used refresh JWT works.
    var grace = Duration.seconds(2 * 3600)
    /// Whether access JWTs end with the refresh JWT they came with.
    var accessEndsWithRefresh = false
    var deleteTakesAccess = false
}

/// XRPC calls (cases 414, 440-449, 724).
struct CallRules: Sendable {
    /// Whether `DPoP` must be capitalised so.
    var schemeIsExact = false
    /// Whether a caller is asked for before the method is looked up.
    var authorizeFirst = false
    var allowsUnexpectedBody = false
}

/// Documents that differ (cases 001-003): JSON in which `{issuer}` and `{resource}` stand for the URLs.
struct Documents: Sendable {
    var authorizationServer: String?
    var protectedResource: String?
    var publishesKeys = true
}
