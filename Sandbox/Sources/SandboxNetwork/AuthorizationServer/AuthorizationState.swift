import Foundation

/// Requests, codes and sessions of the authorization server, in memory.
///
/// The methods have no suspension points, so that spending a code or a refresh token is atomic.
actor AuthorizationState {
    let clock: SandboxClock
    let issuer: @Sendable () -> String
    let profile: ServerProfile
    let raceWindow: Duration
    private let accessTokenLifetime: TimeInterval
    var requests: [String: AuthorizationRequest] = [:]
    /// Codes that may still be exchanged, with their request and the time they end.
    var codes: [String: (uri: String, expires: Date)] = [:]
    /// Spent codes, with the session that each one started.
    var spentCodes: [String: String?] = [:]
    var spentChallenges: [String: Date] = [:]
    /// The accounts that signed in on each browser, and when they did.
    var signedIn: [String: [String: (account: Account, time: Date)]] = [:]
    /// The scopes that an account granted to a client, by DID and client_id.
    var granted: [String: [String: Set<String>]] = [:]
    var sessions: [String: Session] = [:]
    /// The current access token of each session, by `jti`.
    var accessTokens: [String: String] = [:]
    /// Every refresh token of a live session, used ones too.
    var refreshTokens: [String: String] = [:]

    init(
        clock: SandboxClock,
        profile: ServerProfile,
        raceWindow: Duration,
        accessTokenLifetime: Duration,
        issuer: @escaping @Sendable () -> String
    ) {
        self.profile = profile
        self.raceWindow = raceWindow
        self.clock = clock
        self.accessTokenLifetime = accessTokenLifetime.timeInterval
        self.issuer = issuer
    }

    /// Stores a pushed request and returns its request_uri.
    func push(_ parameters: AuthorizationRequest.Parameters) -> String {
        if requests.count > 1000 {
            // The reference server forgets requests ten minutes after they ended.
            let limit = clock.now.addingTimeInterval(-600)
            requests = requests.filter { $0.value.expires > limit }
        }
        let uri = AuthorizationRequest.prefix + identifier("req-", bytes: 16)
        requests[uri] = AuthorizationRequest(
            uri: uri,
            parameters: parameters,
            expires: clock.now.addingTimeInterval(AuthorizationRequest.lifetime)
        )
        return uri
    }

    /// Makes a code for an approved request.
    func issueCode(for uri: String) -> String {
        let code = identifier("cod-", bytes: 32)
        codes[code] = (uri, clock.now.addingTimeInterval(AuthorizationRequest.lifetime))
        return code
    }

    /// A random identifier, with the prefix of its kind on servers that use prefixes.
    func identifier(_ prefix: String, bytes: Int) -> String {
        profile.tokens.havePrefix
            ? prefix + RandomText.hex(bytes: bytes) : RandomText.base64URL(bytes: 32)
    }

    /// Spends a code without issuing tokens. Returns `false` when there is no such code.
    func spend(code: String) -> Bool {
        spentCodes[code] = .some(nil)
        return codes.removeValue(forKey: code) != nil
    }

    // MARK: Revocation and resource access

    /// Ends the session of a refresh token (also a used one) or of a current access token. Client and keys must be
    /// the session's. Returns the account, or `nil` when nothing was revoked (`protocol:R75`, `R76`).
    func revoke(refreshToken: String?, accessTokenID: String?, by client: ProvenClient) -> String? {
        let byRefresh = refreshToken.flatMap { refreshTokens[$0] }
        let byAccess = accessTokenID.flatMap { accessTokens[$0] }
        guard let identifier = byRefresh ?? byAccess, let session = sessions[identifier],
            session.clientID == client.clientID, session.jkt == client.jkt,
            (try? compare(client.authentication, with: session.authentication)) != nil
        else { return nil }
        return endSession(identifier)
    }

    /// Ends the session of a current token. Any client may do this, but a wrong client_id is refused.
    func revokeCurrent(_ token: String, accessTokenID: String?, clientID: String?) -> String? {
        let byRefresh = refreshTokens[token].flatMap { sessions[$0] }.flatMap {
            $0.refreshToken == token ? $0 : nil
        }
        let byAccess = accessTokenID.flatMap { accessTokens[$0] }.flatMap { sessions[$0] }
        guard let session = byRefresh ?? byAccess, clientID == nil || session.clientID == clientID
        else { return nil }
        return endSession(session.identifier)
    }

    /// The session whose current access token has this `jti`.
    func session(accessTokenID: String) -> Session? {
        accessTokens[accessTokenID].flatMap { sessions[$0] }
    }

    /// Ends every session of an account, as a takedown does (`protocol:R73`). Returns their number.
    func endSessions(of did: String) -> Int {
        let ended = sessions.values.filter { $0.account.did == did }
        for session in ended { endSession(session.identifier) }
        return ended.count
    }

    func startSession(
        for account: Account,
        parameters: AuthorizationRequest.Parameters,
        authentication: ClientAuthentication,
        jkt: String
    ) -> Session {
        var session = Session(
            identifier: RandomText.hex(bytes: 16),
            account: account,
            clientID: parameters.client.clientID,
            jkt: jkt,
            scope: parameters.scope.known.expanded,
            created: clock.now,
            refreshed: clock.now,
            authentication: authentication,
            accessTokenID: "",
            accessTokenExpires: clock.now,
            refreshToken: identifier("ref-", bytes: 32)
        )
        renewAccessToken(of: &session)
        sessions[session.identifier] = session
        refreshTokens[session.refreshToken] = session.identifier
        return session
    }

    func renewAccessToken(of session: inout Session) {
        accessTokens[session.accessTokenID] = nil
        session.accessTokenID = identifier("tok-", bytes: 16)
        let limit = profile.sessions.lifetimes(session.authentication).session
        let end = limit.map { session.created.addingTimeInterval($0) } ?? .distantFuture
        session.accessTokenExpires = min(clock.now.addingTimeInterval(accessTokenLifetime), end)
        accessTokens[session.accessTokenID] = session.identifier
    }

    /// Each session with the times from which on its refreshes are refused.
    var summaries: [JSONValue] {
        sessions.values.sorted { $0.created < $1.created }.map { session in
            let lifetimes = profile.sessions.lifetimes(session.authentication)
            let end = lifetimes.session.map { session.created.addingTimeInterval($0).timestamp }
            return [
                "did": .string(session.account.did), "client_id": .string(session.clientID),
                "ends_at": end.map { .string($0) } ?? .null,
                "idle_ends_at": .string(session.refreshed.addingTimeInterval(lifetimes.idle).timestamp),
            ]
        }
    }

    @discardableResult
    func endSession(_ identifier: String) -> String? {
        guard let session = sessions.removeValue(forKey: identifier) else { return nil }
        accessTokens[session.accessTokenID] = nil
        refreshTokens = refreshTokens.filter { $0.value != identifier }
        return session.account.did
    }
}
