import Foundation

/// The token endpoint: code exchange and refresh.
extension AuthorizationState {
    /// The result of a token request.
    struct Outcome: Sendable {
        var result: Result<Session, OAuthFailure>
        /// The code or refresh token was spent by this request.
        var consumed = false
        var account: String?
        var sessionEnded = false
    }

    /// Exchanges a code. Presenting a code spends it, also if the exchange fails (`protocol:R42`, cases 301-343).
    func exchange(
        code: String,
        redirectURI: String?,
        verifier: String?,
        client: ProvenClient
    ) -> Outcome {
        let rules = profile.grants
        let unknown = OAuthFailure.invalidGrant("Invalid code", .codeUnknown)
        if let session = spentCodes[code] {
            let ended = rules.codeReplayEndsSession ? session.map { endSession($0) } ?? nil : nil
            return Outcome(result: .failure(unknown), account: ended, sessionEnded: ended != nil)
        }
        guard let issued = codes.removeValue(forKey: code), let request = requests[issued.uri]
        else { return Outcome(result: .failure(unknown)) }
        spentCodes[code] = .some(nil)
        let account = request.account
        do throws(OAuthFailure) {
            let parameters = request.parameters
            guard parameters.client.clientID == client.clientID || !rules.checksClientOfCode else {
                throw .invalidGrant("Token was not issued to this client", .clientMismatch)
            }
            let key = try key(for: parameters, provenBy: client.jkt)
            try compare(client.authentication, with: parameters.authentication)
            guard issued.expires > clock.now || !rules.codesExpire else {
                throw .invalidGrant("This code has expired", .codeUnknown)
            }
            guard parameters.redirectURI == redirectURI else {
                throw .invalidGrant(
                    "The redirect_uri parameter must match the one used in the authorization request",
                    .redirectMismatch)
            }
            guard let verifier else { throw .invalidGrant("code_verifier is required", .verifierMissing) }
            let challenge = parameters.challenge(of: verifier)
            guard challenge == parameters.codeChallenge else {
                throw .invalidGrant("Invalid code_verifier", .verifierWrong)
            }
            if rules.challengesAreRemembered, let until = spentChallenges[challenge], until > clock.now {
                throw .invalidGrant("Code challenge already used")
            }
            guard let account else { throw unknown }
            spentChallenges[challenge] = clock.now.addingTimeInterval(26.4 * 3600)
            let session = startSession(
                for: account, parameters: parameters, authentication: client.authentication, jkt: key)
            spentCodes[code] = session.identifier
            return Outcome(result: .success(session), consumed: true, account: account.did)
        } catch {
            return Outcome(result: .failure(error), consumed: true, account: account?.did)
        }
    }

    /// The key a session is bound to (cases 313, 317).
    private func key(for parameters: AuthorizationRequest.Parameters, provenBy jkt: String?)
        throws(OAuthFailure) -> String
    {
        switch profile.grants.key {
        case .pushedUnasked: if let pushed = parameters.jkt { return pushed }
        case .pushed:
            if let pushed = parameters.jkt, pushed != jkt {
                throw .invalidGrant("DPoP proof does not match the expected JKT", .keyMismatch)
            }
        case .exchanging: break
        }
        guard let jkt else { throw .proofMissing }
        return jkt
    }

    /// Refreshes a session. On the official server any error after the token was found ends the session
    /// (`protocol:R64`, `R65`, cases 501-535).
    func refresh(token: String, client: ProvenClient) async -> Outcome {
        let unknown = Outcome(
            result: .failure(.invalidGrant("Invalid refresh token", .refreshTokenUnknown)))
        guard let identifier = refreshTokens[token], let session = sessions[identifier] else {
            return unknown
        }
        let endsSession = profile.grants.failedRefreshEndsSession
        let account = session.account.did
        let isCurrent = session.refreshToken == token
        do throws(OAuthFailure) {
            guard client.clientID == nil || session.clientID == client.clientID else {
                throw .invalidGrant("Token was not issued to this client", .clientMismatch)
            }
            guard session.jkt == client.jkt else {
                throw .invalidGrant("DPoP proof does not match the expected JKT", .refreshKeyMismatch)
            }
            guard isCurrent else { throw .invalidGrant("Refresh token replayed", .refreshTokenUnknown) }
            try compare(client.authentication, with: session.authentication)
            try checkAge(of: session, client.authentication)
        } catch {
            if endsSession { endSession(identifier) }
            return Outcome(
                result: .failure(error), consumed: isCurrent && endsSession, account: account,
                sessionEnded: endsSession)
        }
        if profile.grants.race != .atomic {
            // These servers read and write in two steps. A second request in between reads the same token.
            try? await Task.sleep(for: raceWindow)
        }
        let isFork = profile.grants.race == .bothWin
        let renewed = isFork ? fork(session, client.authentication) : renew(session, client.authentication)
        return Outcome(result: .success(renewed), consumed: true, account: account)
    }

    /// Refuses a client that does not authenticate as it did at the login. A public client may have become a
    /// confidential one at the reference server (OP oauth-provider.ts:815-862).
    func compare(_ now: ClientAuthentication, with initial: ClientAuthentication) throws(OAuthFailure) {
        let binding = profile.sessions.binding
        guard binding != .nothing, initial != .none || binding == .method else { return }
        guard now.method == initial.method else {
            throw .invalidGrant(
                "Client authentication method mismatch (expected \(initial.method))", .methodMismatch)
        }
        guard now == initial || binding == .method else {
            throw .invalidGrant(
                "The session was initiated with a different key than the client assertion currently used")
        }
    }

    /// Refuses a session that is too old, or was not refreshed for too long (OP oauth-provider.ts:1045-1054).
    private func checkAge(of session: Session, _ authentication: ClientAuthentication) throws(OAuthFailure) {
        let lifetimes = profile.sessions.lifetimes(authentication)
        if let limit = lifetimes.session, clock.now > session.created.addingTimeInterval(limit) {
            throw .invalidGrant("Session expired", .sessionExpired)
        }
        guard clock.now <= session.refreshed.addingTimeInterval(lifetimes.idle) else {
            throw .invalidGrant("Refresh token expired", .refreshTokenExpired)
        }
    }

    /// Issues new tokens for a session and ends the previous ones.
    private func renew(_ session: Session, _ authentication: ClientAuthentication) -> Session {
        var session = sessions[session.identifier] ?? session
        session.authentication = authentication
        session.refreshed = clock.now
        session.refreshToken = identifier("ref-", bytes: 32)
        renewAccessToken(of: &session)
        sessions[session.identifier] = session
        refreshTokens[session.refreshToken] = session.identifier
        return session
    }

    /// Creates a session that replaces the old one. Other requests may have replaced it too.
    private func fork(_ session: Session, _ authentication: ClientAuthentication) -> Session {
        endSession(session.identifier)
        var fork = session
        fork.identifier = RandomText.hex(bytes: 16)
        return renew(fork, authentication)
    }
}
