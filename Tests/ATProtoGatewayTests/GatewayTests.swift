import ATPJSON
import ATPNetworking
import ATProtoIdentity
import ATProtoOAuth
import ATProtoSessions
import BskyAuthTestSupport
import Foundation
import HTTPTypes
import OAuthDPoP
import Testing

@testable import ATProtoGateway

/// An account at a server, and a gateway in front of it.
private struct World {
    static let did = "did:plc:rx3iezovljgx6w3o4vtr5bae"
    static let pds = "https://pds.example.com"
    static let timeline = "\(pds)/xrpc/app.bsky.feed.getTimeline"
    static let create = "\(pds)/xrpc/com.atproto.repo.createRecord"

    let transport = ScriptedTransport([:])
    let agent: Agent

    /// - Parameter age: how many seconds ago the access token expired; negative for one that is good.
    init(age: TimeInterval = -3600) async throws {
        let store = StoredSessions(MemoryStorage())
        let account = Account(
            id: UUID(), did: try #require(DID(Self.did)), handle: Handle("alice.example.com"), label: nil,
            pds: try HTTPURL(validating: Self.pds).origin, devNetwork: nil, addedAt: Date())
        let issuer = try Issuer(validating: Self.pds, profile: .atproto, policy: NetworkPolicy())
        let credential = OAuthCredential(
            issuer: issuer, client: Client(ClientID("http://localhost?scope=atproto")), key: try DPoPKey())
        let session = Session(
            credential: .oauth(credential), createdAt: Date(), accessToken: AccessToken("the-access-token"),
            refreshToken: RefreshToken("the-refresh-token"),
            accessExpiresAt: Date(timeIntervalSinceNow: -age),
            obtainedAt: Date(timeIntervalSinceNow: -age - 7200), scope: Scope("atproto"))
        try await store.save(account, session)
        let client = ATProtoClient(
            as: .loopback(redirectURI: "http://127.0.0.1/callback", scope: "atproto"), store: store,
            transport: transport, identities: NetworkIdentities(transport: transport, textRecords: nil))
        agent = client.agent(for: account.id)
    }

    /// An account whose access token has expired, at a server that answers a refresh like this.
    static func expired(_ answer: ScriptedTransport.Answer) async throws -> World {
        let world = try await World(age: 60)
        world.transport.answer(
            "\(pds)/.well-known/oauth-protected-resource",
            try Transcript.answer("001-protected-resource-metadata"))
        world.transport.answer(
            "\(pds)/.well-known/oauth-authorization-server",
            try Transcript.answer("002-authorization-server-metadata"))
        world.transport.answer(
            "https://plc.directory/did%3Aplc%3Arx3iezovljgx6w3o4vtr5bae",
            try Transcript.answer("004-plc-did-document"))
        world.transport.answer("\(pds)/oauth/token", answer)
        return world
    }

    func ask(
        _ method: HTTPRequest.Method, _ target: String, _ fields: HTTPFields = [:], body: String? = nil,
        _ gateway: Gateway = Gateway()
    ) async -> GatewayAnswer {
        await gateway.answer(
            GatewayRequest(
                method: method, target: "/xrpc/\(target)", headerFields: fields,
                body: body.map { .bytes(Array($0.utf8)) } ?? .none), as: agent)
    }
}

private func text(_ answer: GatewayAnswer) async throws -> String {
    String(decoding: try await answer.response.body.collect(upTo: 1 << 20), as: UTF8.self)
}

@Suite("A gateway") struct GatewayTests {
    @Test(
        "passes a call with the token of the account and a proof, and nothing that the client said about itself"
    )
    func passes() async throws {
        let world = try await World()
        world.transport.answer(
            World.timeline, .json(["feed": []], [.setCookie: "a=b", .location: "https://x.example"]))
        let answer = await world.ask(
            .get, "app.bsky.feed.getTimeline?limit=5",
            [.authorization: "Bearer sealed", .cookie: "__Host-sid=sealed", .acceptLanguage: "en"])
        #expect(answer.response.status == 200 && answer.nsid == "app.bsky.feed.getTimeline")
        #expect(answer.failure == nil)
        #expect(try await text(answer) == #"{"feed":[]}"#)
        for name in [HTTPField.Name.setCookie, .location] {
            #expect(answer.response.headerFields[name] == nil, "\(name)")
        }
        #expect(answer.response.headerFields[.cacheControl] == "private, no-store")
        let sent = try #require(world.transport.requests(to: World.timeline).first)
        #expect(sent.headerFields[.authorization] == "DPoP the-access-token")
        #expect(sent.headerFields[.cookie] == nil && sent.headerFields[.acceptLanguage] == "en")
        #expect(sent.url.query == "limit=5")
    }

    @Test("answers HEAD with the head of GET")
    func head() async throws {
        let world = try await World()
        world.transport.answer(World.timeline, .json(["feed": []]))
        let answer = await world.ask(.head, "app.bsky.feed.getTimeline")
        #expect(answer.response.status == 200)
        #expect(try await text(answer) == "")
        #expect(world.transport.requests(to: World.timeline).first?.method == .get)
    }

    @Test("says who the account is, and passes no method that logs in or out, in any spelling")
    func sessions() async throws {
        let world = try await World()
        let answer = await world.ask(.get, "com.atproto.server.GETSESSION")
        #expect(
            try await text(answer)
                == #"{"did":"\#(World.did)","handle":"alice.example.com","active":true}"#)
        #expect(await world.ask(.post, "com.atproto.server.getSession").response.status == 400)
        for name in ["createSession", "refreshSession", "REFRESHSESSION", "deleteSession"] {
            #expect(await world.ask(.post, "com.atproto.server.\(name)").response.status == 403, "\(name)")
        }
        #expect(world.transport.requests.isEmpty)
    }

    @Test("tells of a refusal before the body is there")
    func refusalOfHead() throws {
        func refusal(_ method: HTTPRequest.Method, _ target: String) -> GatewayAnswer? {
            Gateway().refusal(
                of: GatewayRequest(method: method, target: target, headerFields: [:], body: .none))
        }
        #expect(refusal(.post, "/xrpc/com.atproto.repo.createRecord") == nil)
        #expect(refusal(.get, "/xrpc/com.atproto.server.getSession") == nil)
        #expect(refusal(.get, "/xrpc/x")?.response.status == 400)
        #expect(refusal(.put, "/xrpc/com.atproto.repo.createRecord")?.response.status == 405)
        #expect(refusal(.post, "/xrpc/com.atproto.server.getSession")?.response.status == 400)
        #expect(refusal(.post, "/xrpc/com.atproto.server.deactivateAccount")?.response.status == 403)
        #expect(refusal(.get, "/xrpc/com.example.subscribeThings")?.response.status == 501)
        let answer = try #require(refusal(.post, "/xrpc/com.atproto.server.createSession"))
        #expect(answer.response.status == 403 && answer.nsid == "com.atproto.server.createSession")
    }

    @Test("passes only what its limits allow, and sends the body that it checked")
    func limits() async throws {
        let world = try await World()
        world.transport.answer(World.create, .json(["uri": "at://x", "cid": "y"]))
        let posts = Gateway(
            limits: try AccessLimits(rules: ["repo:app.bsky.feed.post?action=create"]))
        func write(_ collection: String, _ repo: String = World.did) async -> Int {
            await world.ask(
                .post, "com.atproto.repo.createRecord", [.contentType: "application/json"],
                body: #"{"repo":"\#(repo)","collection":"\#(collection)","record":{}}"#, posts
            ).response.status
        }
        #expect(await write("app.bsky.graph.follow") == 403)
        #expect(await write("app.bsky.feed.post", "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa") == 403)
        #expect(world.transport.requests.isEmpty)
        #expect(await write("app.bsky.feed.post") == 200)
        let reading = Gateway(limits: try AccessLimits(readOnly: true))
        #expect(
            await world.ask(.post, "com.atproto.repo.createRecord", body: "{}", reading).response.status
                == 403)
        #expect(world.transport.requests.count == 1)
    }

    @Test(
        "rules and services that can't be read are refused",
        arguments: ["app.bsky", "account:email", "*", ""])
    func rules(_ rule: String) throws {
        do {
            _ = try AccessLimits(rules: [rule])
            Issue.record("\(rule) was taken")
        } catch {
            #expect(error.code == .invalidArgument)
        }
        #expect(throws: ATProtoFailure.self) {
            try AccessLimits(readOnly: true, services: ["did:web:x.example"])
        }
        // Without rules every service is allowed.
        #expect(throws: ATProtoFailure.self) { try AccessLimits(services: ["did:web:x.example#chat"]) }
    }

    @Test("tells a session that has ended from a server that can't be reached")
    func failures() async throws {
        let world = try await World()
        world.transport.answer(World.timeline, .failure(.notConnected))
        let unreachable = await world.ask(.get, "app.bsky.feed.getTimeline")
        #expect(unreachable.response.status == 502 && unreachable.failure?.code == .network)

        let postponing = try await World.expired(.text("", status: 503))
        let postponed = await postponing.ask(.get, "app.bsky.feed.getTimeline")
        #expect(postponed.response.status == 503 && postponed.failure?.code == .notRefreshed)
        #expect(postponed.response.headerFields[.retryAfter].flatMap { Int($0) } ?? 0 > 0)
        #expect(await postponing.ask(.get, "com.atproto.server.getSession").response.status == 200)

        let ended = try await World.expired(.json(["error": "invalid_grant"], status: 400))
        for target in ["app.bsky.feed.getTimeline", "com.atproto.server.getSession"] {
            let answer = await ended.ask(.get, target)
            #expect(answer.response.status == 401 && answer.failure?.code == .sessionEnded, "\(target)")
        }
    }

    @Test("each failure of an account has its status, and says nothing that is for the operator")
    func mapping() throws {
        let cause = CocoaError(.fileReadNoPermission)
        let rows: [(any Error, Int, String)] = [
            (ATProtoFailure(.sessionEnded, "x"), 401, "AuthenticationRequired"),
            (ATProtoFailure(.unknownAccount, "x"), 401, "AuthenticationRequired"),
            (ATProtoFailure(.invalidArgument, "x"), 400, "InvalidRequest"),
            (ATProtoFailure(.notRefreshed, "x"), 503, "ServiceUnavailable"),
            (ATProtoFailure(.cancelled, "x"), 503, "ServiceUnavailable"),
            (StoreError(.busy, cause), 503, "ServiceUnavailable"),
            (StoreError(.failed, cause), 500, "InternalServerError"),
            (TransportError(.notConnected, requestWasSent: false), 502, "UpstreamFailure"),
            (TransportError(.bodyUnreadable, requestWasSent: false), 400, "InvalidRequest"),
            (ATProtoFailure(.refused, "x"), 502, "UpstreamFailure"),
            (ATProtoFailure(.unreadableAnswer, "x"), 502, "UpstreamFailure"),
            (ATProtoFailure(.xrpc, "x"), 502, "UpstreamFailure"),
            (ATProtoFailure(.clientKeyMissing, "x"), 500, "InternalServerError"),
            (ATProtoFailure(.unexpected, "x"), 500, "InternalServerError"),
        ]
        for (error, status, name) in rows {
            let refusal = Refusal(ATProtoFailure(error), at: Date())
            #expect(refusal.status == status && refusal.name == name, "\(error)")
            #expect(!refusal.message.contains("Cocoa"), "\(error)")
        }
    }

    @Test("the words of another service say nothing about the session")
    func services() async throws {
        let world = try await World()
        world.transport.answer(World.timeline, .json(["error": "InvalidToken"], status: 401))
        let agent = try world.agent.proxied(to: "did:web:other.example#service")
        let request = GatewayRequest(
            method: .get, target: "/xrpc/app.bsky.feed.getTimeline", headerFields: [:], body: .bytes([]))
        let answer = await Gateway().answer(request, as: agent)
        #expect(answer.response.status == 401 && answer.failure == nil)
        let sent = world.transport.requests
        #expect(sent.count == 1, "nothing is refreshed")
        let proxy = try #require(HTTPField.Name("atproto-proxy"))
        #expect(sent.first?.headerFields[proxy] == "did:web:other.example#service")
    }

    @Test("says nothing as an agent without an account") func anonymous() async throws {
        let world = try await World()
        let agent = try Agent(anonymouslyAt: World.pds, transport: world.transport)
        let request = GatewayRequest(
            method: .get, target: "/xrpc/com.atproto.server.getSession", headerFields: [:], body: .none)
        #expect(await Gateway().answer(request, as: agent).response.status == 401)
    }

    @Test("an answer of the gateway shows no token, and can't be read as anything but JSON")
    func refusals() async throws {
        let world = try await World()
        for target in ["app.bsky.feed.getTimeline/", "com.atproto.server.createAppPassword", "<script>"] {
            let answer = await world.ask(.get, target)
            #expect((400..<500).contains(answer.response.status), "\(target)")
            #expect(answer.response.headerFields[.contentType] == "application/json; charset=utf-8")
            let body = try await text(answer)
            #expect(!body.contains("the-access-token") && !body.contains("<script>"))
        }
    }

    @Test("the session methods are known in any spelling")
    func spelling() throws {
        for name in ["createSession", "CREATESESSION", "RefreshSession", "getsession", "DELETEsession"] {
            let nsid = try NSID(validating: "com.atproto.server.\(name)")
            #expect(SessionMethod(nsid)?.rawValue.lowercased() == nsid.description.lowercased())
        }
        #expect(SessionMethod(try NSID(validating: "com.atproto.server.createSessions")) == nil)
    }
}
