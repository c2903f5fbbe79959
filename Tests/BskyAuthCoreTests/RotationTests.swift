import ATPJSON
import ATPNetworking
import ATProtoSessions
import ATProtoVault
import BskyAuthCovers
import BskyAuthTestSupport
import Foundation
import HTTPTypes
import OAuthDPoP
import Testing

@testable import BskyAuthCore

@Suite("Rotation: what it does") struct RotationTests {
    let world: World

    init() throws { world = try World() }

    @Test("takes over what the reference server answers") func recordedAnswer() async throws {
        world.network.answer(World.token, try Transcript.answer("501-refresh-ok"))
        let id = try await world.add(World.session(life: 0))
        let (outcome, session) = try await world.refresh(id)
        #expect(outcome == .refreshed)
        #expect(session.refreshToken?.reveal().hasPrefix("ref-5001733e") == true)
        #expect(session.scope == Scope("atproto transition:generic"))
        let stored = try world.accounts.session(id)
        #expect(stored.accessToken == session.accessToken && stored.state == .ok)
        #expect(stored.accessExpiresAt == World.start.addingTimeInterval(3600))
        #expect(
            stored.credential.oauth?.client.id.description == "http://localhost?scope=atproto"
        )
        #expect(stored.createdAt == World.start)
        #expect(stored.credential.oauth?.key.thumbprint == session.credential.oauth?.key.thumbprint)
    }

    @Test("writes what the answer says of nonces after its tokens") func nonceOfTheAnswer() async throws {
        let name = try #require(HTTPField.Name("DPoP-Nonce"))
        guard case .response(let status, var fields, let body) = World.tokens("second") else {
            Issue.record("expected .response")
            return
        }
        fields[name] = "n1"
        world.network.answer(World.token, .response(status, fields, body))
        let id = try await world.add(World.session(life: 0))
        let (wasAsked, wasWritten, wasEarly) = (Flag(), Flag(), Flag())
        world.network.observe(World.token) { wasAsked.set(true) }
        world.caches.observe { [world] in
            guard wasAsked.isSet else { return }
            wasWritten.set(true)
            let stored = try? world.accounts.session(id)
            if stored?.name != "second" { wasEarly.set(true) }
        }
        try await world.refresh(id)
        #expect(wasWritten.isSet && !wasEarly.isSet)
    }

    @Test("sends the token to no endpoint that somebody wrote into the cache") func forgedCache() async throws
    {
        let id = try await world.add(World.session(life: 0))
        try await world.refresh(id)
        let evil = "https://evil.example.com/oauth/token"
        world.network.answer(evil, World.tokens("evil"))
        for name in world.caches.names where name.hasPrefix("sessions/") {
            let text = String(decoding: try #require(world.caches.read(name)), as: UTF8.self)
            let forged = text.replacing(World.token, with: evil)
            #expect(forged != text)
            world.caches.write(name, Array(forged.utf8))
        }
        world.network.answer(World.token, World.tokens("third"))
        let (_, session) = try await world.refresh(id, forced: true)
        #expect(session.name == "third")
        #expect(world.network.requests(to: evil).isEmpty)
    }

    /// The file in which a session's cache keeps what it learned.
    private func cacheFile(of id: UUID) -> String { "sessions/\(id.text).json" }

    @Test("sends the token to no server that was verified for another account") func anothersCache()
        async throws
    {
        let id = try await world.add(World.session())
        try await world.refresh(id, forced: true)
        let other = try await world.add(
            World.session("other", life: 0), World.account(did: "did:plc:ewvi7nxzyoun6zhxrhs64oiz"))
        world.caches.write(cacheFile(of: other), try #require(world.caches.read(cacheFile(of: id))))
        await #expect(throws: (any Error).self) { try await world.refresh(other) }
        #expect(world.spent == ["first-refresh"])
    }

    @Test("verifies the issuer again when the account's server is another one") func anotherServer()
        async throws
    {
        let id = try await world.add(World.session())
        try await world.refresh(id, forced: true)
        let asked = world.network.requests(to: World.plc).count
        let lock = try await world.accounts.lock(id, timeout: .zero)
        let account = try world.accounts.account(id)
        var moved = account
        moved.pds = try World.account(pds: "https://old.example.com").pds
        try await world.accounts.update(moved, under: lock)
        _ = consume lock
        try await world.refresh(id, forced: true)
        #expect(world.network.requests(to: World.plc).count == asked + 1)
        #expect(try world.accounts.account(id).pds.description == World.pds)
    }

    @Test(
        "makes the intent durable before the request and clears it after", .covers("12.2", "F9", "G2", "H2"))
    func intent() async throws {
        let session = try World.session(life: 0)
        let id = try await world.add(session)
        let folder = world.directory.path + "/vault/accounts/\(id.uuidString.lowercased())"
        let (intent, section, record) = (Flag(), Flag(), Flag())
        world.network.observe(World.token) { [world] in
            intent.set(FileManager.default.fileExists(atPath: folder + "/intent"))
            section.set(world.section.depth == 1)
            let stored = try? world.accounts.session(id)
            record.set(stored?.name == "first")
        }
        try await world.refresh(id)
        #expect(intent.isSet && section.isSet && record.isSet)
        #expect(try await world.intent(of: id) == nil)
        #expect(world.section.depth == 0 && world.section.entered == 1)
    }

    @Test("spends nothing for a process that is to end") func interrupted() async throws {
        let id = try await world.add(World.session(life: 0))
        world.section.interrupt()
        await #expect { try await world.refresh(id) } throws: { error in
            if case SessionFailure.cancelled = error { true } else { false }
        }
        #expect(world.spent.isEmpty)
        #expect(try await world.intent(of: id) == nil)
        #expect(world.section.depth == 0)
    }

    @Test("holds the lock while it asks", .covers("R63", "H8")) func lock() async throws {
        let id = try await world.add(World.session(life: 0))
        let wasFree = Flag()
        world.network.observe(World.token) { [world] in
            do {
                let lock = try world.accounts.tryLock(id)
                if lock != nil { wasFree.set() }
            } catch { wasFree.set() }
        }
        try await world.refresh(id)
        #expect(!wasFree.isSet)
    }

    @Test(
        "what the answer leaves out stays: refresh token and scope; an hour where no life is said",
        .covers("R71", "B15"))
    func leftOut() async throws {
        world.network.answer(World.token, World.tokens("second", expiresIn: nil, refresh: false))
        let id = try await world.add(World.session(life: 0))
        let (_, session) = try await world.refresh(id)
        #expect(session.refreshToken?.reveal() == "first-refresh")
        #expect(session.accessExpiresAt.timeIntervalSince(world.clock.now) == 3600)
        #expect(try world.accounts.session(id).refreshToken?.reveal() == "first-refresh")
    }

    @Test(
        "sends the client id that the session began with, and counts a life from before it asked",
        .covers("R44", "R70", "B14"))
    func request() async throws {
        let id = try await world.add(World.session(life: 0))
        world.network.observe(World.token) { [world] in world.clock.advance(20) }
        let (_, session) = try await world.refresh(id)
        let form = try #require(world.network.requests(to: World.token).first?.form)
        #expect(form.single("client_id") == "http://localhost?scope=atproto")
        #expect(form.single("scope") == nil)
        #expect(session.accessExpiresAt == World.start.addingTimeInterval(3600))
    }

    @Test("adopts what another process has rotated, whatever the generations say", .covers("R68"))
    func adopts() async throws {
        let session = try World.session(life: 0)
        let id = try await world.add(session)
        let flow = RefreshFlow(world.environment.context)
        try await world.store(World.session("theirs"), of: id)
        let (outcome, found) = try await flow.rotate(
            id, seen: session, isForced: false, lockTimeout: .zero)
        #expect(outcome == .adopted && found.name == "theirs")
        #expect(world.spent.isEmpty)
    }

    @Test("a rewritten record with the same token is not adopted", .covers("R68")) func sameToken()
        async throws
    {
        let session = try World.session(life: 0)
        let id = try await world.add(session)
        try await world.store(session, of: id)
        let (outcome, _) = try await RefreshFlow(world.environment.context).rotate(
            id, seen: session, isForced: false, lockTimeout: .zero)
        #expect(outcome == .refreshed)
    }

    @Test(
        "does not send a token that the holder before it found spent or quarantined", .covers("R68", "H3"),
        arguments: [
            ("first", SessionState.expired, "invalid_grant", SessionEnding.expired(said: nil)),
            ("first", .expired, "lost_rotation", .lostRotation(after: nil)),
            ("theirs", .quarantined, "quarantined", .quarantined),
            ("first", .uncertain, "refresh_refused", .uncertain),
        ])
    func endedMeanwhile(name: String, state: SessionState, lastError: String, expected: SessionEnding)
        async throws
    {
        let session = try World.session(life: 0)
        let id = try await world.add(session)
        try await world.store(World.session(name, life: 0, state: state, lastError: lastError), of: id)
        let found = try await ending {
            _ = try await RefreshFlow(world.environment.context).rotate(
                id, seen: session, isForced: false, lockTimeout: .zero)
        }
        #expect(found == expected)
        #expect(world.spent.isEmpty)
    }

    @Test("while another holds the lock a living token is used at once") func busyAndAlive() async throws {
        let id = try await world.add(World.session(life: 60))
        let lock = try await world.accounts.lock(id, timeout: .zero)
        let (outcome, session) = try await world.refresh(id, lockTimeout: .seconds(600))
        #expect(outcome == .fresh && session.name == "first")
        #expect(world.spent.isEmpty)
        _ = consume lock
    }

    @Test("while another holds the lock a dead token waits, and says busy in the end") func busyAndDead()
        async throws
    {
        let id = try await world.add(World.session(life: 0))
        let lock = try await world.accounts.lock(id, timeout: .zero)
        let error = await #expect(throws: VaultError.self) { try await world.refresh(id) }
        guard case .busy? = error else {
            Issue.record("another result")
            return
        }
        _ = consume lock
    }

    @Test("two at once spend one token, and the second adopts", .covers("R64", "12.9", "13.4", "H4"))
    func twoAtOnce() async throws {
        let gate = Gate()
        world.network.answer(World.token, .held(gate, World.tokens("second")), World.tokens("third"))
        let id = try await world.add(World.session(life: 0))
        let asked = Gate()
        world.network.observe(World.token) { asked.open() }
        let first = Task { [world] in try await world.refresh(id) }
        await asked.wait()
        let second = Task { [world] in try await world.refresh(id, lockTimeout: .seconds(600)) }
        gate.open()
        let outcomes = try await (first.value, second.value)
        #expect(outcomes.0.0 == .refreshed)
        // The second may also have come after all was over.
        #expect(outcomes.1.0 == .adopted || outcomes.1.0 == .fresh)
        #expect(outcomes.1.1.name == "second")
        #expect(world.spent == ["first-refresh"])
    }

    @Test("cancelling who asked does not cancel the request; what it brought is kept", .covers("R67"))
    func cancellation()
        async throws
    {
        let gate = Gate()
        world.network.answer(World.token, .held(gate, World.tokens("second")))
        let id = try await world.add(World.session(life: 0))
        let asked = Gate()
        world.network.observe(World.token) { asked.open() }
        let task = Task { [world] in try await world.refresh(id) }
        await asked.wait()
        task.cancel()
        gate.open()
        #expect(try await task.value.0 == .refreshed)
        #expect(try world.accounts.session(id).name == "second")
        #expect(try await world.intent(of: id) == nil)
    }
}
