internal import ATPNetworking
internal import ATProtoIdentity
package import ATProtoSessions
internal import ATProtoVault
package import FoundationEssentials
internal import OAuthDPoP

/// The rotation of a session's tokens, in the one order that loses nothing (decisions:Rotation).
///
/// The order is: check the issuer outside the lock; lock; read the session again and adopt newer tokens; write the
/// intent durably; send the request, which can't be cancelled; write the new record durably before checking it; remove
/// the intent; unlock; only then use the token.
package struct RefreshFlow: Sendable {
    /// The conditions for a refresh.
    package struct Options: Sendable {
        /// The remaining seconds below which a token is refreshed, at most half its lifetime; nil for the limit of
        /// `call`.
        package let minimumLife: Double?
        /// Refresh regardless of the remaining time, and try even an uncertain session.
        package let isForced: Bool
        /// Whether to wait if an earlier refresh may still be answered, or must not be sent again yet.
        let awaitsRefresh: Bool

        package init(minimumLife: Double? = nil, isForced: Bool = false, awaitsRefresh: Bool = true) {
            self.minimumLife = minimumLife
            self.isForced = isForced
            self.awaitsRefresh = awaitsRefresh
        }
    }

    package enum Outcome: String, Sendable {
        case refreshed
        /// No refresh was needed.
        case fresh
        /// Another process had refreshed the session.
        case adopted
    }

    let environment: SessionEnvironment

    package init(_ environment: SessionEnvironment) {
        self.environment = environment
    }

    /// Refreshes the account's access token if the options require it, for a user who wants to know that the session
    /// works.
    ///
    /// - Throws: ``CoreError/refreshUnclear(_:since:status:until:)`` if the access token is valid, but the last refresh may have
    ///   used up the refresh token.
    package func refresh(
        _ id: UUID, options: Options, lockTimeout: Duration
    ) async throws -> (Outcome, Session) {
        let (outcome, session) = try await renew(id, options: options, lockTimeout: lockTimeout)
        if outcome == .fresh { try requireClearAttempt(session, of: id) }
        return (outcome, session)
    }

    /// Throws if the last refresh with the session's token got no answer, or one that may hide a rotation.
    private func requireClearAttempt(_ session: Session, of id: UUID) throws {
        guard let earlier = try environment.accounts.openAttempt(of: id, session),
            earlier.answer?.mayHideRotation != false
        else { return }
        let profile = try environment.accounts.profile(id)
        throw CoreError.refreshUnclear(
            AccountLogin(profile, session), since: earlier.startedAt, status: earlier.answer?.unclearStatus,
            until: session.accessExpiresAt)
    }

    /// Refreshes the account's access token if the options require it, for a caller that uses the token.
    func renew(
        _ id: UUID, options: Options, lockTimeout: Duration
    ) async throws -> (Outcome, Session) {
        let session = try environment.accounts.session(id)
        if !options.isForced, session.state == .ok,
            session.lives(at: environment.network.wallClock.now, margin: margin(options, session))
        {
            return (.fresh, try await settled(session, of: id, lockTimeout))
        }
        return try await rotate(
            id, seen: session, isForced: options.isForced, awaitsRefresh: options.awaitsRefresh,
            lockTimeout: lockTimeout)
    }

    /// Rotates the tokens, unless another process has done so since `seen` was read.
    ///
    /// - Parameter isRefused: whether the server refused the access token. Then its expiry time does not count.
    func rotate(
        _ id: UUID, seen: Session, isForced: Bool, isRefused: Bool = false, awaitsRefresh: Bool = true,
        lockTimeout: Duration
    ) async throws -> (Outcome, Session) {
        let profile = try environment.accounts.profile(id, on: environment.network.policy)
        try seen.checkUsable(profile, isForced: isForced)
        let request = RotationRequest(
            account: id, seen: seen.accessToken.fingerprint, isForced: isForced, isRefused: isRefused,
            awaitsRefresh: awaitsRefresh, lockTimeout: lockTimeout)
        if let outcome = try await environment.keeper?.rotate(request) {
            return (outcome, try environment.accounts.session(id))
        }
        let cache = SessionCache(account: id, store: environment.network.caches)
        let server: any SessionServer
        let identity: Identity?
        do {
            (server, identity) = try await self.server(of: seen, profile, cache)
        } catch CoreError.verification(let failure) {
            throw CoreError.unverified(failure, AccountLogin(profile, seen))
        }

        // A caller that only wants a fresher token does not wait for another refresh.
        let mayGoOn = !isForced && !isRefused && seen.lives(at: environment.network.wallClock.now)
        let rotation = Rotation(
            environment: environment, profile: profile, server: server, cache: cache, mayGoOn: mayGoOn,
            isForced: isForced, isRefused: isRefused, awaitsRefresh: awaitsRefresh, lockTimeout: lockTimeout)
        if let identity {
            do {
                try await environment.follow(
                    identity, of: profile, lockTimeout: mayGoOn ? .zero : lockTimeout)
            } catch VaultError.busy where mayGoOn {
                return (.fresh, try await settled(seen, of: id, lockTimeout))
            }
        }
        var (outcome, session) = try await rotation.run(seen: seen)
        if outcome == .fresh { session = try await settled(session, of: id, lockTimeout) }
        return (outcome, session)
    }

    /// Rotates the tokens for another process (``RotationKeeper``).
    package func rotate(for request: RotationRequest) async throws -> Outcome {
        let stored = try environment.accounts.session(request.account)
        if stored.accessToken.fingerprint != request.seen, stored.state == .ok { return .adopted }
        return try await rotate(
            request.account, seen: stored, isForced: request.isForced, isRefused: request.isRefused,
            awaitsRefresh: request.awaitsRefresh, lockTimeout: request.lockTimeout
        ).0
    }

    /// Returns a session that needs no refresh. If a mirror has an earlier session, updates the mirror first. Only that
    /// update waits for the lock.
    func settled(
        _ session: Session, of id: UUID, _ lockTimeout: Duration
    ) async throws -> Session {
        let accounts = environment.accounts
        guard environment.mirror != nil, try accounts.mirrorState(of: id) == .behind else { return session }
        let profile = try accounts.profile(id)
        let lock = try await accounts.lock(id, timeout: lockTimeout)
        // Read the session again: the earlier holder of the lock may have refreshed it, or found that it ended.
        let stored = try accounts.session(id)
        try stored.checkUsable(profile, isForced: false)
        try await environment.catchUpMirror(for: profile, under: lock)
        return stored
    }

    /// The server that keeps the session. An issuer is verified before any request to it.
    private func server(
        of session: Session, _ profile: AccountProfile, _ cache: SessionCache
    ) async throws -> (any SessionServer, Identity?) {
        switch session.credential {
        case .oauth(let credential):
            let (server, identity) = try await IssuerVerifier(environment.network)
                .server(of: profile, credential, cache: cache, sealedBy: environment.accounts.vault)
            let sessionServer = OAuthSessionServer(
                clock: environment.network.wallClock, profile: profile, credential: credential, server: server
            )
            return (sessionServer, identity)
        case .password(let service):
            return (
                PasswordSessionServer(network: environment.network, service: service, profile: profile), nil
            )
        }
    }

    private func margin(_ options: Options, _ session: Session) -> Double {
        guard let minimum = options.minimumLife else { return session.refreshMargin }
        return min(minimum, session.lifetime / 2)
    }
}
