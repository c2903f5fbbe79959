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

@Suite("Sessions of app passwords") struct PasswordSessionTests {
    let world: World
    private static let password = "abcd-efgh-ijkl-mnop"
    private let create = "\(World.pds)/xrpc/com.atproto.server.createSession"
    let refresh = "\(World.pds)/xrpc/com.atproto.server.refreshSession"
    private let delete = "\(World.pds)/xrpc/com.atproto.server.deleteSession"
    let call = "\(World.pds)/xrpc/com.atproto.server.getSession"
    private let success = ScriptedTransport.Answer.json(["did": .string(World.did)])

    init() throws {
        world = try World()
        world.network.answer(create, Self.tokens("first"))
        world.network.answer(refresh, Self.tokens("second"))
        world.network.answer(delete, .response(200, [:], []))
        world.network.answer(call, success)
    }

    private static func tokens(_ name: String, did: String = World.did) -> ScriptedTransport.Answer {
        .json([
            "did": .string(did), "handle": "alice.example.com", "accessJwt": .string("\(name)-access"),
            "refreshJwt": .string("\(name)-refresh"),
        ])
    }

    static func error(_ status: Int, _ name: String) -> ScriptedTransport.Answer {
        .json(["error": .string(name), "message": "no"], status: status)
    }

    @discardableResult
    func logIn(factor: String? = nil) async throws -> UUID {
        let outcome = try await PasswordLoginFlow(world.environment).run(
            ATIdentifier(validating: "alice.example.com"), password: Self.password, label: nil,
            makesActive: false, factor: { factor })
        return outcome.account.id
    }

    @discardableResult
    func call(_ id: UUID) async throws -> TransportResponse {
        let request = XRPCRequest(.query, try NSID(validating: "com.atproto.server.getSession"))
        return try await CallFlow(world.environment.context, as: id).send(request, lockTimeout: .zero)
    }

    private func bodies(of url: String) throws -> [JSONValue] {
        try world.network.requests(to: url).map { request in
            guard case .bytes(let bytes) = request.body else { return nil }
            return try JSONParser.parse(bytes)
        }
    }

    private func authorizations(of url: String) -> [String?] {
        world.network.requests(to: url).map { $0.headerFields[.authorization] }
    }

    @Test("logs in at the account's PDS, as its DID", .covers("A1")) func login() async throws {
        let id = try await logIn()
        let body: JSONValue = ["identifier": .string(World.did), "password": .string(Self.password)]
        #expect(try bodies(of: create) == [body])
        let session = try world.accounts.session(id)
        #expect(session.credential.name == "app-password" && session.name == "first")
        #expect(session.accessExpiresAt == World.start.addingTimeInterval(7200))
        #expect(authorizations(of: create) == [nil])
    }

    @Test("sends the password to the server that the account has now, whatever a cache says", .covers("A1"))
    func cachedServer() async throws {
        try await logIn()
        try world.remember(pds: "https://gone.example.com")
        try await logIn()
        #expect(try bodies(of: create).count == 2)
    }

    @Test(
        "asks for the e-mailed code once, where the server wants one", .covers("A2"), arguments: [400, 401])
    func factor(status: Int) async throws {
        world.network.answer(create, Self.error(status, "AuthFactorTokenRequired"), Self.tokens("first"))
        try await logIn(factor: "12345")
        #expect(try bodies(of: create).map { $0["authFactorToken"]?.string } == [nil, "12345"])
        world.network.answer(create, Self.error(status, "AuthFactorTokenRequired"))
        await #expect(throws: CoreError.self) { try await logIn(factor: "wrong") }
        #expect(try bodies(of: create).count == 4)
        await #expect(throws: CoreError.self) { try await logIn(factor: nil) }
        #expect(try bodies(of: create).count == 5)
    }

    @Test(
        "a wrong password is not tried again, and saves nothing", .covers("A2", "13.10"),
        arguments: [
            error(401, "AuthenticationRequired"), error(400, "InvalidRequest"), .text("no", status: 401),
        ])
    func wrongPassword(answer: ScriptedTransport.Answer) async throws {
        world.network.answer(create, answer)
        await #expect(throws: CoreError.self) { try await logIn(factor: "12345") }
        #expect(world.network.requests(to: create).count == 1)
        #expect(try await world.accounts.entries().isEmpty)
    }

    @Test("somebody else's session is not saved, and ended", .covers("A7")) func otherAccount() async throws {
        world.network.answer(create, Self.tokens("first", did: "did:plc:ewvi7nxzyoun6zhxrhs64oiz"))
        let error = await #expect(throws: SessionFailure.self) { try await logIn() }
        guard case .verification(.subjectIsAnother)? = error else {
            Issue.record("expected .verification(.subjectIsAnother)")
            return
        }
        #expect(try await world.accounts.entries().isEmpty)
        #expect(authorizations(of: delete) == ["Bearer first-refresh"])
    }

    @Test("takes no OAuth session's place", .covers("B2")) func keepsOAuth() async throws {
        let id = try await world.add(World.session())
        let file = world.directory.appending(path: "vault/accounts/\(id.uuidString.lowercased())/session")
        let before = try Data(contentsOf: file)
        let error = await #expect(throws: CoreError.self) { try await logIn() }
        guard case .labelHoldsOAuth(let account)? = error else {
            Issue.record("expected .labelHoldsOAuth")
            return
        }
        #expect(account.id == id)
        #expect(try Data(contentsOf: file) == before)
        #expect(world.network.requests(to: create).isEmpty)
    }

    @Test("calls are Bearer, and never have a proof", .covers("X12", "A7")) func bearer() async throws {
        let id = try await logIn()
        #expect(try await call(id).status == 200)
        #expect(authorizations(of: call) == ["Bearer first-access"])
        #expect(world.network.requests.allSatisfy { $0.headerFields.dpopProof == nil })
    }

    @Test("a refresh sends the refresh token and no body, and is saved before it is used", .covers("A4"))
    func rotation() async throws {
        let id = try await logIn()
        let wasFree = Flag()
        world.network.observe(refresh) { [world] in
            do {
                let lock = try world.accounts.tryLock(id)
                if lock != nil { wasFree.set() }
            } catch { wasFree.set() }
        }
        #expect(try await world.refresh(id, forced: true).0 == .refreshed)
        #expect(!wasFree.isSet)
        let request = try #require(world.network.requests(to: refresh).first)
        #expect(request.method == .post && request.headerFields[.authorization] == "Bearer first-refresh")
        #expect(request.body.length == 0 && request.headerFields[.contentType] == nil)
        #expect(try world.accounts.session(id).name == "second")
        #expect(try await world.intent(of: id) == nil)
    }

    @Test(
        "a token that is over is refreshed once, and the call sent once more", .covers("A6", "13.10"),
        arguments: [(400, "ExpiredToken"), (401, "InvalidToken")])
    func expired(status: Int, name: String) async throws {
        let id = try await logIn()
        world.network.answer(call, Self.error(status, name), success)
        #expect(try await call(id).status == 200)
        #expect(authorizations(of: call) == ["Bearer first-access", "Bearer second-access"])
        world.network.answer(call, Self.error(status, name))
        #expect(await tokenRefusal { try await call(id) }?.name == name)
        #expect(world.network.requests(to: refresh).count == 2)
    }

    @Test(
        "what new tokens would not help is an answer like others", .covers("A6"),
        arguments: [
            (401, "AccountTakedown"), (401, "AccountDeactivated"), (401, "AccountNotFound"),
            (400, "InvalidRequest"),
        ])
    func otherRefusals(status: Int, name: String) async throws {
        let id = try await logIn()
        world.network.answer(call, Self.error(status, name))
        #expect(try await call(id).status == status)
        #expect(world.network.requests(to: refresh).isEmpty)
    }

    @Test("only the service that made the session gets its token, wherever the account is now")
    func oneService() async throws {
        let id = try await logIn()
        var account = try world.accounts.account(id)
        account.pds = try HTTPURL(validating: "https://new.example.com").origin
        try await rename(account)
        #expect(try await call(id).status == 200)
        #expect(!world.network.urls.contains { $0.hasPrefix("https://new.example.com") })
    }

    private func rename(_ account: Account) async throws {
        guard let lock = try world.accounts.tryLock(account.id) else { throw VaultError.busy(holder: nil) }
        try await world.accounts.update(account, under: lock)
    }

    @Test("only the service's clear word ends a session", .covers("A5", "A6")) func failures() async throws {
        let id = try await logIn()
        for answer in [
            Self.error(429, "RateLimitExceeded"), Self.error(500, "InternalServerError"),
            .text("<html>busy</html>", status: 503, type: "text/html"),
            .failure(.notConnected, wasSent: false),
        ] {
            world.network.answer(refresh, answer)
            await #expect(throws: (any Error).self) { try await world.refresh(id, forced: true) }
            #expect(try world.accounts.session(id).state == .ok)
            world.clock.advance(100)
        }
        world.network.answer(refresh, Self.error(400, "ExpiredToken"))
        #expect(try await ending { try await world.refresh(id, forced: true) } != nil)
        #expect(try world.accounts.session(id).state == .expired)
    }

    @Test("another account's tokens in a refresh are kept from use", .covers("A7")) func otherSubject()
        async throws
    {
        let id = try await logIn()
        world.network.answer(refresh, Self.tokens("bad", did: "did:plc:ewvi7nxzyoun6zhxrhs64oiz"))
        await #expect(throws: SessionFailure.self) { try await world.refresh(id, forced: true) }
        #expect(try world.accounts.session(id).state == .quarantined)
        #expect(authorizations(of: delete) == ["Bearer bad-refresh"])
    }

    @Test(
        "logging out sends the refresh token, the access token where that is not taken, and no body",
        .covers("A4", "13.9"))
    func logout() async throws {
        world.network.answer(delete, Self.error(400, "InvalidToken"), .response(200, [:], []))
        let id = try await logIn()
        let revocation = try await LogoutFlow(world.environment).logout(
            id, isStrict: true, lockTimeout: .zero)
        #expect(revocation == .accepted)
        #expect(authorizations(of: delete) == ["Bearer first-refresh", "Bearer first-access"])
        #expect(world.network.requests(to: delete).allSatisfy { $0.body.length == 0 })
        #expect(try await world.accounts.entries().isEmpty)
    }

    @Test("a service that can't be told keeps nobody logged in", .covers("A9")) func failedLogout()
        async throws
    {
        world.network.answer(delete, .failure(.notConnected, wasSent: false))
        let id = try await logIn()
        let revocation = try await LogoutFlow(world.environment).logout(
            id, isStrict: false, lockTimeout: .zero)
        #expect(revocation == .failed)
        #expect(try await world.accounts.entries().isEmpty)
    }

    @Test("an OAuth login takes the slot over: UUID kept, the password's session ended after")
    func upgrade() async throws {
        let id = try await logIn()
        world.network.answer(World.token, World.tokens("oauth"))
        world.approve()
        let outcome = try await world.login("alice.example.com")
        #expect(outcome.account.id == id && outcome.replacedSession)
        #expect(try world.accounts.session(id).credential.name == "oauth")
        let asked = world.network.requests.map(\.url.withoutQuery)
        #expect(try #require(asked.lastIndex(of: World.token)) < #require(asked.lastIndex(of: delete)))
        #expect(authorizations(of: delete) == ["Bearer first-refresh"])
    }

    @Test("a refresh without an answer is not asked for again by a call that may be repeated")
    func unansweredRefresh() async throws {
        let id = try await logIn()
        world.clock.advance(7201)
        world.network.answer(refresh, .failure(.connectionLost, wasSent: true))
        let request = XRPCRequest(.query, try NSID(validating: "com.atproto.server.getSession"))
        let flow = RetryFlow(RetryPolicy(retries: 3, longestWait: .seconds(600)), clock: world.clock) {
            _ in
        }
        await #expect(throws: CoreError.self) {
            _ = try await flow.send { _ in
                try await CallFlow(world.environment.context, as: id).send(request, lockTimeout: .zero)
            }
        }
        #expect(authorizations(of: refresh).count == 1 && authorizations(of: call).isEmpty)
    }
}
