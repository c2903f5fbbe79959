import Foundation

/// Requests, codes and sessions of the authorization server, in memory.
///
/// An actor without suspension points inside: consuming a code or a refresh token is atomic.
actor AuthorizationState {
    let clock: SandboxClock
    let issuer: @Sendable () -> String
    private let accessTokenLifetime: TimeInterval
    var requests: [String: AuthorizationRequest] = [:]
    /// Codes that may still be exchanged, with their request and the time they end.
    private var codes: [String: (uri: String, expires: Date)] = [:]
    /// Codes that were presented, with the session they gave.
    private var spentCodes: [String: String?] = [:]
    private var spentChallenges: [String: Date] = [:]
    private var sessions: [String: Session] = [:]
    /// The current access token of each session, by `jti`.
    private var accessTokens: [String: String] = [:]
    /// Every refresh token of a live session, used ones too.
    private var refreshTokens: [String: String] = [:]

    init(clock: SandboxClock, accessTokenLifetime: Duration, issuer: @escaping @Sendable () -> String) {
        self.clock = clock
        self.accessTokenLifetime = accessTokenLifetime.timeInterval
        self.issuer = issuer
    }

    /// Keeps a pushed request; answers its request_uri.
    func push(_ parameters: AuthorizationRequest.Parameters) -> String {
        if requests.count > 1000 {
            // The reference server forgets requests ten minutes after they ended.
            let limit = clock.now.addingTimeInterval(-600)
            requests = requests.filter { $0.value.expires > limit }
        }
        let uri = AuthorizationRequest.prefix + "req-" + RandomText.hex(bytes: 16)
        requests[uri] = AuthorizationRequest(
            uri: uri,
            parameters: parameters,
            expires: clock.now.addingTimeInterval(AuthorizationRequest.lifetime)
        )
        return uri
    }

    /// Makes a code for a request whose user said yes.
    func issueCode(for uri: String) -> String {
        let code = "cod-" + RandomText.hex(bytes: 32)
        codes[code] = (uri, clock.now.addingTimeInterval(AuthorizationRequest.lifetime))
        return code
    }

    // MARK: Token endpoint

    /// What the token endpoint did to a grant.
    struct Outcome: Sendable {
        var result: Result<Session, OAuthFailure>
        /// The code or refresh token was spent by this request.
        var consumed = false
        var account: String?
        var sessionEnded = false
    }

    /// Exchanges a code: presenting it once spends it, whatever comes of it (`protocol:R42`, cases 301-343).
    func exchange(
        code: String,
        redirectURI: String?,
        verifierChallenge: String?,
        clientID: String,
        jkt: String
    ) -> Outcome {
        if let session = spentCodes[code] {
            let ended = session.map { endSession($0) } ?? nil
            return Outcome(
                result: .failure(.invalidGrant("Invalid code")), account: ended, sessionEnded: ended != nil)
        }
        guard let issued = codes.removeValue(forKey: code), let request = requests[issued.uri]
        else { return Outcome(result: .failure(.invalidGrant("Invalid code"))) }
        spentCodes[code] = .some(nil)
        let account = request.account
        do throws(OAuthFailure) {
            let parameters = request.parameters
            guard parameters.client.clientID == clientID else {
                throw .invalidGrant("Token was not issued to this client")
            }
            if let bound = parameters.jkt, bound != jkt {
                throw .invalidGrant("DPoP proof does not match the expected JKT")
            }
            guard issued.expires > clock.now else { throw .invalidGrant("This code has expired") }
            guard parameters.redirectURI == redirectURI else {
                throw .invalidGrant(
                    "The redirect_uri parameter must match the one used in the authorization request")
            }
            guard let verifierChallenge else { throw .invalidGrant("code_verifier is required") }
            guard verifierChallenge == parameters.codeChallenge else {
                throw .invalidGrant("Invalid code_verifier")
            }
            if let until = spentChallenges[verifierChallenge], until > clock.now {
                throw .invalidGrant("Code challenge already used")
            }
            guard let account else { throw .invalidGrant("Invalid code") }
            spentChallenges[verifierChallenge] = clock.now.addingTimeInterval(26.4 * 3600)
            let session = startSession(for: account, parameters: parameters, jkt: jkt)
            spentCodes[code] = session.identifier
            return Outcome(result: .success(session), consumed: true, account: account.did)
        } catch {
            return Outcome(result: .failure(error), consumed: true, account: account?.did)
        }
    }

    /// Refreshes a session; any error after the token was matched ends it (`protocol:R64`, `R65`, cases 501-535).
    func refresh(token: String, clientID: String, jkt: String) -> Outcome {
        guard let identifier = refreshTokens[token], var session = sessions[identifier] else {
            return Outcome(result: .failure(.invalidGrant("Invalid refresh token")))
        }
        let account = session.account.did
        let isCurrent = session.refreshToken == token
        do throws(OAuthFailure) {
            guard session.clientID == clientID else {
                throw .invalidGrant("Token was not issued to this client")
            }
            guard session.jkt == jkt else {
                throw .invalidGrant("DPoP proof does not match the expected JKT")
            }
            guard isCurrent else { throw .invalidGrant("Refresh token replayed") }
            guard session.ends > clock.now else { throw .invalidGrant("Session expired") }
        } catch {
            endSession(identifier)
            return Outcome(
                result: .failure(error), consumed: isCurrent, account: account, sessionEnded: true)
        }
        session.refreshToken = "ref-" + RandomText.hex(bytes: 32)
        renewAccessToken(of: &session)
        sessions[identifier] = session
        refreshTokens[session.refreshToken] = identifier
        return Outcome(result: .success(session), consumed: true, account: account)
    }

    // MARK: Revocation and resource access

    /// Ends the session a refresh token (used ones too) or a current access token belongs to, if client and
    /// key are its own; answers the account, `nil` when nothing was revoked (`protocol:R75`, `R76`).
    func revoke(refreshToken: String?, accessTokenID: String?, clientID: String, jkt: String?) -> String? {
        let byRefresh = refreshToken.flatMap { refreshTokens[$0] }
        let byAccess = accessTokenID.flatMap { accessTokens[$0] }
        guard let identifier = byRefresh ?? byAccess, let session = sessions[identifier],
            session.clientID == clientID, session.jkt == jkt
        else { return nil }
        return endSession(identifier)
    }

    /// The session whose current access token has this `jti`.
    func session(accessTokenID: String) -> Session? {
        accessTokens[accessTokenID].flatMap { sessions[$0] }
    }

    /// Ends every session of an account, as a takedown would (`protocol:R73`); answers how many.
    func endSessions(of did: String) -> Int {
        let ended = sessions.values.filter { $0.account.did == did }
        for session in ended { endSession(session.identifier) }
        return ended.count
    }

    private func startSession(
        for account: Account,
        parameters: AuthorizationRequest.Parameters,
        jkt: String
    ) -> Session {
        var session = Session(
            identifier: RandomText.hex(bytes: 16),
            account: account,
            clientID: parameters.client.clientID,
            jkt: jkt,
            scope: parameters.scope.known,
            created: clock.now,
            accessTokenID: "",
            accessTokenExpires: clock.now,
            refreshToken: "ref-" + RandomText.hex(bytes: 32)
        )
        renewAccessToken(of: &session)
        sessions[session.identifier] = session
        refreshTokens[session.refreshToken] = session.identifier
        return session
    }

    private func renewAccessToken(of session: inout Session) {
        accessTokens[session.accessTokenID] = nil
        session.accessTokenID = "tok-" + RandomText.hex(bytes: 16)
        session.accessTokenExpires = min(clock.now.addingTimeInterval(accessTokenLifetime), session.ends)
        accessTokens[session.accessTokenID] = session.identifier
    }

    @discardableResult
    private func endSession(_ identifier: String) -> String? {
        guard let session = sessions.removeValue(forKey: identifier) else { return nil }
        accessTokens[session.accessTokenID] = nil
        refreshTokens = refreshTokens.filter { $0.value != identifier }
        return session.account.did
    }
}
