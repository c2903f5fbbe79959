import ATPCryptography
import ATPJSON
import ATPNetworking
import ATProtoIdentity
import ATProtoSessions
import ATProtoVault
import ATProtoXRPC
import BskyAuthCovers
import BskyAuthTestSupport
import Foundation
import OAuthDPoP
import Testing

@testable import BskyAuthCore

@Suite("LoginFlow") struct LoginFlowTests {
    let world: World

    init() throws {
        world = try World()
        world.network.answer(World.token, try Transcript.answer("301-token-ok"))
        world.approve()
    }

    @Test("from a handle to a sealed session", .covers("R1", "R34", "L14", "B1", "F2", "G2", "G9"))
    func handle() async throws {
        let outcome = try await world.login("alice.example.com")
        #expect(outcome.account.did.description == World.did)
        #expect(outcome.account.handle?.description == "alice.example.com")
        #expect(outcome.account.pds.description == World.pds)
        #expect(outcome.isActive && !outcome.replacedSession && outcome.missingScopes.isEmpty)
        #expect(try world.accounts.session(outcome.account.id).scope == Scope("atproto transition:generic"))
        #expect(!world.receiver.isOpen)
        let pushed = try #require(world.network.requests(to: World.par).first?.form)
        #expect(pushed.single("login_hint") == "alice.example.com")
        #expect(pushed.single("redirect_uri") == "http://127.0.0.1:43117/callback")
        let prompt = try #require(world.browser.prompts.first)
        #expect(prompt.port == 43117 && prompt.url.withoutQuery == "\(World.pds)/oauth/authorize")
        #expect(
            world.caches.sessions == [
                "sessions/\(outcome.account.id.uuidString.lowercased()).json"
            ])
    }

    @Test("one key serves from the pushed request to the session", .covers("R29")) func key() async throws {
        let outcome = try await world.login("alice.example.com")
        let proofs = world.network.requests.compactMap(\.headerFields.dpopProof)
        #expect(proofs.count == 2)
        #expect(Set(proofs.map { $0.prefix { $0 != "." } }).count == 1)
        #expect(
            try world.accounts.session(outcome.account.id).credential.oauth?.key.thumbprint
                == outcome.session.credential.oauth?.key.thumbprint)
    }

    @Test(
        "the client id is portless first, and has the exact port where the server refuses that",
        .covers("R35", "L6", "L7", "12.3", "13.3"))
    func exactPort() async throws {
        // As Cirrus answers (transcript 101).
        let refusal: JSONValue = [
            "error": "invalid_request",
            "error_description": "redirect_uri is not registered for this client",
        ]
        world.network.answer(
            World.par, .json(refusal, status: 400),
            try Transcript.answer("102-par-exact-port-client-redirect"))
        let outcome = try await world.login("alice.example.com")
        let forms = world.network.requests(to: World.par).compactMap(\.form)
        #expect(
            forms.compactMap { $0.single("client_id") } == [
                "http://localhost?redirect_uri=http%3A%2F%2F127.0.0.1%2Fcallback"
                    + "&scope=atproto%20transition%3Ageneric",
                "http://localhost?redirect_uri=http%3A%2F%2F127.0.0.1%3A43117%2Fcallback"
                    + "&scope=atproto%20transition%3Ageneric",
            ])
        #expect(Set(forms.compactMap { $0.single("code_challenge") }).count == 2)
        #expect(outcome.session.credential.oauth?.client.id.description == forms.last?.single("client_id"))
        let exchange = try #require(world.network.requests(to: World.token).first?.form)
        #expect(exchange.single("client_id") == forms.last?.single("client_id"))
    }

    @Test("the code is traded in with what was pushed", .covers("R35", "R41", "G9")) func exchange()
        async throws
    {
        try await world.login("alice.example.com")
        let pushed = try #require(world.network.requests(to: World.par).first?.form)
        let traded = try #require(world.network.requests(to: World.token).first?.form)
        #expect(traded.single("code") == "the-code")
        #expect(traded.single("client_id") == pushed.single("client_id"))
        #expect(traded.single("redirect_uri") == pushed.single("redirect_uri"))
        let verifier = try #require(traded.single("code_verifier"))
        #expect(pushed.single("code_challenge") == Base64URL.encode(SHA256.hash(verifier.utf8)))
        #expect(pushed.single("code_challenge_method") == "S256")
    }

    @Test(
        "asks for all scopes that are wanted, in the client's name too, whatever the server lists",
        .covers("R27", "L2", "L3", "L8", "S5", "S7"))
    func scopes() async throws {
        let scope = "atproto repo:app.bsky.feed.post rpc:*?aud=did:web:api.bsky.app%23svc"
        let id = try await world.login("alice.example.com", scope: scope).account.id
        let pushed = try #require(world.network.requests(to: World.par).first?.form)
        #expect(pushed.single("scope") == scope)
        // A refresh changes what is granted, and not what was asked for.
        #expect(try world.accounts.session(id).requestedScope == scope)
        world.network.answer(World.token, World.tokens("later", scope: "atproto repo:app.bsky.feed.post"))
        #expect(try await world.refresh(id, forced: true).1.requestedScope == scope)
        let stored = try world.accounts.session(id)
        #expect(stored.requestedScope == scope && stored.scope == Scope("atproto repo:app.bsky.feed.post"))
        world.network.answer(World.token, World.tokens("again"))
        try await world.login("alice.example.com")
        #expect(try world.accounts.session(id).requestedScope == LoginRequest.defaultScope)
        let name = try #require(pushed.single("client_id")).split(separator: "?")
        #expect(name.first == "http://localhost" && name.count == 2)
        let parameters = try #require(FormParameters(parsing: String(name[1])))
        #expect(parameters.all.map(\.name) == ["redirect_uri", "scope"])
        #expect(parameters.single("scope") == scope)
    }

    @Test("a hosted client goes by its URL and is tried under no other name", .covers("L9", "L11"))
    func hosted() async throws {
        let client = ClientID("https://app.example.com/client.json")
        let outcome = try await world.login("alice.example.com", client: client)
        #expect(outcome.session.credential.oauth?.client.id == client)
        world.network.answer(World.par, .json(["error": "invalid_request"], status: 400))
        await #expect(throws: SessionFailure.self) {
            try await world.login("alice.example.com", client: client)
        }
        let names = world.network.requests.compactMap { $0.form?.single("client_id") }
        #expect(names == [client.description, client.description, client.description])
    }

    @Test("the account is looked up anew before its tokens are believed", .covers("R10", "R46", "D5"))
    func lookedUpAnew() async throws {
        try await world.login("alice.example.com")
        let asked = world.network.requests.map(\.url.withoutQuery)
        let exchange = try #require(asked.firstIndex(of: World.token))
        #expect(
            Array(asked[exchange...].filter { $0 != World.token && !$0.hasSuffix("atproto-did") })
                == [World.plc, World.resourceMetadata, World.serverMetadata])
    }

    @Test("the DID of a handle is not asked for again, but for the proof") func remembered()
        async throws
    {
        try await world.login("alice.example.com")
        let first = world.network.requests.count
        try await world.login("alice.example.com")
        let asked = world.network.requests.dropFirst(first).map(\.url.withoutQuery)
        let exchange = try #require(asked.firstIndex(of: World.token))
        #expect(asked[..<exchange] == [World.plc, World.resourceMetadata, World.serverMetadata, World.par])
        #expect(asked[exchange...].contains(World.plc) && asked[exchange...].contains(Self.wellKnown))
    }

    @Test("the remembered server of an account is not asked, because the account may have moved") func moved()
        async throws
    {
        try await world.login("alice.example.com")
        try world.remember(pds: "https://gone.example.com")
        #expect(try await world.login("alice.example.com").account.pds.description == World.pds)
        #expect(
            world.network.requests(to: "https://gone.example.com/.well-known/oauth-protected-resource")
                .isEmpty)
    }

    private static let wellKnown = "https://alice.example.com/.well-known/atproto-did"

    @Test("the life of a token counts from before it was asked for", .covers("R43", "H1")) func life()
        async throws
    {
        world.network.answer(World.token, World.tokens("new"))
        world.network.observe(World.token) { [world] in world.clock.advance(20) }
        let outcome = try await world.login("alice.example.com")
        #expect(outcome.session.accessExpiresAt == World.start.addingTimeInterval(3600))
    }

    @Test("another refusal is not tried again") func refusedScope() async throws {
        world.network.answer(World.par, .json(["error": "invalid_scope"], status: 400))
        await #expect(throws: SessionFailure.self) { try await world.login("alice.example.com") }
        #expect(world.network.requests(to: World.par).count == 1)
        #expect(!world.receiver.isOpen && world.browser.prompts.isEmpty)
    }

    @Test("from a DID, with the handle as the hint", .covers("R1")) func did() async throws {
        let outcome = try await world.login(World.did)
        #expect(outcome.account.handle?.description == "alice.example.com")
        let pushed = try #require(world.network.requests(to: World.par).first?.form)
        #expect(pushed.single("login_hint") == "alice.example.com")
    }

    @Test("from a DID whose handle leads elsewhere, without a handle and as the DID", .covers("R9", "R34"))
    func unverified()
        async throws
    {
        world.network.answer(
            "https://alice.example.com/.well-known/atproto-did", .text("did:plc:ewvi7nxzyoun6zhxrhs64oiz"))
        let outcome = try await world.login(World.did)
        #expect(outcome.account.handle == nil)
        let pushed = try #require(world.network.requests(to: World.par).first?.form)
        #expect(pushed.single("login_hint") == World.did)
    }

    @Test("from the URL of a PDS, with whoever signs in", .covers("R1", "R34", "R83")) func server()
        async throws
    {
        let outcome = try await world.login(World.pds)
        #expect(outcome.account.did.description == World.did)
        let pushed = try #require(world.network.requests(to: World.par).first?.form)
        #expect(pushed.single("login_hint") == nil)
    }

    @Test("from the URL of an entryway that is no PDS", .covers("R1", "R84")) func entryway() async throws {
        let entry = "https://entryway.example.com"
        world.network.answer("\(entry)/.well-known/oauth-protected-resource", .text("", status: 404))
        let resource: JSONValue = ["resource": .string(World.pds), "authorization_servers": [.string(entry)]]
        world.network.answer(World.resourceMetadata, .json(resource))
        try world.move(issuerTo: entry)
        let outcome = try await world.login(entry)
        #expect(outcome.session.credential.oauth?.issuer.description == entry)
        #expect(outcome.account.pds.description == World.pds)
    }

    @Test("a PDS that names no authorization server is not asked to be one", .covers("R18", "D6"))
    func noFallback() async throws {
        world.network.answer(World.resourceMetadata, .text("", status: 404))
        await #expect(throws: DiscoveryError.self) { try await world.login("alice.example.com") }
        #expect(world.network.requests(to: World.serverMetadata).isEmpty)
    }

    @Test(
        "the same slot keeps its UUID, and the old session is ended once the new one is saved",
        .covers("R47", "R48"))
    func sameSlot() async throws {
        let first = try await world.login("alice.example.com", label: "work")
        world.network.answer(World.token, World.tokens("new"))
        let storedAtRevocation = Flag()
        world.network.observe(World.revoke) { [world] in
            let stored = try? world.accounts.session(first.account.id)
            if stored?.name == "new" { storedAtRevocation.set() }
        }
        let second = try await world.login(
            "alice.example.com", label: "work", scope: "atproto transition:generic transition:email")
        #expect(second.account.id == first.account.id && second.replacedSession)
        #expect(try world.accounts.session(first.account.id).name == "new")
        #expect(storedAtRevocation.isSet)
        #expect(world.network.requests(to: World.revoke).count == 1)
        #expect(second.missingScopes == [MissingScope(value: "transition:email", parts: [])])
    }

    @Test("the account is active before a server is asked to forget what the login replaced")
    func activeFirst() async throws {
        try await world.login("alice.example.com")
        let second = try await world.login("alice.example.com", label: "ci")
        let wasActive = Flag()
        world.network.observe(World.revoke) { [world] in
            if (try? world.accounts.active().current) == second.account.id { wasActive.set() }
        }
        #expect(try await world.login("alice.example.com", label: "ci", makesActive: true).isActive)
        #expect(wasActive.isSet)
    }

    @Test("another label is another account, and the first one stays active") func otherLabel() async throws {
        let first = try await world.login("alice.example.com")
        let second = try await world.login("alice.example.com", label: "ci")
        #expect(second.account.id != first.account.id && !second.isActive && !second.replacedSession)
        #expect(try await world.login("alice.example.com", label: "x", makesActive: true).isActive)
        #expect(world.network.requests(to: World.revoke).isEmpty)
    }

    @Test("the UUID is random: the same account has another one in another vault", .covers("G1"))
    func randomUUID()
        async throws
    {
        let other = try World()
        other.network.answer(World.token, try Transcript.answer("301-token-ok"))
        other.approve()
        let first = try await world.login("alice.example.com")
        let second = try await other.login("alice.example.com")
        #expect(first.account.did == second.account.did && first.account.id != second.account.id)
    }

    @Test("nobody coming back ends with the time", .covers("R32", "13.8")) func timeout() async throws {
        world.browser.does { _, _ in }
        let error = await #expect(throws: CoreError.self) { try await world.login("alice.example.com") }
        guard case .loginTimedOut? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(world.clock.wishes == [World.start.addingTimeInterval(600)])
        #expect(!world.receiver.isOpen)
        #expect(try await world.accounts.entries().isEmpty && world.caches.sessions.isEmpty)
    }

    @Test("being cancelled ends the wait, and nothing is saved", .covers("G4")) func cancelled() async throws
    {
        world.browser.does { _, _ in }
        world.clock.hold()
        let task = Task { [world] in try await world.login("alice.example.com") }
        await world.clock.asleep.wait()
        task.cancel()
        let error = await #expect(throws: SessionFailure.self) { try await task.value }
        guard case .cancelled? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(!world.receiver.isOpen)
    }
}

extension World {
    /// The browser comes back at once with a code.
    func approve(issuer: String = World.pds) {
        browser.does { [unowned self] _, _ in
            _ = await receiver.visit(callback(issuer: issuer))
        }
    }

    /// The query of the redirect that answers the last pushed request.
    func callback(issuer: String = World.pds) -> String {
        let state = network.requests.last { $0.form?.single("state") != nil }?.form?.single("state") ?? ""
        let parameters: FormParameters = ["code": "the-code", "state": state, "iss": issuer]
        return parameters.encoded
    }

    @discardableResult
    func login(
        _ identifier: String, label: String? = nil, scope: String = LoginRequest.defaultScope,
        client: ClientID? = nil, makesActive: Bool = false
    ) async throws -> LoginOutcome {
        let request = LoginRequest(
            identifier: try LoginIdentifier(parsing: identifier), label: label,
            scope: Scope(scope), client: client.map { .native($0) } ?? .loopback, ports: nil,
            timeout: .seconds(600),
            makesActive: makesActive)
        return try await LoginFlow(environment, interaction).run(request)
    }

    /// Another host becomes the authorization server, with the endpoints where they were.
    func move(issuerTo issuer: String) throws {
        guard
            case .response(_, let fields, let bytes) = try Transcript.answer(
                "002-authorization-server-metadata")
        else { return }
        let text = String(decoding: bytes, as: UTF8.self)
            .replacing("\"issuer\":\"\(Self.pds)\"", with: "\"issuer\":\"\(issuer)\"")
        network.answer(
            "\(issuer)/.well-known/oauth-authorization-server", .response(200, fields, Array(text.utf8)))
        approve(issuer: issuer)
    }
}
