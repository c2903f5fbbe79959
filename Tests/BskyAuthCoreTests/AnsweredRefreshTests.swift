import ATPJSON
import ATPNetworking
import ATProtoIdentity
import ATProtoSessions
import ATProtoVault
import ATProtoXRPC
import BskyAuthCovers
import BskyAuthTestSupport
import Foundation
import HTTPTypes
import OAuthDPoP
import Testing

@testable import BskyAuthCore

/// What happens after a refresh that was answered without a word about the token.
@Suite("Rotation: after a failure of the server") struct AnsweredRefreshTests {
    let world: World
    private let busy = ScriptedTransport.Answer.text("<html>busy</html>", status: 503, type: "text/html")

    init() throws { world = try World() }

    /// An account whose refresh was answered with a failure at the start.
    private func account(_ answer: ScriptedTransport.Answer, life: Double = 0) async throws -> UUID {
        let id = try await world.add(World.session(life: life))
        world.network.answer(World.token, answer)
        await #expect(throws: SessionFailure.self) { try await world.refresh(id, forced: true) }
        #expect(world.spent.count == 1)
        return id
    }

    /// The time before which a refresh sends nothing; nil if it did not say one.
    private func retryTime(_ refresh: () async throws -> Void) async throws -> Date? {
        do {
            try await refresh()
            return nil
        } catch SessionFailure.refreshFailed(_, let time) {
            return time
        } catch SessionFailure.refreshPostponed(_, _, let time) {
            return time
        }
    }

    private func seconds(_ time: Date?) -> Double? { time?.timeIntervalSince(world.clock.now) }

    @Test(
        "the next one waits a few seconds and sends one attempt", .covers("R66", "H3"),
        arguments: [
            ScriptedTransport.Answer.text("<html>busy</html>", status: 503, type: "text/html"),
            .text("", status: 408), .text("<html>hi</html>", type: "text/html"),
        ])
    func next(answer: ScriptedTransport.Answer) async throws {
        let id = try await account(answer)
        let intent = try #require(try await world.intent(of: id))
        #expect(intent.attempt == 1)
        #expect(intent.answer?.notBefore == World.start.addingTimeInterval(5))
        world.network.answer(World.token, World.tokens("second"))
        #expect(try await world.refresh(id).0 == .refreshed)
        #expect(world.clock.wishes == [World.start.addingTimeInterval(5)])
        #expect(try await world.intent(of: id) == nil)
    }

    @Test("a living token is used meanwhile, and nothing is sent or waited for") func alive() async throws {
        let id = try await account(busy, life: 200)
        #expect(try await world.renew(id).0 == .fresh)
        let error = await #expect(throws: SessionFailure.self) { try await world.refresh(id) }
        guard case .refreshUnclear(_, since: World.start, status: 503, _)? = error else {
            Issue.record("expected .refreshUnclear, not \(String(describing: error))")
            return
        }
        #expect(world.spent.count == 1 && world.clock.wishes.isEmpty)
    }

    @Test("nobody waits longer than seconds, or sends anything before the time") func postponed() async throws
    {
        let id = try await account(
            .response(503, [.retryAfter: "30"], []))
        let time = try await retryTime { try await world.refresh(id) }
        #expect(time == World.start.addingTimeInterval(30))
        #expect(try await retryTime { try await world.refresh(id, forced: true) } == time)
        #expect(world.spent.count == 1 && world.clock.wishes.isEmpty)
        world.clock.advance(30)
        world.network.answer(World.token, World.tokens("second"))
        #expect(try await world.refresh(id).0 == .refreshed)
    }

    @Test("the waits grow, and end at five minutes") func growing() async throws {
        let id = try await world.add(World.session(life: 0))
        world.network.answer(World.token, busy)
        var waits: [Double?] = []
        for _ in 1...8 {
            waits.append(seconds(try await retryTime { try await world.refresh(id) }))
            world.clock.advance(300)
        }
        #expect(waits == [5, 10, 20, 40, 80, 160, 300, 300])
    }

    @Test("no server makes anyone wait for more than an hour") func longest() async throws {
        let id = try await account(.response(503, [.retryAfter: "86400"], []))
        #expect(try await world.intent(of: id)?.answer?.notBefore == World.start.addingTimeInterval(3600))
    }

    @Test("a clock that was set back postpones nothing") func clockSetBack() async throws {
        let id = try await account(busy, life: -100_000)
        world.clock.advance(-86400)
        #expect(seconds(try await retryTime { try await world.refresh(id) }) == 10)
        #expect(world.spent.count == 2)
        world.clock.advance(10)
        world.network.answer(World.token, World.tokens("second"))
        #expect(try await world.refresh(id).0 == .refreshed)
    }

    @Test(
        "a forced refresh waits as well where the answer may hide a rotation",
        arguments: [200, 302, 408, 500])
    func forcedToWait(status: Int) async throws {
        let id = try await account(.response(status, [.retryAfter: "30", .contentType: "text/html"], []))
        world.clock.advance(1)
        #expect(try await retryTime { try await world.refresh(id, forced: true) } != nil || status == 200)
        if status != 200 { #expect(world.spent.count == 1) }
    }

    @Test("invalid_grant then is a lost rotation, and says what was answered", .covers("R65"))
    func lost() async throws {
        let id = try await account(busy)
        world.clock.advance(5)
        world.network.answer(World.token, try Transcript.answer("505-refresh-token-replayed"))
        #expect(try await ending { try await world.refresh(id) } == .lostRotation(after: 503))
        #expect(try world.accounts.session(id).lastError == SessionEnding.lostRotationName)
    }

    @Test("a page after a failure is what is told next, and the failure stays the diagnosis", .covers("R65"))
    func pageAfterFailure() async throws {
        let id = try await account(.text("", status: 504))
        world.clock.advance(5)
        world.network.answer(World.token, .text("<html>no</html>", status: 403, type: "text/html"))
        await #expect(throws: SessionFailure.self) { try await world.refresh(id) }
        let answer = try #require(try await world.intent(of: id)?.answer)
        #expect(answer.status == 403 && answer.unclearStatus == 504)
        let postponed = await #expect(throws: SessionFailure.self) { try await world.refresh(id) }
        guard case .refreshPostponed(_, status: 403, _)? = postponed else {
            Issue.record("expected .refreshPostponed, not \(String(describing: postponed))")
            return
        }
        world.clock.advance(60)
        world.network.answer(World.token, try Transcript.answer("505-refresh-token-replayed"))
        #expect(try await ending { try await world.refresh(id) } == .lostRotation(after: 504))
    }

    @Test("JSON that can't be read is kept, and is not asked for again by itself") func unreadable()
        async throws
    {
        let answer = #"{"access":"new-access","refresh":"new-refresh"}"#
        let id = try await account(.text(answer, type: "application/json"))
        #expect(try await ending { try await world.refresh(id) } == .unreadable)
        #expect(world.spent.count == 1)
        #expect(try world.accounts.vault.check().findings.isEmpty)
        let file = world.directory.appending(path: "vault/accounts/\(id.text)/answer")
        let kept = try Data(contentsOf: file)
        #expect(kept.count > answer.utf8.count && kept.range(of: Data("new-refresh".utf8)) == nil)
        world.network.answer(World.token, .json(["error": "invalid_request"], status: 400))
        await #expect(throws: SessionFailure.self) { try await world.refresh(id, forced: true) }
        #expect(try await ending { try await world.refresh(id) } == .unreadable)
        try Data("damaged".utf8).write(to: file)
        #expect(try !world.accounts.vault.check().findings.isEmpty)
        let lock = try await world.accounts.lock(id, timeout: .zero)
        _ = try world.accounts.vault.restore(id, under: lock)
        _ = consume lock
        #expect(try world.accounts.vault.check().findings.isEmpty)
        world.network.answer(World.token, .json(["error": "invalid_grant"], status: 400))
        #expect(try await ending { try await world.refresh(id, forced: true) } == .lostRotation(after: nil))
    }

    @Test("the kept answer goes when the account has tokens again") func answerGone() async throws {
        let id = try await account(.text("{}", type: "application/json"))
        let file = world.directory.appending(path: "vault/accounts/\(id.text)/answer").path
        #expect(FileManager.default.fileExists(atPath: file))
        try await world.add(World.session("new"))
        #expect(!FileManager.default.fileExists(atPath: file))
        await #expect(throws: SessionFailure.self) { try await world.refresh(id, forced: true) }
        #expect(FileManager.default.fileExists(atPath: file))
        world.network.answer(World.token, World.tokens("second"))
        #expect(try await world.refresh(id, forced: true).0 == .refreshed)
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test("who waited adopts what another process has got, and gives way to its failure")
    func others() async throws {
        let id = try await account(busy)
        world.clock.hold()
        let first = Task { [world] in try await world.refresh(id) }
        await world.clock.asleep.wait()
        try await world.store(World.session("theirs"), of: id)
        world.clock.wake()
        #expect(try await first.value.0 == .adopted)
        #expect(world.spent.count == 1)
    }

    @Test(
        "a page or another client's error after a lost answer ends nothing, and is asked about sparingly",
        .covers("R66", "H3"),
        arguments: [
            ScriptedTransport.Answer.text("<html>no</html>", status: 403, type: "text/html"),
            .text("<html>no</html>", status: 400, type: "text/html"), .text("Bad Request", status: 400),
            .json(["message": "Bad Request"], status: 400),
            .json(["error": "invalid_client"], status: 401), .json(["error": "slow_down"], status: 429),
            .json(["error": "temporarily_unavailable"], status: 400),
        ])
    func pages(answer: ScriptedTransport.Answer) async throws {
        let id = try await account(.failure(.connectionLost, wasSent: true))
        world.clock.advance(90)
        world.network.answer(World.token, answer)
        var waits: [Double?] = []
        for _ in 1...12 {
            waits.append(seconds(try await retryTime { try await world.refresh(id) }))
            #expect(try world.accounts.session(id).state == .ok)
            world.clock.advance(3600)
        }
        #expect(waits == Array(repeating: 60, count: 9) + [3600, 3600, 3600])
        world.network.answer(World.token, World.tokens("second"))
        #expect(try await world.refresh(id).0 == .refreshed)
    }

    @Test("after such a refusal, force tries at once") func forced() async throws {
        let id = try await account(.failure(.connectionLost, wasSent: true))
        world.clock.advance(90)
        world.network.answer(World.token, .text("", status: 403))
        #expect(try await retryTime { try await world.refresh(id) } != nil)
        #expect(try await retryTime { try await world.refresh(id) } != nil)
        #expect(world.spent.count == 2)
        world.network.answer(World.token, World.tokens("second"))
        #expect(try await world.refresh(id, forced: true).0 == .refreshed)
    }

    @Test("a call with retries waits for the time, and sends nothing twice") func retries() async throws {
        let url = "\(World.pds)/xrpc/com.atproto.server.getSession"
        world.network.answer(url, .json([:]))
        let id = try await account(.response(503, [.retryAfter: "30"], []))
        world.network.answer(World.token, busy, World.tokens("second"))
        let flow = RetryFlow(RetryPolicy(retries: 3, longestWait: .seconds(600)), clock: world.clock) { _ in }
        let request = XRPCRequest(.query, try NSID(validating: "com.atproto.server.getSession"))
        let response = try await flow.send { _ in
            try await CallFlow(world.environment.context, as: id).send(request, lockTimeout: .zero)
        }
        #expect(response.status == 200)
        #expect(world.spent.count == 3)
        #expect(world.clock.now == World.start.addingTimeInterval(40))
    }
}
