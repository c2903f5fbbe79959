internal import ATPNetworking
internal import ATProtoIdentity
internal import OAuthDPoP

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

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

    private let context: SessionContext

    package init(_ context: SessionContext) {
        self.context = context
    }

    /// Refreshes the account's access token if the options require it, for a user who wants to know that the session
    /// works.
    ///
    /// - Throws: ``SessionFailure/refreshUnclear(_:since:status:until:)`` if the access token is valid, but the last refresh may have
    ///   used up the refresh token.
    package func refresh(
        _ id: UUID, options: Options, lockTimeout: Duration
    ) async throws -> (RefreshOutcome, Session) {
        do {
            let (outcome, session) = try await renew(id, options: options, lockTimeout: lockTimeout)
            if outcome == .fresh { try await requireClearAttempt(session, of: id) }
            return (outcome, session)
        } catch let error {
            throw await context.explained(error, of: id)
        }
    }

    /// Throws if the last refresh with the session's token got no answer, or one that may hide a rotation.
    private func requireClearAttempt(_ session: Session, of id: UUID) async throws {
        guard let earlier = try await context.accounts.openIntent(of: id, session) else { return }
        let account = try await context.accounts.account(id)
        if let unclear = SessionFailure(unclear: earlier, account, session) { throw unclear }
    }

    /// Refreshes the account's access token if the options require it, for a caller that uses the token.
    package func renew(
        _ id: UUID, options: Options, lockTimeout: Duration
    ) async throws -> (RefreshOutcome, Session) {
        let session = try await context.session(id, waiting: lockTimeout)
        if !options.isForced, session.state == .ok,
            session.lives(at: context.network.wallClock.now, margin: margin(options, session))
        {
            return (.fresh, try await context.accounts.settled(session, of: id, waiting: lockTimeout))
        }
        let (outcome, newer) = try await rotate(
            id, seen: session, isForced: options.isForced, awaitsRefresh: options.awaitsRefresh,
            lockTimeout: lockTimeout)
        // Another machine may have got its token long ago.
        let isOld = !newer.lives(at: context.network.wallClock.now, margin: margin(options, newer))
        guard outcome == .adopted, newer.state == .ok, isOld else { return (outcome, newer) }
        return try await rotate(
            id, seen: newer, isForced: options.isForced, awaitsRefresh: options.awaitsRefresh,
            lockTimeout: lockTimeout)
    }

    /// Rotates the tokens, unless another process has done so since `seen` was read.
    ///
    /// - Parameter isRefused: whether the server refused the access token. Then its expiry time does not count.
    package func rotate(
        _ id: UUID, seen: Session, isForced: Bool, isRefused: Bool = false, awaitsRefresh: Bool = true,
        lockTimeout: Duration
    ) async throws -> (RefreshOutcome, Session) {
        let account = try await context.accounts.account(id)
        try seen.checkUsable(account, isForced: isForced)
        let request = RotationRequest(
            account: id, seen: seen.accessToken.fingerprint, isForced: isForced, isRefused: isRefused,
            awaitsRefresh: awaitsRefresh, lockTimeout: lockTimeout)
        if let outcome = try await context.keeper?.rotate(request) {
            return (outcome, try await context.accounts.session(id))
        }
        let cache = SessionCache(account: id, store: context.network.caches)
        let server: any SessionServer
        let identity: Identity?
        do {
            (server, identity) = try await context.accounts.server(of: seen, account, cache)
        } catch SessionFailure.verification(let failure) {
            throw await unverified(failure, AccountLogin(account, seen))
        }

        // A caller that only wants a fresher token does not wait for another refresh.
        let mayGoOn = !isForced && !isRefused && seen.lives(at: context.network.wallClock.now)
        let rotation = Rotation(
            network: context.network, store: context.accounts.store(of: account),
            work: context.work, account: account, server: server, cache: cache,
            mayGoOn: mayGoOn, isForced: isForced, isRefused: isRefused, awaitsRefresh: awaitsRefresh,
            lockTimeout: lockTimeout)
        if let identity {
            do {
                try await context.accounts.follow(
                    identity, of: account, waiting: mayGoOn ? .zero : lockTimeout)
            } catch let error as StoreError {
                guard error.code == .busy, mayGoOn else { throw context.accounts.known(error) }
                return (.fresh, try await context.accounts.settled(seen, of: id, waiting: lockTimeout))
            }
        }
        var (outcome, session): (RefreshOutcome, Session)
        do { (outcome, session) = try await rotation.run(seen: seen) } catch let error as StoreError {
            throw context.accounts.known(error)
        }
        if outcome == .fresh {
            session = try await context.accounts.settled(session, of: id, waiting: lockTimeout)
        }
        return (outcome, session)
    }

    /// The failure of the check that comes before a refresh. Another issuer is expected after a move, and the DID was resolved
    /// for the check a moment ago.
    private func unverified(_ failure: VerificationFailure, _ login: AccountLogin) async -> SessionFailure {
        let cause = SessionFailure.unverified(failure, login)
        guard case .issuerMismatch = failure,
            let document = try? await context.network.identities.document(
                of: login.account.did, freshness: .cached),
            document.pds != login.account.pds
        else { return cause }
        return .accountMoved(login, to: document.pds, because: cause)
    }

    /// Rotates the tokens for another process (``RotationRunner``).
    package func rotate(for request: RotationRequest) async throws -> RefreshOutcome {
        let stored = try await context.session(request.account, waiting: request.lockTimeout)
        if stored.accessToken.fingerprint != request.seen, stored.state == .ok { return .adopted }
        do {
            return try await rotate(
                request.account, seen: stored, isForced: request.isForced, isRefused: request.isRefused,
                awaitsRefresh: request.awaitsRefresh, lockTimeout: request.lockTimeout
            ).0
        } catch let error {
            throw await context.explained(error, of: request.account)
        }
    }

    private func margin(_ options: Options, _ session: Session) -> Double {
        guard let minimum = options.minimumLife else { return session.refreshMargin }
        return min(minimum, session.lifetime / 2)
    }
}
