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

/// What the next holder of the lock does after a rotation that got no answer.
@Suite("Rotation: after an unanswered one") struct LostAnswerTests {
    let world: World
    private let lost = ScriptedTransport.Answer.failure(.connectionLost, wasSent: true)

    init() throws { world = try World() }

    /// An account whose refresh has gone unanswered at the start.
    private func account(life: Double) async throws -> UUID {
        let id = try await world.add(World.session(life: life))
        world.network.answer(World.token, lost)
        await #expect(throws: SessionFailure.self) { try await world.refresh(id) }
        #expect(world.spent.count == 1)
        return id
    }

    @Test("a living token is used, and nothing is sent") func alive() async throws {
        let id = try await account(life: 200)
        let (outcome, session) = try await world.renew(id)
        #expect(outcome == .fresh && session.name == "first")
        #expect(world.spent.count == 1 && world.clock.wishes.isEmpty)
    }

    @Test("a refresh reports it while the token lives, however fresh the token is", arguments: [200.0, 3000])
    func reported(life: Double) async throws {
        let id = try await world.add(World.session(life: life))
        world.network.answer(World.token, lost)
        await #expect(throws: SessionFailure.self) { try await world.refresh(id, forced: true) }
        let error = await #expect(throws: SessionFailure.self) { try await world.refresh(id) }
        guard case .refreshUnclear(_, since: World.start, status: nil, let until)? = error else {
            Issue.record("expected .refreshUnclear, not \(String(describing: error))")
            return
        }
        #expect(until == World.start.addingTimeInterval(life) && world.spent.count == 1)
        // A refresh that is under way is nothing to report.
        let lock = try await world.accounts.lock(id, timeout: .zero)
        #expect(try await world.refresh(id).0 == .fresh)
        _ = consume lock
        // The intent of another token says nothing about this session.
        try await world.store(World.session("other", life: 3000), of: id)
        #expect(try await world.refresh(id).0 == .fresh)
    }

    @Test("a dead one waits until 90 s after the intent, then makes one attempt", .covers("R66", "H3"))
    func dead() async throws {
        let id = try await account(life: 0)
        world.clock.advance(10)
        world.network.answer(World.token, World.tokens("second"))
        #expect(try await world.refresh(id).0 == .refreshed)
        #expect(world.clock.wishes == [World.start.addingTimeInterval(90)])
        #expect(world.clock.now == World.start.addingTimeInterval(90))
        #expect(world.spent == ["first-refresh", "first-refresh"])
        #expect(try await world.intent(of: id) == nil)
    }

    @Test("nobody waits for a time that is over") func timeOver() async throws {
        let id = try await account(life: 0)
        world.clock.advance(90)
        world.network.answer(World.token, World.tokens("second"))
        #expect(try await world.refresh(id).0 == .refreshed)
        #expect(world.clock.wishes.isEmpty)
    }

    @Test("a clock that was set back makes nobody wait longer than an answer can take", .covers("H3"))
    func clockSetBack() async throws {
        let id = try await account(life: -100_000)
        world.clock.advance(-86_400)
        world.network.answer(World.token, World.tokens("second"))
        #expect(try await world.refresh(id).0 == .refreshed)
        #expect(world.clock.wishes == [World.start.addingTimeInterval(90 - 86_400)])
    }

    @Test("the wait can be cancelled, and sends nothing") func cancelled() async throws {
        let id = try await account(life: 0)
        world.clock.hold()
        let task = Task { [world] in try await world.refresh(id) }
        await world.clock.asleep.wait()
        task.cancel()
        let error = await #expect(throws: SessionFailure.self) { try await task.value }
        guard case .cancelled? = error else {
            Issue.record("expected .cancelled")
            return
        }
        #expect(world.spent.count == 1)
        #expect(try await world.intent(of: id)?.attempt == 1)
    }

    /// What a person does who removes a lock file that seems to be left over.
    private func removeLock(of id: UUID) throws {
        let locks = world.directory.appending(path: "vault/locks")
        try FileManager.default.removeItem(at: locks.appending(path: "\(id.text).lock"))
    }

    @Test(
        "after the wait the session is read again, and one that another process has refreshed is adopted",
        .covers("R68"))
    func adoptedAfterTheWait() async throws {
        let id = try await account(life: 0)
        world.clock.hold()
        let task = Task { [world] in try await world.refresh(id) }
        await world.clock.asleep.wait()
        try removeLock(of: id)
        try await world.store(World.session("another"), of: id)
        world.clock.wake()
        let (outcome, session) = try await task.value
        #expect(outcome == .adopted && session.name == "another")
        #expect(world.spent.count == 1)
        #expect(try world.accounts.session(id).name == "another")
    }

    @Test("after the wait nothing is sent while another process has the lock") func lockedAfterTheWait()
        async throws
    {
        let id = try await account(life: 0)
        world.clock.hold()
        let task = Task { [world] in try await world.refresh(id) }
        await world.clock.asleep.wait()
        try removeLock(of: id)
        let lock = try await world.accounts.lock(id, timeout: .zero)
        world.clock.wake()
        let error = await #expect(throws: VaultError.self) { try await task.value }
        guard case .busy? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        _ = consume lock
        #expect(world.spent.count == 1)
    }

    @Test("no end is written over a session that another process has stored") func endOfTheOldToken()
        async throws
    {
        let id = try await world.add(World.session(life: 0))
        let gate = Gate()
        world.network.answer(World.token, .held(gate, .json(["error": "invalid_grant"], status: 400)))
        let wasAsked = Gate()
        world.network.observe(World.token) { wasAsked.open() }
        let task = Task { [world] in try await world.refresh(id) }
        await wasAsked.wait()
        try removeLock(of: id)
        try await world.store(World.session("another"), of: id)
        gate.open()
        let error = await #expect(throws: VaultError.self) { try await task.value }
        guard case .busy? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        let stored = try world.accounts.session(id)
        #expect(stored.name == "another" && stored.state == .ok)
    }

    @Test("new tokens are not written over a session that another process has stored, and are revoked")
    func overtaken() async throws {
        let id = try await world.add(World.session(life: 0))
        let (gate, wasAsked) = (Gate(), Gate())
        world.network.answer(World.token, .held(gate, World.tokens("late")))
        world.network.observe(World.token) { wasAsked.open() }
        let task = Task { [world] in try await world.refresh(id) }
        await wasAsked.wait()
        try removeLock(of: id)
        try await world.store(World.session("another"), of: id)
        gate.open()
        await #expect(throws: VaultError.overtaken) { try await task.value }
        #expect(try world.accounts.session(id).name == "another")
        #expect(world.network.requests(to: World.revoke).map { $0.form?.single("token") } == ["late-refresh"])
    }

    @Test("new tokens are kept where only the lock file is gone") func lockGone() async throws {
        let id = try await world.add(World.session(life: 0))
        world.network.observe(World.token) { [self] in
            do { try removeLock(of: id) } catch { Issue.record(error) }
        }
        #expect(try await world.refresh(id).0 == .refreshed)
        #expect(try world.accounts.session(id).name == "second")
    }

    @Test("invalid_grant then is a lost rotation", .covers("R64", "H3")) func invalidGrant() async throws {
        let id = try await account(life: 0)
        world.network.answer(World.token, try Transcript.answer("505-refresh-token-replayed"))
        #expect(try await ending { try await world.refresh(id) } == .lostRotation(after: nil))
        let stored = try world.accounts.session(id)
        #expect(stored.state == .expired && stored.lastError == "lost_rotation")
        #expect(try await ending { try await world.refresh(id) } == .lostRotation(after: nil))
        #expect(world.spent.count == 2)
    }

    @Test("so is cocoon's sentence for a token that it does not know", .covers("H3")) func unknownToken()
        async throws
    {
        let id = try await account(life: 0)
        world.network.answer(World.token, .json(["error": #""client_id" mismatch"#], status: 400))
        #expect(try await ending { try await world.refresh(id) } == .lostRotation(after: nil))
    }

    @Test("another refusal makes it uncertain, until it is forced", .covers("R66", "H3")) func refused()
        async throws
    {
        let id = try await account(life: 0)
        world.network.answer(World.token, .json(["error": "invalid_request"], status: 400))
        #expect(try await ending { try await world.refresh(id) } == .uncertain)
        #expect(try world.accounts.session(id).state == .uncertain)
        #expect(try await ending { try await world.refresh(id) } == .uncertain)
        #expect(world.spent.count == 2)
        world.network.answer(World.token, World.tokens("second"))
        #expect(try await world.refresh(id, forced: true).0 == .refreshed)
        #expect(try world.accounts.session(id).state == .ok)
    }

    @Test("and what is forced then may find that the first answer was lost") func lostBehindARefusal()
        async throws
    {
        let id = try await account(life: 0)
        world.network.answer(World.token, .json(["error": "invalid_request"], status: 400))
        #expect(try await ending { try await world.refresh(id) } == .uncertain)
        world.network.answer(World.token, .json(["error": "invalid_grant"], status: 400))
        #expect(try await ending { try await world.refresh(id, forced: true) } == .lostRotation(after: nil))
        #expect(try world.accounts.session(id).lastError == SessionEnding.lostRotationName)
    }

    @Test("but not where every attempt was answered") func uncertainWithAnswers() async throws {
        let id = try await world.add(World.session(life: 0))
        world.network.answer(World.token, .json(["error": "something went wrong here"], status: 400))
        #expect(try await ending { try await world.refresh(id) } == .uncertain)
        world.network.answer(World.token, .json(["error": "invalid_grant"], status: 400))
        #expect(try await ending { try await world.refresh(id, forced: true) } == .expired(said: nil))
    }

    @Test("a refusal while the access token lives changes nothing") func refusedAlive() async throws {
        let id = try await account(life: 250)
        world.network.answer(World.token, .json(["error": "invalid_request"], status: 400))
        await #expect(throws: SessionFailure.self) { try await world.refresh(id, forced: true) }
        #expect(try world.accounts.session(id).state == .ok)
        // What is known is what was known before: one unanswered attempt.
        #expect(try await world.intent(of: id)?.attempt == 1)
    }

    @Test("a rate limit does not make it uncertain") func rateLimited() async throws {
        let id = try await account(life: 0)
        world.network.answer(World.token, .json(["error": "slow_down"], status: 429))
        await #expect(throws: SessionFailure.self) { try await world.refresh(id) }
        #expect(try world.accounts.session(id).state == .ok)
        world.clock.advance(60)
        world.network.answer(World.token, World.tokens("second"))
        #expect(try await world.refresh(id).0 == .refreshed)
    }

    @Test("attempts are counted, and a second lost answer may be asked about again") func twice() async throws
    {
        let id = try await account(life: 0)
        await #expect(throws: SessionFailure.self) { try await world.refresh(id) }
        #expect(try await world.intent(of: id)?.attempt == 2)
        let second = world.clock.now
        world.network.answer(World.token, World.tokens("second"))
        #expect(try await world.refresh(id).0 == .refreshed)
        #expect(world.clock.now == second.addingTimeInterval(90))
        #expect(world.spent.count == 3)
    }

    @Test("an attempt of which nothing was sent does not count") func nothingSent() async throws {
        let id = try await account(life: 0)
        world.network.answer(World.token, .failure(.notConnected, wasSent: false))
        await #expect(throws: SessionFailure.self) { try await world.refresh(id) }
        #expect(try await world.intent(of: id)?.attempt == 1)
        world.network.answer(World.token, World.tokens("second"))
        #expect(try await world.refresh(id).0 == .refreshed)
    }

    @Test("a token that the PDS refuses does not live, whatever its date says") func refusedByPDS()
        async throws
    {
        let session = try World.session(life: 200)
        let id = try await world.add(session)
        world.network.answer(World.token, lost)
        await #expect(throws: SessionFailure.self) { try await world.refresh(id) }
        world.network.answer(World.token, try Transcript.answer("505-refresh-token-replayed"))
        let found = try await ending {
            _ = try await RefreshFlow(world.environment.context).rotate(
                id, seen: session, isForced: false, isRefused: true, lockTimeout: .zero)
        }
        #expect(found == .lostRotation(after: nil))
    }
}
