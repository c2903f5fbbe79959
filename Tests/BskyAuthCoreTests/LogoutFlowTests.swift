import ATPJSON
import ATPNetworking
import ATProtoIdentity
import ATProtoSessions
import ATProtoVault
import BskyAuthCovers
import BskyAuthTestSupport
import Foundation
import OAuthDPoP
import Testing

@testable import BskyAuthCore

@Suite("LogoutFlow") struct LogoutFlowTests {
    let world: World

    init() throws { world = try World() }

    private func logout(_ id: UUID, localOnly: Bool = false, strict: Bool = false) async throws
        -> LogoutFlow.Revocation
    {
        guard !localOnly else {
            return try await world.environment.local.removeAccount(id, lockTimeout: .zero)
        }
        return try await LogoutFlow(world.environment).logout(
            id, isStrict: strict, lockTimeout: .zero)
    }

    @Test(
        "ends the session with its own proof, then removes everything of the account",
        .covers("R74", "R76", "12.1", "13.5", "G3")) func accepted()
        async throws
    {
        let id = try await world.add(World.session())
        _ = try await world.environment.network.identities.resolve(
            .did(DID(validating: World.did)), freshness: .now)
        #expect(world.caches.names.count == 2)
        SessionCache(account: id, store: world.caches).remember(offset: 5, for: try World.account().pds)
        #expect(try await logout(id) == .accepted)
        let revoked = try #require(world.network.requests(to: World.revoke).first)
        #expect(revoked.form?.single("token") == "first-refresh")
        #expect(revoked.headerFields.dpopProof != nil)
        #expect(try await world.accounts.entries().isEmpty && world.caches.names.isEmpty)
        let active = try world.accounts.active()
        #expect(active.current == nil && active.isExplicitlyNone)
    }

    @Test("without a refresh token it is the access token that is given back") func accessToken() async throws
    {
        let id = try await world.add(World.session(refresh: false))
        #expect(try await logout(id) == .accepted)
        #expect(world.network.requests(to: World.revoke).first?.form?.single("token") == "first-access")
    }

    @Test(
        "a server that can't be told keeps nobody logged in", .covers("R77"),
        arguments: [
            ScriptedTransport.Answer.failure(.notConnected, wasSent: false), .text("", status: 500),
            .json(["error": "invalid_client"], status: 400),
        ])
    func failed(answer: ScriptedTransport.Answer) async throws {
        world.network.answer(World.revoke, answer)
        let id = try await world.add(World.session())
        #expect(try await logout(id) == .failed)
        #expect(try await world.accounts.entries().isEmpty)
    }

    @Test("--strict keeps an account whose server does not confirm") func strict() async throws {
        world.network.answer(World.serverMetadata, .text("", status: 500))
        let id = try await world.add(World.session())
        await #expect(throws: DiscoveryError.self) { try await logout(id, strict: true) }
        #expect(try await world.accounts.entries().count == 1)
        #expect(world.network.requests(to: World.revoke).isEmpty)
    }

    @Test("--local-only asks nobody") func localOnly() async throws {
        let id = try await world.add(World.session())
        #expect(try await logout(id, localOnly: true) == .localOnly)
        #expect(world.network.requests.isEmpty)
        #expect(try await world.accounts.entries().isEmpty)
    }

    @Test(
        "what is left of an account without its tokens says nothing about its server",
        arguments: [false, true])
    func withoutTokens(localOnly: Bool) async throws {
        let id = try await world.add(World.session().withoutTokens)
        #expect(try await logout(id, localOnly: localOnly, strict: true) == .withoutTokens)
        #expect(world.network.requests.isEmpty)
        #expect(try await world.accounts.entries().isEmpty)
    }

    @Test("a damaged session can be removed", .covers("R77"), arguments: [false, true]) func damaged(
        localOnly: Bool
    )
        async throws
    {
        let id = try await world.add(World.session())
        let record = world.directory.path + "/vault/accounts/\(id.uuidString.lowercased())/session"
        try Data("no".utf8).write(to: URL(filePath: record))
        await #expect(throws: VaultError.self) { try await logout(id, strict: true) }
        #expect(try await logout(id, localOnly: localOnly) == (localOnly ? .localOnly : .failed))
        #expect(try await world.accounts.entries().isEmpty && world.network.requests.isEmpty)
    }

    @Test("waits for nobody's rotation longer than it may") func busy() async throws {
        let id = try await world.add(World.session())
        let lock = try await world.accounts.lock(id, timeout: .zero)
        let error = await #expect(throws: VaultError.self) { try await logout(id) }
        guard case .busy? = error else {
            Issue.record("another result")
            return
        }
        #expect(world.network.requests.isEmpty)
        _ = consume lock
    }
}
