/// The caller of a PDS method, with its permissions.
struct Caller: Sendable {
    enum Kind {
        case oauth
        case password
    }

    /// What a JWT of a password session is for; the raw values are its `scope`.
    enum PasswordScope: String {
        case account = "com.atproto.access"
        case app = "com.atproto.appPass"
        case privilegedApp = "com.atproto.appPassPrivileged"
        case refresh = "com.atproto.refresh"

        static let accessScopes: Set<PasswordScope> = [.account, .app, .privilegedApp]

        /// The equivalent OAuth scopes. An app password does not include chat (`protocol:S2`, `A8`).
        var granted: ScopeSet {
            switch self {
            case .account, .privilegedApp:
                ScopeSet("atproto transition:generic transition:email transition:chat.bsky")
            case .app: ScopeSet("atproto transition:generic transition:email")
            case .refresh: ScopeSet("")
            }
        }
    }

    let account: Account
    let scope: ScopeSet
    let kind: Kind
    /// The `jti` of the refresh JWT the call came with.
    let refreshTokenID: String?

    init(_ session: Session) {
        account = session.account
        scope = session.scope
        kind = .oauth
        refreshTokenID = nil
    }

    init(account: Account, scope: PasswordScope, refreshTokenID: String?) {
        self.account = account
        self.scope = scope.granted
        kind = .password
        self.refreshTokenID = refreshTokenID
    }
}
