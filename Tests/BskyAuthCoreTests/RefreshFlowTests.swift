import ATPJSON
import ATPNetworking
import ATProtoSessions
import ATProtoVault
import BskyAuthCovers
import BskyAuthTestSupport
import Foundation
import OAuthDPoP
import Testing

@testable import BskyAuthCore

@Suite("RefreshFlow: when it refreshes") struct RefreshFlowTests {
    let world: World

    init() throws { world = try World() }

    @Test(
        "a token is refreshed with less than five minutes or a fifth of its life left",
        .covers("R69", "B15", "H1", "H6", "H9"),
        arguments: [
            (301, 3600, RefreshOutcome.fresh), (300, 3600, .refreshed), (299, 3600, .refreshed),
            (13, 60, .fresh), (12, 60, .refreshed), (11, 60, .refreshed), (-1, 3600, .refreshed),
        ])
    func margin(left: Double, lifetime: Double, outcome: RefreshOutcome) async throws {
        let id = try await world.add(World.session(life: left, of: lifetime))
        let (found, session) = try await world.refresh(id)
        #expect(found == outcome)
        #expect(session.name == (outcome == .fresh ? "first" : "second"))
        #expect(world.spent.count == (outcome == .fresh ? 0 : 1))
    }

    @Test(
        "--min-ttl counts up to half of the lifetime", .covers("H6"),
        arguments: [
            (1801, 3600, 3600, RefreshOutcome.fresh), (1800, 3600, 3600, .refreshed),
            (601, 3600, 600, .fresh), (599, 3600, 600, .refreshed),
            (1801, 7200, 1800, .fresh), (1799, 7200, 1800, .refreshed),
        ])
    func minimumLife(left: Double, lifetime: Double, wanted: Double, outcome: RefreshOutcome)
        async throws
    {
        let id = try await world.add(World.session(life: left, of: lifetime))
        #expect(try await world.refresh(id, minimumLife: wanted).0 == outcome)
    }

    @Test("--force refreshes a fresh token") func force() async throws {
        let id = try await world.add(World.session())
        #expect(try await world.refresh(id, forced: true).0 == .refreshed)
    }

    @Test("a session without a refresh token lives as long as its access token") func noRefreshToken()
        async throws
    {
        let id = try await world.add(World.session(refresh: false))
        #expect(try await world.refresh(id).0 == .fresh)
        world.clock.advance(3600)
        #expect(try await ending { try await world.refresh(id) } == .notRefreshable)
        #expect(world.network.requests.isEmpty)
    }

    @Test(
        "a session that is over is not sent anywhere",
        arguments: [
            (SessionState.expired, "invalid_grant", SessionEnding.expired(said: nil)),
            (.expired, "lost_rotation", .lostRotation(after: nil)),
            (.quarantined, "quarantined", .quarantined),
            (.uncertain, "refresh_refused", .uncertain),
        ])
    func over(state: SessionState, lastError: String, expected: SessionEnding) async throws {
        let id = try await world.add(World.session(state: state, lastError: lastError))
        #expect(try await ending { try await world.refresh(id) } == expected)
        if state != .uncertain {
            #expect(try await ending { try await world.refresh(id, forced: true) } == expected)
        }
        #expect(world.network.requests.isEmpty)
    }

    @Test("--force tries an uncertain session, and success makes it whole") func uncertain() async throws {
        let id = try await world.add(World.session(life: 0, state: .uncertain, lastError: "refresh_refused"))
        #expect(try await world.refresh(id, forced: true).0 == .refreshed)
        let session = try world.accounts.session(id)
        #expect(session.state == .ok && session.lastError == nil)
    }

    @Test("the issuer is checked before the lock, and a failing check sends no token", .covers("R67"))
    func issuer()
        async throws
    {
        let id = try await world.add(World.session(life: 0))
        let foreign: JSONValue = [
            "resource": .string(World.pds), "authorization_servers": ["https://mallory.example.com"],
        ]
        world.network.answer(World.resourceMetadata, .json(foreign))
        // Whoever holds the lock is not waited for: the check fails first.
        let lock = try await world.accounts.lock(id, timeout: .zero)
        await #expect(throws: (any Error).self) { try await world.refresh(id) }
        #expect(world.spent.isEmpty)
        #expect(try world.accounts.vault.intent(of: id, under: lock) == nil)
    }

    @Test("an issuer that the PDS no longer names is a failed verification", .covers("R46", "R82"))
    func issuerChanged() async throws {
        let id = try await world.add(World.session(life: 0))
        let other = "https://other.example.com"
        let moved: JSONValue = ["resource": .string(World.pds), "authorization_servers": [.string(other)]]
        world.network.answer(World.resourceMetadata, .json(moved))
        guard
            case .response(_, let fields, let bytes) = try Transcript.answer(
                "002-authorization-server-metadata")
        else { return }
        let text = String(decoding: bytes, as: UTF8.self)
            .replacing("\"issuer\":\"\(World.pds)\"", with: "\"issuer\":\"\(other)\"")
        world.network.answer(
            "\(other)/.well-known/oauth-authorization-server", .response(200, fields, Array(text.utf8)))
        let error = await #expect(throws: SessionFailure.self) { try await world.refresh(id) }
        guard case .unverified(.issuerMismatch(World.did, World.pds, other), _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(world.spent.isEmpty)
    }

    @Test("the issuer check is skipped for ten minutes") func issuerCache() async throws {
        let id = try await world.add(World.session(life: 0))
        try await world.refresh(id)
        #expect(world.network.requests.map(\.url.path).last == "/oauth/token")
        #expect(world.network.requests(to: World.serverMetadata).count == 1)
        world.clock.advance(599)
        try await world.refresh(id, forced: true)
        #expect(world.network.requests(to: World.serverMetadata).count == 1)
        world.clock.advance(1)
        try await world.refresh(id, forced: true)
        #expect(world.network.requests(to: World.serverMetadata).count == 2)
        #expect(world.network.requests(to: World.plc).count == 2)
        #expect(world.spent.count == 3)
    }

    @Test("a dev network account is not spoken for on the real network, nor the other way round")
    func networks() async throws {
        let id = try await world.add(
            World.session(life: 0), World.account(devNetwork: "http://127.0.0.1:2583"))
        let error = await #expect(throws: CoreError.self) { try await world.refresh(id) }
        guard case .wrongNetwork? = error else {
            Issue.record("expected .wrongNetwork")
            return
        }
        #expect(world.network.requests.isEmpty)
    }
}

/// How a session ended; nil where something else went wrong.
func ending(_ step: () async throws -> Void) async throws -> SessionEnding? {
    do {
        try await step()
        return nil
    } catch SessionFailure.sessionEnded(_, let ending) {
        return ending
    }
}
