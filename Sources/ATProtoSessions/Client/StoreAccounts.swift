internal import ATPNetworking
internal import ATProtoIdentity
internal import OAuthDPoP
internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The accounts of a ``SessionStore``, for the flows.
struct StoreAccounts: SessionAccounts {
    let store: any SessionStore
    let identity: ClientIdentity
    let network: NetworkEnvironment
    let events: EventHub

    func session(_ id: UUID) async throws -> Session { try await store.session(id) }

    func account(_ id: UUID) async throws -> Account {
        let account = try await store.account(id)
        // An account of a dev network never meets the real one.
        guard account.devNetwork == network.policy.devNetwork else {
            throw ATProtoFailure(.unknownAccount, "\(account.name) is an account of another network")
        }
        return account
    }

    func store(of account: Account) -> any RotationStore {
        ObservedStore(store: store, account: account, events: events)
    }

    func known(_ error: StoreError) -> any Error { error }

    /// A store does not tell. A refresh is always forced here, and does not ask.
    func openIntent(of id: UUID, _ session: Session) -> RotationIntent? { nil }

    func server(
        of session: Session, _ account: Account, _ cache: SessionCache
    ) async throws -> (any SessionServer, Identity?) {
        guard let credential = session.credential.oauth else {
            throw ATProtoFailure(.unknownAccount, "\(account.name) is logged in with an app password")
        }
        let (server, identity) = try await IssuerVerifier(network).server(
            of: account, credential, try self.identity.assertions(for: credential.client), cache: cache,
            sealedBy: MemorySeal())
        let sessionServer = OAuthSessionServer(
            clock: network.wallClock, account: account, credential: credential, server: server)
        return (sessionServer, identity)
    }

    func follow(_ identity: Identity, of account: Account, waiting limit: Duration) async throws {
        guard identity.pds != account.pds || identity.handle != account.handle else { return }
        var moved = try await store.account(account.id)
        moved.pds = identity.pds
        moved.handle = identity.handle
        try await store.update(moved)
        events.tell(.changed, moved)
    }

    func successor(of session: Session, of id: UUID, waiting limit: Duration) async throws -> Session {
        try await store.newest(id)
    }

    func settled(_ session: Session, of id: UUID, waiting limit: Duration) -> Session { session }
}

/// A store that tells what has become of a session, after it is saved.
private struct ObservedStore: RotationStore {
    let store: any SessionStore
    let account: Account
    let events: EventHub

    func session(_ id: UUID) async throws(StoreError) -> Session { try await store.session(id) }

    func rotate(
        _ id: UUID, holding: String, waiting limit: Duration,
        _ spend: @Sendable (consuming RotationPermit) async -> RotationResult
    ) async throws(StoreError) -> Session {
        let kind = Mutex<SessionEvent.Kind?>(nil)
        let session = try await store.rotate(id, holding: holding, waiting: limit) { permit in
            let result = await spend(permit)
            switch result {
            case .rotated(let session): kind.withLock { $0 = session.state == .ok ? .refreshed : .ended }
            case .ended: kind.withLock { $0 = .ended }
            case .notSpent, .unknown: break
            }
            return result
        }
        if let kind = kind.withLock({ $0 }) { events.tell(kind, account) }
        return session
    }
}

/// What flows remember in this process: nonces, clock offsets and verified issuers.
final class MemoryCaches: CacheStore {
    private let files = Mutex<[String: [UInt8]]>([:])

    func read(_ name: String) -> [UInt8]? { files.withLock { $0[name] } }
    func write(_ name: String, _ content: [UInt8]) { files.withLock { $0[name] = content } }
    func remove(_ name: String) { files.withLock { $0[name] = nil } }
}

/// No other process can write to the memory of this process, so there is nothing to prove.
struct MemorySeal: CacheSeal {
    func code(ofCached text: [UInt8]) -> [UInt8] { [] }
    func isAuthentic(_ code: [UInt8], ofCached text: [UInt8]) -> Bool { true }
}

/// Resolved identities in the memory of this process.
actor MemoryIdentities: IdentityCache {
    private var entries: [ATIdentifier: (entry: IdentityCacheEntry, end: ContinuousClock.Instant)] = [:]

    func entry(for identifier: ATIdentifier) -> IdentityCacheEntry? {
        guard let found = entries[identifier], found.end > .now else { return nil }
        return found.entry
    }

    func store(_ entry: IdentityCacheEntry, for identifier: ATIdentifier, lifetime: Duration) {
        // Any client may ask a server for names that no account has.
        if entries.count >= 10_000 { entries = entries.filter { $0.value.end > .now } }
        if entries.count < 10_000 { entries[identifier] = (entry, .now + lifetime) }
    }

    func remove(_ identifier: ATIdentifier) { entries[identifier] = nil }
}

/// Work in a task that is never cancelled.
struct TaskWork: UncancelledWork {
    func uncancelled<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value {
        await Task { await work() }.value
    }
}
