import ATPJSON
import ATPNetworking
import ATProtoIdentity
import ATProtoSessions
import BskyAuthTestSupport
import Foundation
import HTTPTypes
import Testing

@testable import ATProtoBackendClient

@Suite("The session of an app") struct SessionTests {
    private static let day = 86_400.0
    private static let call = "/xrpc/com.atproto.server.getSession"

    private struct Profile: Decodable, Sendable { let did: String }

    private func call(_ client: BackendClient) async throws(ATProtoFailure) -> String {
        try await client.agent.query("com.atproto.server.getSession", as: Profile.self).did
    }

    /// The code of the failure of a call; nil if there is none.
    private func codeOfCall(_ client: BackendClient) async -> ATProtoFailure.Code? {
        await caught { () async throws(ATProtoFailure) in _ = try await call(client) }?.code
    }

    private static func loggedIn() async throws -> World {
        let world = try await World.loggedIn()
        world.answer(Self.call, .json(["did": .string(World.alice)]))
        world.answer("refresh", World.grant("second"), World.grant("third"))
        return world
    }

    // MARK: Requests

    @Test("goes with calls of methods and with requests of any kind") func requests() async throws {
        let world = try await Self.loggedIn()
        #expect(try await call(world.client) == World.alice)
        #expect(world.sessions(Self.call) == ["Bearer first"])
        world.answer("session", .json(["authenticated": true]))
        let answer = try await world.client.send(
            .get, "/api/auth/session?app=ios", headerFields: [.authorization: "Bearer other", .accept: "x/y"])
        #expect(answer.status == 200 && world.sessions("session") == ["Bearer first"])
        #expect(world.requests("session")[0].url.query == "app=ios")
        #expect(world.requests("session")[0].headerFields[.accept] == "x/y")
        world.answer("/xrpc/com.atproto.repo.uploadBlob", .text("no", status: 413))
        let refusal = try await world.client.send(
            .post, "/xrpc/com.atproto.repo.uploadBlob", headerFields: [.contentType: "image/png"],
            body: .bytes([1, 2, 3]))
        #expect(refusal.status == 413)
        #expect(try await refusal.body.collect(upTo: 10) == Array("no".utf8))
        #expect(world.requests("/xrpc/com.atproto.repo.uploadBlob")[0].body.bytes == [1, 2, 3])
    }

    @Test(
        "goes to the backend alone, and to no address that changes it",
        arguments: [
            "", "/", "/health", "/login", "api/accounts", "//evil.example/api/x", "@evil.example/api/x",
            ".evil.example/api/x", ":1/api/x", "/api", "/api/../login", "/api/./x", "/api/%2e%2e/login",
            "/api/x#y",
            "/api/x y", "/xrpc", "/api/auth/refresh", "/api/auth/logout", "/api/accounts/switch",
            "/api/auth/tokens",
        ])
    func targets(target: String) async throws {
        let world = try await Self.loggedIn()
        let count = world.transport.requests.count
        let failure = await caught { () async throws(ATProtoFailure) in
            _ = try await world.client.send(.post, target)
        }
        #expect(failure?.code == .invalidArgument)
        #expect(world.transport.requests.count == count)
    }

    @Test("is what calls need") func notLoggedIn() async throws {
        let world = try World()
        #expect(await codeOfCall(world.client) == .unknownAccount)
        #expect(
            await caught { () async throws(ATProtoFailure) in try await world.client.refresh() }?.code
                == .unknownAccount)
        #expect(
            await caught { () async throws(ATProtoFailure) in try await world.client.logOut() }?.code
                == .unknownAccount)
        #expect(try await world.client.logOutAll())
        #expect(world.transport.requests.isEmpty)
    }

    @Test("says whose repository records are in") func records() async throws {
        struct Post: Encodable { let text: String }
        let world = try await Self.loggedIn()
        let path = "/xrpc/com.atproto.repo.createRecord"
        world.answer(path, .json(["uri": "at://x", "cid": "c"]))
        _ = try await world.client.agent.records.create("app.bsky.feed.post", Post(text: "x"))
        #expect(try world.bodies(path)[0]["repo"]?.string == World.alice)
        world.answer("logout", World.inactive("second"))
        try await world.client.logOut()
        let failure = await caught { () async throws(ATProtoFailure) in
            _ = try await world.client.agent.records.create("app.bsky.feed.post", Post(text: "x"))
        }
        #expect(failure?.code == .unknownAccount)
    }

    @Test("does not hide the errors of methods") func methodError() async throws {
        let world = try await Self.loggedIn()
        world.answer(Self.call, World.problem(400, "InvalidRequest"))
        let failure = await caught { () async throws(ATProtoFailure) in _ = try await call(world.client) }
        #expect(failure?.code == .xrpc && failure?.error == "InvalidRequest")
    }

    // MARK: Refreshes

    @Test("is refreshed by the first request after a day") func aged() async throws {
        let world = try await Self.loggedIn()
        world.clock.advance(Self.day - 1)
        _ = try await call(world.client)
        #expect(world.requests("refresh").isEmpty)
        world.clock.advance(1)
        _ = try await call(world.restarted())
        #expect(world.sessions("refresh") == ["Bearer first"])
        #expect(world.sessions(Self.call) == ["Bearer first", "Bearer second"])
        #expect(try await world.stored() == "second")
        _ = try await call(world.client)
        #expect(world.requests("refresh").count == 1)
    }

    @Test("is refreshed when half of its time is used up, and when the clock was set back")
    func agedOtherwise() {
        let since = Date(timeIntervalSince1970: 1_767_225_600)
        func isAged(_ lifetime: Double?, _ age: Double) -> Bool {
            let grant = Backend.Grant(
                isAuthenticated: true, token: nil, account: nil, did: nil, handle: nil,
                expiry: lifetime.map { since + $0 })
            return BackendSession(id: nil, token: "x", of: grant, since: since).isAged(at: since + age)
        }
        #expect(!isAged(3600, 1799) && isAged(3600, 1800))
        #expect(!isAged(14 * Self.day, Self.day - 1) && isAged(14 * Self.day, Self.day))
        #expect(!isAged(nil, Self.day - 1) && isAged(nil, Self.day))
        // By this clock it has ended, but only the server's clock counts.
        #expect(!isAged(-3600, 60) && isAged(-3600, Self.day))
        #expect(isAged(14 * Self.day, -1))
    }

    @Test("is refreshed once for 50 tasks", arguments: [false, true]) func once(isAsked: Bool) async throws {
        let world = try await Self.loggedIn()
        world.clock.advance(Self.day)
        let (gate, client) = (Gate(), world.client)
        world.answer("refresh", .held(gate, World.grant("second")), World.grant("third"))
        let (begun, signal) = AsyncStream.makeStream(of: Void.self)
        world.transport.observe(World.url("refresh")) { signal.yield() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    if isAsked { try await client.refresh() } else { _ = try await self.call(client) }
                }
            }
            for await _ in begun { break }
            gate.open()
            try await group.waitForAll()
        }
        #expect(world.sessions("refresh") == ["Bearer first"])
        #expect(try await world.stored() == "second")
        if !isAsked { #expect(world.sessions(Self.call) == Array(repeating: "Bearer second", count: 50)) }
    }

    @Test("stays when the server of the account can't be reached") func unreachable() async throws {
        let world = try await Self.loggedIn()
        world.clock.advance(Self.day)
        world.answer(
            "refresh", World.problem(503, "server_unreachable", [.retryAfter: "0"]), World.grant("second"))
        for _ in 0..<2 { _ = try await call(world.client) }
        #expect(world.requests("refresh").count == 1)
        #expect(world.sessions(Self.call) == ["Bearer first", "Bearer first"])
        world.clock.advance(20)
        _ = try await call(world.client)
        #expect(world.sessions("refresh") == ["Bearer first", "Bearer first"])
        #expect(try await world.stored() == "second")
    }

    @Test(
        "stays after a refresh that says nothing about it",
        arguments: [
            (503, "server_unreachable", ATProtoFailure.Code.notRefreshed, true),
            (502, "account_refused", .notRefreshed, true), (500, "server_error", .refused, true),
            (409, "changed_meanwhile", .refused, true), (401, "no_session", .refused, false),
            (403, "session_ended", .refused, false), (404, "not_found", .refused, false),
        ])
    func stays(status: Int, name: String, code: ATProtoFailure.Code, mayPass: Bool) async throws {
        let world = try await Self.loggedIn()
        world.answer("refresh", World.problem(status, name))
        let failure = await caught { () async throws(ATProtoFailure) in try await world.client.refresh() }
        #expect(failure?.code == code && failure?.mayPass == mayPass && failure?.error == name)
        #expect(try await world.stored() == "first")
    }

    @Test("is refreshed again at once when an answer was lost, because the one before is good for a minute")
    func lostAnswer() async throws {
        let world = try await Self.loggedIn()
        world.answer("refresh", .failure(.connectionLost, wasSent: true), World.grant("second"))
        #expect(try await world.client.refresh().token == "second")
        #expect(world.sessions("refresh") == ["Bearer first", "Bearer first"])
        world.answer("refresh", .failure(.connectionLost, wasSent: true))
        let failure = await caught { () async throws(ATProtoFailure) in try await world.client.refresh() }
        #expect(failure?.code == .network)
        #expect(try await world.stored() == "second")
        world.answer("refresh", .failure(.notConnected))
        let count = world.requests("refresh").count
        _ = await caught { () async throws(ATProtoFailure) in try await world.client.refresh() }
        #expect(world.requests("refresh").count == count + 1)
    }

    @Test(
        "stays when an answer can't be read",
        arguments: [
            "", "<html>", "[]", "{}", #"{"authenticated":true}"#, #"{"authenticated":"no"}"#,
            #"{"authenticated":true,"session":"a b"}"#, #"{"authenticated":true,"session":""}"#,
            #"{"authenticated":true,"session":"x","did":"alice"}"#,
            #"{"authenticated":true,"session":"x","expiresAt":1}"#,
            #"{"authenticated":true,"session":"x","account":"1"}"#,
        ])
    func unreadable(text: String) async throws {
        let world = try await Self.loggedIn()
        world.answer("refresh", .text(text, type: "application/json"))
        let failure = await caught { () async throws(ATProtoFailure) in try await world.client.refresh() }
        #expect(failure?.code == .unreadableAnswer)
        #expect(try await world.stored() == "first")
    }

    // MARK: Its end

    @Test("is removed when a refresh and the check after it say that it has ended") func ended() async throws
    {
        let world = try await Self.loggedIn()
        world.answer("refresh", World.problem(401, "session_ended"))
        world.answer("session", World.problem(401, "session_ended"))
        let failure = await caught { () async throws(ATProtoFailure) in try await world.client.refresh() }
        #expect(failure?.code == .sessionEnded && failure?.status == 401)
        #expect(try await world.storage.names() == [])
        #expect(await codeOfCall(world.client) == .unknownAccount)
    }

    @Test("stays when a change says that it has ended, and the check does not") func endedAtChange()
        async throws
    {
        let world = try await Self.loggedIn()
        world.answer("session", .json(["authenticated": true]))
        world.answer("logout-everywhere", World.problem(401, "session_ended"))
        let failure = await caught { () async throws(ATProtoFailure) in
            try await world.client.logOutEverywhere()
        }
        #expect(failure?.code == .sessionEnded)
        #expect(try await world.stored() == "first")
        world.answer("session", .failure(.notConnected))
        let unknown = await caught { () async throws(ATProtoFailure) in
            try await world.client.logOutEverywhere()
        }
        #expect(unknown?.code == .network)
        #expect(try await world.stored() == "first")
    }

    @Test("is removed after a call only if the backend itself says that it has ended") func endedAtCall()
        async throws
    {
        let world = try await Self.loggedIn()
        world.answer(Self.call, World.problem(401, "session_ended"))
        world.answer("session", .json(["authenticated": true]))
        // The words may be those of a hostile server of the account.
        #expect(await codeOfCall(world.client) == .sessionEnded)
        #expect(try await world.stored() == "first")
        world.answer("session", World.problem(503, "server_error"))
        #expect(await codeOfCall(world.client) == .sessionEnded)
        #expect(try await world.stored() == "first")
        world.answer("session", World.problem(401, "session_ended"))
        #expect(await codeOfCall(world.client) == .sessionEnded)
        #expect(try await world.storage.names() == [])
    }

    @Test("stays after another refusal of a call", arguments: ["no_session", "ExpiredToken", "InvalidToken"])
    func otherRefusal(name: String) async throws {
        let world = try await Self.loggedIn()
        world.answer(Self.call, World.problem(401, name))
        let failure = await caught { () async throws(ATProtoFailure) in _ = try await call(world.client) }
        #expect(failure?.code == .xrpc && failure?.error == name && failure?.status == 401)
        #expect(try await world.stored() == "first" && world.requests("session").isEmpty)
    }

    @Test("is checked when the server of the account wants a login") func accountEnded() async throws {
        let world = try await Self.loggedIn()
        world.answer(Self.call, World.problem(401, "AuthenticationRequired"))
        world.answer(
            "refresh", World.problem(503, "server_unreachable"), World.grant("second"),
            World.problem(401, "session_ended"))
        world.answer("session", World.problem(401, "session_ended"))
        // It is asked at most every 20 seconds.
        for (refreshes, stored) in [(1, "first"), (1, "first"), (2, "second"), (2, "second")] {
            #expect(await codeOfCall(world.client) == .xrpc)
            #expect(try await world.stored() == stored)
            #expect(world.requests("refresh").count == refreshes)
            world.clock.advance(10)
        }
        #expect(await codeOfCall(world.client) == .sessionEnded)
        #expect(try await world.storage.names() == [])
    }

    // MARK: Several tasks

    @Test("is read again when another task has changed it") func changedMeanwhile() async throws {
        let world = try await Self.loggedIn()
        let (gate, client) = (Gate(), world.client)
        world.answer(
            Self.call, .held(gate, World.problem(401, "session_ended")), .json(["did": .string(World.bob)]))
        world.answer("/api/accounts/switch", World.grant("second", World.bob))
        let (begun, signal) = AsyncStream.makeStream(of: Void.self)
        world.transport.observe(World.url(Self.call)) { signal.yield() }
        async let answer = call(client)
        for await _ in begun { break }
        let account = try #require(World.accounts[World.bob].flatMap(UUID.init))
        #expect(try await client.activate(account).did?.description == World.bob)
        gate.open()
        #expect(try await answer == World.bob)
        #expect(world.sessions(Self.call) == ["Bearer first", "Bearer second"])
        #expect(try await world.stored() == "second" && world.requests("session").isEmpty)
    }

    @Test("is saved also if the task that changed it was cancelled") func cancelled() async throws {
        let world = try await Self.loggedIn()
        let (gate, client) = (Gate(), world.client)
        world.answer("refresh", .held(gate, World.grant("second")))
        let (begun, signal) = AsyncStream.makeStream(of: Void.self)
        world.transport.observe(World.url("refresh")) { signal.yield() }
        let task = Task { try await client.refresh() }
        for await _ in begun { break }
        task.cancel()
        gate.open()
        _ = await task.result
        #expect(try await world.stored() == "second")
    }

    @Test("waits for nobody if the task is cancelled before its turn") func cancelledWaiting() async throws {
        let world = try await Self.loggedIn()
        let (gate, client) = (Gate(), world.client)
        world.answer("refresh", .held(gate, World.grant("second")))
        let (begun, signal) = AsyncStream.makeStream(of: Void.self)
        world.transport.observe(World.url("refresh")) { signal.yield() }
        let first = Task { try await client.refresh() }
        for await _ in begun { break }
        let second = Task { await caught { () async throws(ATProtoFailure) in try await client.logOut() } }
        second.cancel()
        #expect(await second.value?.code == .cancelled)
        gate.open()
        _ = try await first.value
        #expect(world.requests("logout").isEmpty)
    }

    // MARK: The storage

    @Test("stays in memory while it can't be saved, and nothing is sent with it") func notSaved() async throws
    {
        let world = try await Self.loggedIn()
        world.clock.advance(Self.day)
        world.storage.fail("backend-session")
        for _ in 0..<2 { #expect(await codeOfCall(world.client) == .store) }
        #expect(world.requests("refresh").count == 1 && world.requests(Self.call).isEmpty)
        #expect(try await world.stored() == "first")
        #expect(try await world.client.session?.token == "second")
        world.storage.fail("backend-session", false)
        _ = try await call(world.client)
        #expect(try await world.stored() == "second")
        #expect(world.sessions(Self.call) == ["Bearer second"])
        #expect(world.requests("refresh").count == 1)
    }

    @Test("is gone after a logout that the storage does not take") func notRemoved() async throws {
        let world = try await Self.loggedIn()
        world.storage.fail("backend-session")
        let failure = await caught { () async throws(ATProtoFailure) in try await world.client.logOut() }
        #expect(failure?.code == .store)
        #expect(try await world.client.session == nil)
        #expect(await codeOfCall(world.client) == .unknownAccount)
        world.storage.fail("backend-session", false)
        #expect(try await world.client.logOutAll())
        #expect(try await world.storage.names() == [])
    }

    @Test("is not read if the storage has something else", arguments: ["", "{}", #"{"version":2}"#])
    func unreadable(stored text: String) async throws {
        let world = try await Self.loggedIn()
        try await world.storage.write(text, as: "backend-session")
        #expect(await codeOfCall(world.client) == .store)
        #expect(world.requests(Self.call).isEmpty)
    }

    @Test("shows no secret") func secrets() async throws {
        let world = try await Self.loggedIn()
        let session = try #require(try await world.client.session)
        var dumped = ""
        dump(session, to: &dumped)
        #expect(!(dumped + "\(session)" + String(reflecting: session)).contains("first"))
        #expect("\(session)" == "the session of @alice.test")
    }

    // MARK: Accounts

    @Test("has several accounts") func accounts() async throws {
        let world = try await Self.loggedIn()
        let (alice, bob) = (World.accounts[World.alice] ?? "", World.accounts[World.bob] ?? "")
        world.answer(
            "/api/accounts",
            .json([
                "active": .string(bob),
                "accounts": [
                    [
                        "account": .string(alice), "did": .string(World.alice), "handle": "alice.test",
                        "active": false,
                    ],
                    ["account": .string(bob), "did": .string(World.bob), "active": true],
                ],
            ]))
        let accounts = try await world.client.accounts()
        #expect(accounts.map(\.did.description) == [World.alice, World.bob])
        #expect(accounts.map(\.handle?.description) == ["alice.test", nil])
        #expect(accounts.map(\.isActive) == [false, true])
        world.answer("/api/accounts", .json(["accounts": [["account": "x"]]]))
        let failure = await caught { () async throws(ATProtoFailure) in _ = try await world.client.accounts()
        }
        #expect(failure?.code == .unreadableAnswer)
    }

    @Test("can't act as the account of somebody else") func stranger() async throws {
        let world = try await Self.loggedIn()
        world.answer("/api/accounts/switch", World.problem(404, "no_such_account"))
        let failure = await caught { () async throws(ATProtoFailure) in
            try await world.client.activate(UUID())
        }
        #expect(failure?.code == .unknownAccount)
        #expect(try await world.stored() == "first")
    }

    @Test("goes on with the other accounts after the logout of one") func logoutOfOne() async throws {
        let world = try await Self.loggedIn()
        world.answer("logout", World.inactive("second"), World.ended)
        let account = UUID()
        #expect(try await world.client.logOut(account)?.token == "second")
        #expect(try await world.client.logOut() == nil)
        #expect(try world.bodies("logout").map { $0["account"]?.string } == [account.uuidString, nil])
        #expect(world.sessions("logout") == ["Bearer first", "Bearer second"])
        #expect(try await world.storage.names() == [])
    }

    @Test("ends everywhere") func everywhere() async throws {
        let world = try await Self.loggedIn()
        world.answer("logout-everywhere", World.ended)
        #expect(try await world.client.logOutEverywhere() == nil)
        #expect(try await world.storage.names() == [])
    }

    @Test("ends at the logout of all accounts, also if the server can't be told") func logoutOfAll()
        async throws
    {
        for (answer, wasTold) in [
            (World.ended, true), (World.problem(401, "session_ended"), true),
            (ScriptedTransport.Answer.failure(.notConnected), false),
            (World.problem(500, "server_error"), false),
        ] {
            let world = try await Self.loggedIn()
            world.answer("logout", answer)
            #expect(try await world.client.logOutAll() == wasTold)
            #expect(try world.bodies("logout")[0]["all"]?.bool == true)
            #expect(try await world.storage.names() == [])
        }
        let world = try await Self.loggedIn()
        world.answer("logout", .failure(.notConnected))
        let failure = await caught { () async throws(ATProtoFailure) in
            try await world.client.logOutAll(isStrict: true)
        }
        #expect(failure?.code == .network)
        #expect(try await world.stored() == "first")
    }
}
