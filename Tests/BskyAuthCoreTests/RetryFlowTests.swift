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
import Synchronization
import Testing

@testable import BskyAuthCore

@Suite("RetryFlow") struct RetryFlowTests {
    let world: World
    private let url = "\(World.pds)/xrpc/com.atproto.server.getSession"
    private let success = ScriptedTransport.Answer.json(["did": .string(World.did)])
    private let notices = Notices()

    private final class Notices: Sendable {
        private let all = Mutex<[RetryFlow.Notice]>([])
        var list: [RetryFlow.Notice] { all.withLock(\.self) }
        func add(_ notice: RetryFlow.Notice) { all.withLock { $0.append(notice) } }
    }

    init() throws { world = try World() }

    private func call(retry: Int, maxWait: Duration = .seconds(120)) async throws -> TransportResponse {
        let id = try await world.add(World.session())
        let request = XRPCRequest(.query, try NSID(validating: "com.atproto.server.getSession"))
        let flow = RetryFlow(
            RetryPolicy(retries: retry, longestWait: maxWait), clock: world.clock, notify: notices.add)
        return try await flow.send { _ in
            try await CallFlow(world.environment.context, as: id).send(request, lockTimeout: .zero)
        }
    }

    /// The seconds slept, one after the other.
    private var waits: [Double] {
        let times = [World.start] + world.clock.wishes
        return zip(times.dropFirst(), times).map { $0.timeIntervalSince($1) }
    }

    private func answer(_ status: Int, _ fields: HTTPFields = [:]) -> ScriptedTransport.Answer {
        .json(["error": "Busy"], status: status, fields)
    }

    private func field(_ name: String, _ value: String) throws -> HTTPFields {
        [try #require(HTTPField.Name(name)): value]
    }

    @Test("waits as long as the server asks, and then is answered", .covers("X14")) func retryAfter()
        async throws
    {
        world.network.answer(
            url, answer(429, [.retryAfter: "7"]), answer(503, [.retryAfter: "11"]), success)
        #expect(try await call(retry: 3).status == 200)
        #expect(waits == [7, 11])
        #expect(world.network.requests(to: url).count == 3)
        // Each sending has a proof of its own.
        #expect(Set(world.network.requests(to: url).map(\.headerFields.dpopProof)).count == 3)
        #expect(notices.list.map(\.repetition) == [1, 2])
        #expect(notices.list.map(\.wait) == [.seconds(7), .seconds(11)])
    }

    @Test("a rate limit without Retry-After is over with its window, by the server's clock")
    func reset() async throws {
        var fields = try field("RateLimit-Reset", "\(1_795_212_231 + 30)")
        world.network.answer(url, answer(429, fields), success)
        #expect(try await call(retry: 1).status == 200)
        #expect(waits == [30])

        // A server that is 20 seconds ahead means its own time.
        fields[.date] = "Fri, 20 Nov 2026 22:04:11 GMT"
        world.network.answer(url, answer(429, fields), success)
        let before = world.clock.now
        #expect(try await call(retry: 1).status == 200)
        #expect(world.clock.now.timeIntervalSince(before) == 10)
    }

    @Test("a wait that nobody named doubles, with some chance in it", .covers("X14")) func backOff()
        async throws
    {
        world.network.answer(url, answer(500))
        #expect(try await call(retry: 9, maxWait: .seconds(1000)).status == 500)
        #expect(waits.count == 9)
        for (wait, most) in zip(waits, [1.0, 2, 4, 8, 16, 32, 64, 64, 64]) {
            #expect((most / 2...most).contains((wait * 1000).rounded() / 1000), "\(wait)")
        }
        #expect(Set(waits.suffix(3)).count > 1)
    }

    @Test("no wait goes past the longest, all together, and none is begun in vain", .covers("X14"))
    func longestWait()
        async throws
    {
        world.network.answer(url, answer(429, [.retryAfter: "50"]))
        #expect(try await call(retry: 9, maxWait: .seconds(120)).status == 429)
        #expect(waits == [50, 50])
        #expect(world.network.requests(to: url).count == 3)

        world.network.answer(url, answer(429, [.retryAfter: "9223372036854775807"]))
        let before = world.clock.now
        #expect(try await call(retry: 9).status == 429)
        #expect(world.clock.now == before)
    }

    @Test("the time that a busy account was waited for counts") func busy() async throws {
        var rests: [Duration] = []
        let flow = RetryFlow(RetryPolicy(retries: 9, longestWait: .seconds(120)), clock: world.clock) { _ in }
        await #expect(throws: VaultError.self) {
            _ = try await flow.send { rest in
                rests.append(rest)
                world.clock.advance(rest / .seconds(1))
                throw VaultError.busy(holder: nil)
            }
        }
        #expect(rests == [.seconds(120)])
    }

    @Test(
        "a lost answer is waited for as part of the longest wait, or not at all", .covers("R66"),
        arguments: [(Duration.seconds(120), 90.0), (.seconds(60), 0)])
    func lostAnswer(maxWait: Duration, waited: Double) async throws {
        let id = try await world.add(World.session(life: 0))
        world.network.answer(World.token, .failure(.connectionLost, wasSent: true))
        await #expect(throws: SessionFailure.self) { try await world.refresh(id) }
        world.network.answer(World.token, World.tokens("second"))
        world.network.answer(url, success)
        let request = XRPCRequest(.query, try NSID(validating: "com.atproto.server.getSession"))
        let flow = RetryFlow(RetryPolicy(retries: 1, longestWait: maxWait), clock: world.clock) { _ in }
        let client = AccountXRPCClient(
            world.environment, as: try world.accounts.account(id), lockTimeout: .zero)
        do {
            let response = try await RetryingXRPCClient(client, flow).send(request)
            #expect(response.status == 200 && waited > 0)
        } catch SessionFailure.refreshPostponed(_, nil, let time) {
            #expect(time == World.start.addingTimeInterval(90) && waited == 0)
        }
        #expect(world.clock.now == World.start.addingTimeInterval(waited))
        #expect(world.spent.count == (waited > 0 ? 2 : 1))
    }

    @Test("the last answer is given whole when the repetitions are used up") func lastAnswer() async throws {
        world.network.answer(url, answer(503))
        let response = try await call(retry: 2)
        #expect(response.status == 503)
        #expect(try await response.body.collect(upTo: 100) == Array(#"{"error":"Busy"}"#.utf8))
        #expect(world.network.requests(to: url).count == 3)
    }

    @Test(
        "what is not a passing matter is sent once", .covers("F7"),
        arguments: [200, 302, 400, 401, 403, 404, 413, 501])
    func standing(status: Int) async throws {
        world.network.answer(url, answer(status, [.retryAfter: "1"]))
        #expect(try await call(retry: 5).status == status)
        #expect(world.network.requests(to: url).count == 1 && waits.isEmpty && notices.list.isEmpty)
    }

    @Test(
        "a network in the way is tried again",
        arguments: [
            TransportError.Code.notConnected, .nameNotResolved, .timedOut, .connectionLost,
        ])
    func network(code: TransportError.Code) async throws {
        world.network.answer(url, .failure(code, wasSent: true), success)
        #expect(try await call(retry: 1).status == 200)
        #expect(waits.count == 1)
        guard case .failure? = notices.list.first?.reason else {
            Issue.record("no failure was told")
            return
        }
    }

    @Test(
        "a certificate that is not trusted is not tried again",
        arguments: [TransportError.Code.untrusted, .handshakeFailed])
    func refused(code: TransportError.Code) async throws {
        world.network.answer(url, .failure(code, wasSent: false), success)
        await #expect(throws: (any Error).self) { try await call(retry: 3) }
        #expect(world.network.requests(to: url).count == 1 && waits.isEmpty)
    }

    @Test("a refresh without an answer is not asked for again", .covers("H3")) func unansweredRefresh()
        async throws
    {
        world.network.answer(World.token, .failure(.connectionLost, wasSent: true))
        world.network.answer(url, success)
        let id = try await world.add(World.session(life: 0))
        let request = XRPCRequest(.query, try NSID(validating: "com.atproto.server.getSession"))
        let flow = RetryFlow(
            RetryPolicy(retries: 3, longestWait: .seconds(120)), clock: world.clock, notify: notices.add)
        await #expect(throws: SessionFailure.self) {
            _ = try await flow.send { _ in
                try await CallFlow(world.environment.context, as: id).send(request, lockTimeout: .zero)
            }
        }
        #expect(world.spent.count == 1 && waits.isEmpty)
        #expect(world.network.requests(to: url).isEmpty)
    }

    @Test("being cancelled ends the wait") func cancelled() async throws {
        world.network.answer(url, answer(503))
        world.clock.hold()
        let task = Task { try await call(retry: 1) }
        await world.clock.asleep.wait()
        task.cancel()
        let error = await #expect(throws: SessionFailure.self) { try await task.value }
        guard case .cancelled? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(world.network.requests(to: url).count == 1)
    }
}
