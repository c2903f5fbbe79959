import ATPJSON
import ATPNetworking
import ATProtoIdentity
import ATProtoXRPC
import BskyAuthTestSupport
import Foundation
import HTTPTypes
import OAuthDPoP
import Testing

@testable import ATProtoSessions

/// A client with one account in memory, and the servers of the account.
struct ClientWorld {
    static let token = "\(Sessions.pds)/oauth/token"
    static let revocation = "\(Sessions.pds)/oauth/revoke"
    static let call = "\(Sessions.pds)/xrpc/com.atproto.server.getSession"

    let transport = ScriptedTransport([:])
    let storage = MemoryStorage()
    let store: StoredSessions
    let client: ATProtoClient
    let account: Account

    init(expiresAt: Date = StoreConformance.date.addingTimeInterval(3600)) async throws {
        transport.answer(
            "https://plc.directory/did%3Aplc%3Arx3iezovljgx6w3o4vtr5bae",
            try Transcript.answer("004-plc-did-document"))
        transport.answer(
            "\(Sessions.pds)/.well-known/oauth-protected-resource",
            try Transcript.answer("001-protected-resource-metadata"))
        transport.answer(
            "\(Sessions.pds)/.well-known/oauth-authorization-server",
            try Transcript.answer("002-authorization-server-metadata"))
        transport.answer(
            Self.token,
            .json([
                "access_token": "second-access", "refresh_token": "second-refresh", "token_type": "DPoP",
                "sub": .string(Sessions.did), "scope": "atproto", "expires_in": 3600,
            ]))
        transport.answer(Self.revocation, .json([:]))
        transport.answer(Self.call, .json(["did": .string(Sessions.did)]))
        store = StoredSessions(storage)
        client = Self.client(of: store, transport)
        account = try Sessions.account()
        try await store.save(account, try Sessions.session("first", expiresAt: expiresAt))
    }

    /// A client of the same server with another store.
    static func client(of store: any SessionStore, _ transport: ScriptedTransport) -> ATProtoClient {
        ATProtoClient(
            as: .loopback(redirectURI: "http://127.0.0.1/callback", scope: "atproto"), store: store,
            transport: transport,
            identities: NetworkIdentities(transport: transport, textRecords: ScriptedTextRecords()),
            clock: StoppedClock())
    }

    /// The same client with an access token that has ended.
    static func expired() async throws -> ClientWorld {
        try await ClientWorld(expiresAt: StoreConformance.date.addingTimeInterval(-1))
    }

    struct Answer: Codable, Equatable { let did: String }

    func call() async throws(ATProtoFailure) -> Answer {
        try await client.agent(for: account.id).query("com.atproto.server.getSession")
    }

    /// How often a refresh token was sent.
    var grants: Int { transport.requests(to: Self.token).count }

    private struct StoppedClock: WallClock {
        var now: Date { StoreConformance.date }
        func sleep(until date: Date) async throws {}
    }
}

/// The code of the failure; nil if there is none.
func code(of body: () async throws(ATProtoFailure) -> Void) async -> ATProtoFailure.Code? {
    do { try await body() } catch { return error.code }
    return nil
}

@Suite("An agent") struct AgentTests {
    private static let alice = ClientWorld.Answer(did: Sessions.did)

    @Test("sends one request for a call with a valid token") func warm() async throws {
        let world = try await ClientWorld()
        #expect(try await world.call() == Self.alice)
        #expect(world.transport.urls == [ClientWorld.call])
    }

    @Test("sends and reads a date as lexicons write it") func dates() async throws {
        struct Seen: Codable, Equatable { let seenAt: Date }
        let world = try await ClientWorld()
        let url = "\(Sessions.pds)/xrpc/app.bsky.notification.updateSeen"
        world.transport.answer(
            url, .json(["seenAt": "2026-01-01T00:00:00Z"]),
            .json(["seenAt": "2026-01-01T01:00:00.250+01:00"]),
            .json(["seenAt": 1_767_225_600]))
        let agent = world.client.agent(for: world.account.id)
        func exchange(_ seconds: TimeInterval) async throws(ATProtoFailure) -> Date {
            let input = Seen(seenAt: Date(timeIntervalSince1970: seconds))
            let answer: Seen = try await agent.procedure("app.bsky.notification.updateSeen", input: input)
            return answer.seenAt
        }
        #expect(try await exchange(1_767_225_600) == Date(timeIntervalSince1970: 1_767_225_600))
        #expect(try await exchange(1_767_225_600) == Date(timeIntervalSince1970: 1_767_225_600.25))
        #expect(
            await code { () throws(ATProtoFailure) in _ = try await exchange(1_767_225_600.5) }
                == .unreadableAnswer)
        let sent = world.transport.requests(to: url).compactMap { request -> String? in
            guard case .bytes(let bytes) = request.body else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
        #expect(sent.first == #"{"seenAt":"2026-01-01T00:00:00.000Z"}"#)
        #expect(sent.last == #"{"seenAt":"2026-01-01T00:00:00.500Z"}"#)
    }

    @Test("makes one grant for 50 calls at once with an ended token, and all use the new token")
    func together() async throws {
        let world = try await ClientWorld.expired()
        let answers = try await withThrowingTaskGroup { group in
            for _ in 0..<50 { group.addTask { try await world.call() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers == Array(repeating: Self.alice, count: 50))
        #expect(world.grants == 1)
        let tokens = world.transport.requests(to: ClientWorld.call).map { $0.headerFields[.authorization] }
        #expect(Set(tokens) == ["DPoP second-access"])
        let stored = try await world.store.session(world.account.id)
        #expect(stored.refreshToken == RefreshToken("second-refresh"))
    }

    @Test("refreshes once when the token is refused, and sends the call again") func refused() async throws {
        let world = try await ClientWorld()
        world.transport.answer(
            ClientWorld.call, .response(401, [.wwwAuthenticate: #"DPoP error="invalid_token""#], []),
            .json(["did": .string(Sessions.did)]))
        #expect(try await world.call() == Self.alice)
        #expect(world.grants == 1 && world.transport.requests(to: ClientWorld.call).count == 2)
    }

    @Test("tells the refusal of a new token as an error of the server, and keeps the session")
    func refusedAgain() async throws {
        let world = try await ClientWorld()
        world.transport.answer(
            ClientWorld.call,
            .json(
                ["error": "InvalidToken", "message": "\"iat\" is in the future"], status: 401,
                [.wwwAuthenticate: #"DPoP error="invalid_token""#]))
        do {
            _ = try await world.call()
            Issue.record("the call worked")
        } catch {
            #expect(error.code == .xrpc && error.status == 401 && error.error == "InvalidToken")
            #expect(!error.mayPass && error.requestWasSent)
        }
        #expect(world.grants == 1 && world.transport.requests(to: ClientWorld.revocation).isEmpty)
        #expect(try await world.store.session(world.account.id).state == .ok)
        #expect(try await !world.store.session(world.account.id).hasEnded)
        world.transport.answer(ClientWorld.call, .json(["did": .string(Sessions.did)]))
        #expect(try await world.call() == Self.alice)
    }

    @Test("gives the 401 of a service as the answer, if the server takes the token") func refusedByService()
        async throws
    {
        let world = try await ClientWorld()
        let method = "app.bsky.actor.getProfile"
        world.transport.answer(
            "\(Sessions.pds)/xrpc/\(method)", .json(["error": "InvalidToken"], status: 401))
        do {
            let _: ClientWorld.Answer = try await world.client.agent(for: world.account.id).query(method)
            Issue.record("the call worked")
        } catch {
            #expect(error.code == .xrpc && error.status == 401 && error.error == "InvalidToken")
        }
        #expect(world.grants == 1 && world.transport.requests(to: ClientWorld.call).count == 1)
    }

    @Test("does not ask again for a session that the server has ended, and says so") func ended() async throws
    {
        let world = try await ClientWorld.expired()
        let events = world.client.events
        world.transport.answer(ClientWorld.token, .json(["error": "invalid_grant"], status: 400))
        for _ in 1...2 {
            #expect(await code { () throws(ATProtoFailure) in _ = try await world.call() } == .sessionEnded)
        }
        #expect(world.grants == 1)
        var told = events.makeAsyncIterator()
        #expect(await told.next() == SessionEvent(kind: .ended, account: world.account))
    }

    @Test("keeps the session when the server is down, and says that it may pass") func down() async throws {
        let world = try await ClientWorld.expired()
        world.transport.answer(ClientWorld.token, .text("", status: 503))
        do {
            _ = try await world.call()
            Issue.record("the call worked")
        } catch {
            #expect(error.code == .notRefreshed && error.mayPass && error.status == 503)
            #expect(try #require(error.retryAt) > StoreConformance.date)
        }
        #expect(try await world.store.session(world.account.id).state == .ok)
    }

    @Test("gives no token to an issuer that the account's server does not name") func issuer() async throws {
        let world = try await ClientWorld.expired()
        let other = "https://other.example.com"
        world.transport.answer(
            "\(Sessions.pds)/.well-known/oauth-protected-resource",
            .json(["resource": .string(Sessions.pds), "authorization_servers": [.string(other)]]))
        world.transport.answer(
            "\(other)/.well-known/oauth-authorization-server",
            try Transcript("002-authorization-server-metadata").undatedAnswer {
                $0.replacing("https://pds.test", with: other)
                    .replacing(#"resources":["\#(other)"#, with: #"resources":["\#(Sessions.pds)"#)
            })
        #expect(await code { () throws(ATProtoFailure) in _ = try await world.call() } == .verification)
        #expect(world.grants == 0)
    }

    @Test("says what the server said, and which permission is missing") func errors() async throws {
        let world = try await ClientWorld()
        world.transport.answer(
            ClientWorld.call,
            .json(
                ["error": "ScopeMissingError", "message": "Missing required scope \"rpc:x?aud=*\""],
                status: 403))
        do {
            _ = try await world.call()
            Issue.record("the call worked")
        } catch {
            #expect(error.code == .xrpc && error.status == 403 && error.error == "ScopeMissingError")
            #expect(error.missingScope == "rpc:x?aud=*" && !error.mayPass && error.requestWasSent)
        }
    }

    @Test("tells what may pass from what needs a change") func passing() async throws {
        let world = try await ClientWorld()
        for (answer, mayPass) in [
            (ScriptedTransport.Answer.failure(.timedOut, wasSent: true), true),
            (.failure(.untrusted), false), (.text("", status: 503), true),
            (.json(["error": "InvalidRequest"], status: 400), false),
        ] {
            world.transport.answer(ClientWorld.call, answer)
            do {
                _ = try await world.call()
                Issue.record("the call worked")
            } catch {
                #expect(error.mayPass == mayPass, "\(error)")
            }
        }
    }

    @Test("names the service and the labelers of a call") func headers() async throws {
        let world = try await ClientWorld()
        let agent = try world.client.agent(for: world.account.id)
            .proxied(to: "did:web:api.example.com#chat").accepting(labelers: ["\(Sessions.did);redact"])
        let _: ClientWorld.Answer = try await agent.query("com.atproto.server.getSession")
        let sent = try #require(world.transport.requests(to: ClientWorld.call).first).headerFields
        #expect(sent[try #require(.atprotoProxy)] == "did:web:api.example.com#chat")
        #expect(sent[try #require(.atprotoAcceptLabelers)] == "\(Sessions.did);redact")
    }

    @Test("sends nothing for what is no method, no service or no labeler") func invalid() async throws {
        let world = try await ClientWorld()
        let agent = world.client.agent(for: world.account.id)
        let codes = [
            await code { () throws(ATProtoFailure) in try await agent.procedure("no method") },
            await code { () throws(ATProtoFailure) in _ = try agent.proxied(to: "api.example.com") },
            await code { () throws(ATProtoFailure) in _ = try agent.accepting(labelers: ["alice"]) },
            await code { () throws(ATProtoFailure) in
                _ = try Agent(anonymouslyAt: "example.com", transport: world.transport)
            },
        ]
        #expect(codes == Array(repeating: .invalidArgument, count: 4))
        #expect(world.transport.urls.isEmpty)
    }

    @Test("without an account sends no token") func anonymous() async throws {
        let world = try await ClientWorld()
        let agent = try Agent(anonymouslyAt: Sessions.pds, transport: world.transport)
        let answer: ClientWorld.Answer = try await agent.query("com.atproto.server.getSession")
        #expect(answer == Self.alice)
        let sent = try #require(world.transport.requests(to: ClientWorld.call).first).headerFields
        #expect(sent[.authorization] == nil)
        #expect(
            await code { () throws(ATProtoFailure) in try await agent.records.delete("a.b.c", "1") }
                == .invalidArgument)
    }

    @Test("asks for pages one after the other, and stops at a cursor that came before") func pages()
        async throws
    {
        struct Page: Codable, Sendable { let items: [Int] }
        let world = try await ClientWorld()
        let agent = world.client.agent(for: world.account.id)
        let first = "\(Sessions.pds)/xrpc/com.example.list?limit=2&tags=a&tags=b"
        world.transport.answer(first, .json(["items": [1, 2], "cursor": "x"]))
        world.transport.answer("\(first)&cursor=x", .json(["items": [], "cursor": "y"]))
        world.transport.answer("\(first)&cursor=y", .json(["items": [3]]))
        let parameters: XRPCParameters = ["limit": 2, "tags": ["a", "b"]]
        var items: [Int] = []
        for try await page in agent.pages("com.example.list", parameters, as: Page.self) {
            items += page.items
        }
        #expect(items == [1, 2, 3])

        // Half of a character in a value hides nothing. In the cursor it would ask for other items.
        let half = Array(#"{"items":[3],"note":"\ud83d","cursor":""}"#.utf8)
        world.transport.answer("\(first)&cursor=y", .response(200, [.contentType: "application/json"], half))
        items = []
        for try await page in agent.pages("com.example.list", parameters, as: Page.self) {
            items += page.items
        }
        #expect(items == [1, 2, 3])
        let broken = Array(#"{"items":[3],"cursor":"z\ud83d"}"#.utf8)
        for body in [broken, Array(#"{"items":[3],"\ud83d":1}"#.utf8)] {
            world.transport.answer(
                "\(first)&cursor=y", .response(200, [.contentType: "application/json"], body))
            let error = await #expect(throws: ATProtoFailure.self) {
                for try await _ in agent.pages("com.example.list", parameters, as: Page.self) {}
            }
            #expect(error?.code == .unreadableAnswer)
        }

        world.transport.answer("\(first)&cursor=y", .json(["items": [3], "cursor": "x"]))
        var failure: ATProtoFailure?
        do {
            for try await _ in agent.pages("com.example.list", parameters, as: Page.self) {}
        } catch { failure = error }
        #expect(failure?.code == .unreadableAnswer)
    }
}
