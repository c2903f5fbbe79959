package import ATPNetworking
package import ATProtoXRPC
internal import OAuthDPoP

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
    /// calls the token invalid, the stored session is read again, the token is refreshed once, and the call is sent once more.
    ///
    /// - Parameter awaitsRefresh: whether to wait if an earlier refresh may still be answered, or must not be sent again
    ///   yet. Otherwise ``SessionFailure/refreshPostponed(_:status:retryAt:)`` is thrown.
    /// - Parameter minimumLife: how many seconds the token must be good for; nil for the usual time.
    package func send(
        _ call: XRPCRequest, lockTimeout: Duration, awaitsRefresh: Bool = true, minimumLife: Double? = nil
    ) async throws -> TransportResponse {
        let session = try await freshSession(
            lockTimeout, awaitsRefresh: awaitsRefresh, minimumLife: minimumLife)
        let profile = try await context.accounts.profile(id)
        let first = try await send(call, profile, session)
        guard case .invalidToken = first else { return try answer(first, profile, session) }

        var stored = try await context.accounts.session(id)
        if !stored.hasOtherTokens(than: session) {
            (_, stored) = try await RefreshFlow(context).rotate(
                id, seen: session, isForced: false, isRefused: true, awaitsRefresh: awaitsRefresh,
                lockTimeout: lockTimeout)
        }
        // Read the profile again: if the account has moved, the new token is for its new server.
        let current = try await context.accounts.profile(id)
        if stored.state != .ok { try stored.checkUsable(current, isForced: false) }
        return try answer(try await send(call, current, stored), current, stored)
    }

    /// The session with a valid token. A token that is about to expire is refreshed. If that fails for a temporary
    /// reason, the old token is used while it is valid.
    package func freshSession(
        _ lockTimeout: Duration, awaitsRefresh: Bool = true, minimumLife: Double? = nil
    ) async throws -> Session {
        do {
            let options = RefreshFlow.Options(minimumLife: minimumLife, awaitsRefresh: awaitsRefresh)
            return try await RefreshFlow(context).renew(id, options: options, lockTimeout: lockTimeout).1
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
    package func account() async throws -> Account { try await context.accounts.profile(id) }

    private func send(
        _ call: XRPCRequest, _ profile: Account, _ session: Session
    ) async throws -> ResourceResponse {
        let request = call.transportRequest(to: profile.pds)
        switch session.credential {
        case .oauth(let credential):
            let client = DPoPClient(transport: context.network.transport, nonces: cache, clock: cache)
            do {
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
                throw SessionFailure.oauth(error, AccountLogin(profile, session))
            }
        case .password:
            return try await BearerResource(transport: context.network.transport)
                .send(request, accessToken: session.accessToken)
        }
    }

    private func answer(
        _ response: ResourceResponse, _ profile: Account, _ session: Session
    ) throws -> TransportResponse {
        switch response {
        case .answered(let response): return response
        case .invalidToken: throw SessionFailure.sessionEnded(AccountLogin(profile, session), .tokenRefused)
        }
    }
}
