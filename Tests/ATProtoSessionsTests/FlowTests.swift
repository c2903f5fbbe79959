import ATPJSON
import ATPNetworking
import ATProtoIdentity
import ATProtoXRPC
import BskyAuthTestSupport
import Foundation
import HTTPTypes
import Logging
import OAuthDPoP
import Synchronization
import Testing

@testable import ATProtoSessions

/// Flows on an app's own store, without a vault.
@Suite("Flows on a store of an app") struct FlowTests {
    private static let did = "did:plc:rx3iezovljgx6w3o4vtr5bae"
    private static let pds = "https://pds.example.com"
    private static let token = "\(pds)/oauth/token"
    private static let call = "\(pds)/xrpc/com.atproto.server.getSession"

    private let transport = ScriptedTransport([:])
    private let accounts: AppAccounts
    private let context: SessionContext
    private let id = UUID()

    init() throws {
        transport.answer(
            "https://plc.directory/did%3Aplc%3Arx3iezovljgx6w3o4vtr5bae",
            try Transcript.answer("004-plc-did-document"))
        transport.answer(
            "\(Self.pds)/.well-known/oauth-protected-resource",
            try Transcript.answer("001-protected-resource-metadata"))
        transport.answer(
            "\(Self.pds)/.well-known/oauth-authorization-server",
            try Transcript.answer("002-authorization-server-metadata"))
        transport.answer(
            Self.token,
            .json([
                "access_token": "second-access", "refresh_token": "second-refresh", "token_type": "DPoP",
                "sub": .string(Self.did), "scope": "atproto", "expires_in": 3600,
            ]))
        transport.answer(Self.call, .json(["did": .string(Self.did)]))
        let policy = NetworkPolicy()
        let network = NetworkEnvironment(
            policy: policy, transport: transport,
            identities: IdentityResolver(
                handles: HandleResolver(
                    transport: transport, textRecords: ScriptedTextRecords(), policy: policy),
                dids: DIDResolver(transport: transport, policy: policy), cache: NoIdentities()),
            caches: NoCaches(), wallClock: StoppedClock(),
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let profile = Account(
            id: id, did: try DID(validating: Self.did), handle: try Handle(validating: "alice.example.com"),
            label: nil, pds: try HTTPURL(validating: Self.pds).origin, devNetwork: nil,
            addedAt: StoreConformance.date)
        accounts = AppAccounts(profile: profile, network: network)
        accounts.sessions.store(try Sessions.session("first"), for: id)
        context = SessionContext(accounts: accounts, network: network, work: TaskWork(), keeper: nil)
    }

    private func send() async throws -> Int {
        try await CallFlow(context, as: id).send(
            XRPCRequest(.query, try NSID(validating: "com.atproto.server.getSession")),
            lockTimeout: .seconds(60)
        ).status
    }

    private var grants: Int { transport.requests(to: Self.token).count }

    @Test("a call with a valid token is one request") func warm() async throws {
        #expect(try await send() == 200)
        #expect(transport.urls == [Self.call])
    }

    @Test("50 calls at once with an ended token make one grant, and all use the new token")
    func together() async throws {
        accounts.sessions.store(
            try Sessions.session("first", expiresAt: StoreConformance.date.addingTimeInterval(-1)), for: id)
        let statuses = try await withThrowingTaskGroup { group in
            for _ in 0..<50 { group.addTask { try await send() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: 50))
        #expect(grants == 1)
        let tokens = transport.requests(to: Self.call).map { $0.headerFields[.authorization] }
        #expect(Set(tokens) == ["DPoP second-access"])
        #expect(try await accounts.session(id).refreshToken == RefreshToken("second-refresh"))
    }

    @Test("a refused token is refreshed once, and the call is sent again") func refused() async throws {
        transport.answer(
            Self.call, .response(401, [.wwwAuthenticate: #"DPoP error="invalid_token""#], []),
            .json(["did": .string(Self.did)]))
        #expect(try await send() == 200)
        #expect(grants == 1 && transport.requests(to: Self.call).count == 2)
    }

    @Test("a session that the server has ended is not asked for again") func ended() async throws {
        transport.answer(Self.token, .json(["error": "invalid_grant"], status: 400))
        for _ in 1...2 {
            await #expect(throws: SessionFailure.self) {
                try await RefreshFlow(context).refresh(
                    id, options: .init(isForced: true), lockTimeout: .zero)
            }
        }
        #expect(grants == 1)
        #expect(try await accounts.session(id).state == .expired)
    }

    @Test("an issuer that the account's server does not name gets no token") func issuer() async throws {
        let other = "https://other.example.com"
        transport.answer(
            "\(Self.pds)/.well-known/oauth-protected-resource",
            .json(["resource": .string(Self.pds), "authorization_servers": [.string(other)]]))
        transport.answer(
            "\(other)/.well-known/oauth-authorization-server",
            try Transcript("002-authorization-server-metadata").undatedAnswer {
                $0.replacing("https://pds.test", with: other)
                    .replacing(#"resources":["\#(other)"#, with: #"resources":["\#(Self.pds)"#)
            })
        let error = await #expect(throws: SessionFailure.self) {
            try await RefreshFlow(context).refresh(id, options: .init(isForced: true), lockTimeout: .zero)
        }
        guard case .unverified(.issuerMismatch(_, Self.pds, other), _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(grants == 0)
    }
}

/// One account in memory.
private struct AppAccounts: SessionAccounts {
    let profile: Account
    let network: NetworkEnvironment
    let sessions = MemorySessionStore()

    func session(_ id: UUID) async throws -> Session { try await sessions.session(id) }
    func profile(_ id: UUID) -> Account { profile }
    func store(of profile: Account) -> any SessionStore { sessions }
    func known(_ error: StoreError) -> any Error { error }
    func openAttempt(of id: UUID, _ session: Session) -> RotationIntent? { nil }
    func settled(_ session: Session, of id: UUID, waiting limit: Duration) -> Session { session }
    func follow(_ identity: Identity, of profile: Account, waiting limit: Duration) {}

    func server(
        of session: Session, _ profile: Account, _ cache: SessionCache
    ) async throws -> (any SessionServer, Identity?) {
        let credential = try #require(session.credential.oauth)
        let (server, identity) = try await IssuerVerifier(network).server(
            of: profile, credential, nil, cache: cache, sealedBy: NoSeal())
        return (
            OAuthSessionServer(
                clock: network.wallClock, profile: profile, credential: credential, server: server), identity
        )
    }
}

private struct NoIdentities: IdentityCache {
    func entry(for identifier: ATIdentifier) async -> IdentityCacheEntry? { nil }
    func store(_ entry: IdentityCacheEntry, for identifier: ATIdentifier, lifetime: Duration) async {}
    func remove(_ identifier: ATIdentifier) async {}
}

private struct NoCaches: CacheStore {
    func read(_ name: String) -> [UInt8]? { nil }
    func write(_ name: String, _ content: [UInt8]) {}
    func remove(_ name: String) {}
}

private struct NoSeal: CacheSeal {
    func code(ofCached text: [UInt8]) -> [UInt8] { [] }
    func isAuthentic(_ code: [UInt8], ofCached text: [UInt8]) -> Bool { false }
}

private struct StoppedClock: WallClock {
    var now: Date { StoreConformance.date }
    func sleep(until date: Date) async throws {}
}

private struct TaskWork: UncancelledWork {
    func uncancelled<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value {
        await Task { await work() }.value
    }
}
