package import ATPNetworking
internal import ATProtoIdentity
package import ATProtoXRPC
internal import OAuthDPoP
internal import Synchronization

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Authenticated XRPC calls of one account. With a warm cache, a call is one request.
///
/// Nonces and clock offsets of the servers are remembered from one call to the next.
package struct CallFlow: Sendable {
    package let context: SessionContext
    package let id: UUID
    /// The nonces and clock offsets of the account's servers.
    package let cache: SessionCache

    package init(_ context: SessionContext, as id: UUID) {
        self.context = context
        self.id = id
        cache = SessionCache(account: id, store: context.network.caches)
    }

    /// Sends a call and returns the response as soon as its header has arrived.
    ///
    /// A token that is about to expire is refreshed first. A `use_dpop_nonce` challenge is answered once. If the server
    /// calls the token invalid, ``RefusedToken`` decides: the call is sent again with a newer token, of another process or of a
    /// refresh.
    ///
    /// - Parameter awaitsRefresh: whether to wait if an earlier refresh may still be answered, or must not be sent again
    ///   yet. Otherwise ``SessionFailure/refreshPostponed(_:status:retryAt:)`` is thrown.
    /// - Parameter minimumLife: how many seconds the token must be good for; nil for the usual time.
    package func send(
        _ call: XRPCRequest, lockTimeout: Duration, awaitsRefresh: Bool = true, minimumLife: Double? = nil
    ) async throws -> TransportResponse {
        do {
            return try await answer(
                to: call, lockTimeout, awaitsRefresh: awaitsRefresh, minimumLife: minimumLife)
        } catch let error {
            throw await context.explained(error, of: id)
        }
    }

    private func answer(
        to call: XRPCRequest, _ lockTimeout: Duration, awaitsRefresh: Bool, minimumLife: Double?
    ) async throws -> TransportResponse {
        var tokens = RefusedToken()
        var session = try await freshSession(
            lockTimeout, awaitsRefresh: awaitsRefresh, minimumLife: minimumLife, &tokens)
        while true {
            // Read the account again: if the account has moved, a new token is for its new server.
            let account = try await context.accounts.account(id)
            tokens.noteSending(of: session.tokenFingerprint)
            switch try await send(call, account, session) {
            case .answered(let response): return response
            case .invalidToken(let refusal):
                let next = try await newerSession(
                    than: session, &tokens, awaitsRefresh: awaitsRefresh, lockTimeout)
                guard let next else { return try await answer(refusal, to: call, account, session) }
                session = next
            }
        }
    }

    /// The session with a valid token. A token that is about to expire is refreshed. If that fails for a temporary
    /// reason, the old token is used while it is valid.
    package func freshSession(
        _ lockTimeout: Duration, awaitsRefresh: Bool = true, minimumLife: Double? = nil
    ) async throws -> Session {
        var tokens = RefusedToken()
        return try await freshSession(
            lockTimeout, awaitsRefresh: awaitsRefresh, minimumLife: minimumLife, &tokens)
    }

    private func freshSession(
        _ lockTimeout: Duration, awaitsRefresh: Bool, minimumLife: Double?, _ tokens: inout RefusedToken
    ) async throws -> Session {
        do {
            let options = RefreshFlow.Options(minimumLife: minimumLife, awaitsRefresh: awaitsRefresh)
            return tokens.noting(
                try await RefreshFlow(context).renew(id, options: options, lockTimeout: lockTimeout))
        } catch let error as any KnownError where error.isPassing {
            let session = try await context.accounts.session(id)
            guard session.state == .ok, session.lives(at: context.network.wallClock.now, margin: 5) else {
                throw error
            }
            context.network.note("the token could not be refreshed yet", error)
            return session
        }
    }

    /// The account, as it is now.
    package func account() async throws -> Account { try await context.accounts.account(id) }

    private func send(
        _ call: XRPCRequest, _ account: Account, _ session: Session
    ) async throws -> ResourceResponse {
        switch session.credential {
        case .oauth(let credential):
            let request = call.transportRequest(to: account.pds)
            let client = DPoPClient(transport: context.network.transport, nonces: cache, clock: cache)
            do {
                try await learnNonce(before: request, client, account, credential, session)
                let response = try await client.sendToResourceServer(
                    request, key: credential.key, accessToken: session.accessToken)
                if case .invalidToken(let words) = response, call.service != nil,
                    WWWAuthenticate(headerFields: words.headerFields).dpopError == nil
                {
                    // The words of another service, which the PDS passes on. They say nothing about this session.
                    return .answered(words)
                }
                return response
            } catch let error {
                throw SessionFailure.oauth(error, AccountLogin(account, session))
            }
        case .password(let service):
            // Only the service that made the session gets its token, wherever the account's DID leads.
            return try await BearerResource(transport: context.network.transport)
                .send(call.transportRequest(to: service), accessToken: session.accessToken)
        }
    }

    // MARK: After a refusal

    /// The session to send the call with after the token of `refused` was refused; nil if that token is the newest one, and
    /// no refresh is under way.
    private func newerSession(
        than refused: Session, _ tokens: inout RefusedToken, awaitsRefresh: Bool, _ lockTimeout: Duration
    ) async throws -> Session? {
        let recorded = try await context.session(id, waiting: lockTimeout)
        let newer: Session
        switch tokens.step(recorded: recorded.state == .ok ? recorded.tokenFingerprint : nil, at: .now) {
        case .send, .ended: newer = recorded
        case .rotate:
            newer = tokens.noting(
                try await RefreshFlow(context).rotate(
                    id, seen: refused, isForced: false, isRefused: true, awaitsRefresh: awaitsRefresh,
                    lockTimeout: lockTimeout))
        case .confirm:
            newer = try await settledSession(holding: refused, lockTimeout)
            if newer.state == .ok, !newer.hasOtherTokens(than: refused) { return nil }
        case .giveUp: throw context.accounts.known(.restless)
        }
        // A refresh of another process may have found that the session has ended.
        let usable = newer.state == .ok ? newer : try await context.usableSession(id, waiting: lockTimeout)
        guard tokens.maySend else { throw context.accounts.known(.restless) }
        return usable
    }

    /// The session under the account's lock, when no refresh of it is under way on any machine. Nothing is spent.
    ///
    /// - Throws: ``SessionFailure/refreshUnclear(_:since:status:until:)`` if an attempt to refresh the session may have succeeded.
    private func settledSession(holding refused: Session, _ lockTimeout: Duration) async throws -> Session {
        let account = try await context.accounts.account(id)
        let earlier = Mutex<RotationIntent?>(nil)
        let session: Session
        do throws(StoreError) {
            session = try await context.accounts.store(of: account).rotate(
                id, holding: refused.tokenFingerprint, waiting: lockTimeout
            ) { permit in
                earlier.withLock { $0 = permit.earlier }
                return .notSpent
            }
        } catch { throw context.accounts.known(error) }
        if let unclear = SessionFailure(unclear: earlier.withLock { $0 }, account, session) { throw unclear }
        return session
    }

    /// What follows from the refusal of the newest token, which the call itself got a moment ago.
    ///
    /// The words may be those of a service that the account's server asked, so that server is asked itself.
    ///
    /// - Returns: the refusal as the answer to the call, unless the account's server refuses the token.
    /// - Throws: ``SessionFailure/tokenRefused(_:_:)``
    private func answer(
        _ refusal: TransportResponse, to call: XRPCRequest, _ account: Account, _ session: Session
    ) async throws -> TransportResponse {
        let isOfServer = call.nsid == .getSession && call.service == nil
        guard let verdict = isOfServer ? refusal : try await refusalOfServer(account, session) else {
            return refusal
        }
        let body = try await verdict.body.beginning(upTo: XRPCError.longestBody)
        throw SessionFailure.tokenRefused(
            AccountLogin(account, session),
            XRPCError(status: verdict.status, headerFields: verdict.headerFields, body: body))
    }

    /// How the account's server itself refuses a token; nil if it takes the token or does not say.
    private func refusalOfServer(
        _ account: Account, _ session: Session
    ) async throws -> TransportResponse? {
        do {
            switch try await send(XRPCRequest(.query, .getSession), account, session) {
            case .invalidToken(let refusal): return refusal
            case .answered(let response):
                response.body.cancel()
                return nil
            }
        } catch let error as any KnownError where !Task.isCancelled {
            context.network.note("the server could not be asked about the token", error)
            return nil
        }
    }
}

extension RefusedToken {
    /// The session that a refresh gave. Only a refresh by this very call makes its token the call's own.
    fileprivate mutating func noting(_ result: (outcome: RefreshOutcome, session: Session)) -> Session {
        if result.outcome == .refreshed {
            noteRotation(to: result.session.tokenFingerprint, at: .now)
        }
        return result.session
    }
}
