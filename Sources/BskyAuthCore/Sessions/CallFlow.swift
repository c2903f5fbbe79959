package import ATProto
package import FoundationEssentials
package import Networking
internal import OAuth

/// An authenticated XRPC call: one request when everything is warm.
package struct CallFlow: Sendable {
    private let environment: CoreEnvironment

    package init(_ environment: CoreEnvironment) {
        self.environment = environment
    }

    /// Sends a call as an account and answers with whatever the server said, its body still on its way.
    ///
    /// A token about to end is refreshed before; a `use_dpop_nonce` challenge is answered once; a token the
    /// server calls invalid is looked up again in the vault, then refreshed once, then the call is sent once
    /// more.
    package func send(
        _ call: XRPCRequest, as id: UUID, lockTimeout: Duration
    ) async throws(CoreError) -> TransportResponse {
        let profile = try environment.accounts.profile(id, on: environment.policy)
        let cache = SessionCache(account: id, store: environment.caches)
        let refresh = RefreshFlow(environment)
        let (_, session) = try await refresh.refresh(id, wants: .init(), lockTimeout: lockTimeout)

        let first = try await send(call, profile, session, cache)
        guard case .invalidToken = first else { return try answer(first, profile) }

        var stored = try environment.accounts.session(id)
        if !stored.isNewer(than: session) {
            (_, stored) = try await refresh.rotate(
                id, seen: session, isForced: false, isRefused: true, lockTimeout: lockTimeout)
        }
        return try answer(try await send(call, profile, stored, cache), profile)
    }

    private func send(
        _ call: XRPCRequest, _ profile: AccountProfile, _ session: Session, _ cache: SessionCache
    ) async throws(CoreError) -> ResourceResponse {
        let client = DPoPClient(transport: environment.transport, nonces: cache, clock: cache)
        do {
            return try await client.sendToResourceServer(
                call.transportRequest(to: profile.pds), key: session.key, accessToken: session.accessToken)
        } catch {
            throw .oauth(error, profile)
        }
    }

    private func answer(
        _ response: ResourceResponse, _ profile: AccountProfile
    ) throws(CoreError) -> TransportResponse {
        switch response {
        case .answered(let response): return response
        case .invalidToken: throw .sessionEnded(profile, .tokenRefused)
        }
    }
}
