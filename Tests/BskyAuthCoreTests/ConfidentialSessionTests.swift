import ATPJSON
import ATPNetworking
import ATProtoIdentity
import ATProtoOAuth
import ATProtoSessions
import ATProtoVault
import BskyAuthTestSupport
import Foundation
import OAuthDPoP
import Testing

@testable import BskyAuthCore

/// Sessions of a client of the user's own, which is bound to a key in the vault.
@Suite("Confidential sessions") struct ConfidentialSessionTests {
    private let world: World
    private let key: ClientKey
    private let client: HostedClient

    init() async throws {
        world = try World()
        key = try ClientKey()
        client = HostedClient(
            name: "bot", kind: .web, base: "https://bot.example.com/at/", displayName: "Bot",
            scope: Scope("atproto"), isPublished: true,
            keys: [
                HostedClient.Key(label: "desk", publicKey: key.publicKey, secret: key, addedAt: World.start)
            ])
        try await world.environment.clients.add(client)
    }

    private func session(life: Double = 0, keyID: String? = nil) throws -> Session {
        let client = Client(
            client.clientID, authentication: .privateKeyJWT(keyID: keyID ?? key.keyID))
        return try World.session(life: life, client: client)
    }

    private func refusal(_ code: String, _ words: String? = nil) -> ScriptedTransport.Answer {
        .json(["error": .string(code), "error_description": JSONValue(words)], status: 400)
    }

    // MARK: The store

    @Test("a client comes back from the vault as it was, with its private key") func roundTrip() throws {
        let found = try world.environment.clients.find("bot")
        #expect(found.id == client.id && found.base == client.base && found.scope == client.scope)
        #expect(found.keys.map(\.label) == ["desk"] && found.keys[0].secret?.keyID == key.keyID)
        #expect(try world.environment.clients.find("https://bot.example.com/at").id == client.id)
        #expect(try world.environment.clients.find(client.clientID.description).id == client.id)
    }

    @Test("neither a name nor a URL is taken twice") func twice() async throws {
        for (name, base) in [("bot", "https://other.example.com/"), ("other", client.base)] {
            let other = HostedClient(
                name: name, kind: .web, base: base, displayName: "", scope: Scope("atproto"),
                isPublished: true)
            await #expect(throws: CoreError.self) { try await world.environment.clients.add(other) }
        }
        #expect(try world.environment.clients.all().count == 1)
    }

    // MARK: Login

    @Test(
        "a login pushes the page as redirect URI, with the port in its state where a browser is here",
        arguments: [true, false])
    func login(here: Bool) async throws {
        world.approve()
        let request = LoginRequest(
            identifier: try LoginIdentifier(parsing: "alice.example.com"), label: nil,
            scope: Scope("atproto"), client: .web(client, key: key), browserIsHere: here, ports: nil,
            timeout: .seconds(600), makesActive: false)
        let outcome = try await LoginFlow(world.environment, world.interaction).run(request)
        let pushed = try #require(world.network.requests(to: World.par).first?.form)
        #expect(pushed.single("redirect_uri") == "https://bot.example.com/at/callback.html")
        #expect(pushed.single("client_assertion") != nil)
        #expect(pushed.single("response_mode") == "fragment")
        let parts = try #require(pushed.single("state")).split(separator: ".")
        #expect(parts.count == (here ? 2 : 1) && (parts.last?.count ?? 0) >= 22)
        if here { #expect(parts.first == "\(ScriptedReceiver.port)") }
        let used = outcome.session.credential.oauth?.client
        #expect(used?.id == client.clientID && used?.authentication == .privateKeyJWT(keyID: key.keyID))
        let noted = try world.environment.clients.find("bot").keys[0].lastLogin
        #expect(noted == World.start)
    }

    // MARK: Refresh

    @Test("without the key of the session, nothing is sent") func missingKey() async throws {
        let another = try ClientKey()
        let id = try await world.add(session(keyID: another.keyID))
        let error = await #expect(throws: SessionFailure.self) { try await world.refresh(id) }
        guard case .clientKeyMissing(client.clientID, another.keyID) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(world.network.requests.isEmpty)
        #expect(try world.accounts.session(id).state == .ok)
    }

    @Test(
        "an answer about the client says nothing about the session, and is asked for again after a minute",
        arguments: ["invalid_client", "invalid_client_metadata", "unauthorized_client"])
    func refused(code: String) async throws {
        world.network.answer(World.token, refusal(code))
        let id = try await world.add(session())
        let error = await #expect(throws: SessionFailure.self) { try await world.refresh(id) }
        guard case .refreshFailed(_, let retryAt) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(retryAt == World.start.addingTimeInterval(60))
        #expect(try world.accounts.session(id).state == .ok)
        // Within the minute nothing is sent.
        await #expect(throws: SessionFailure.self) { try await world.refresh(id) }
        #expect(world.network.requests(to: World.token).count == 1)
        world.clock.advance(61)
        world.network.answer(World.token, World.tokens("second"))
        #expect(try await world.refresh(id).0 == .refreshed)
        #expect(world.spent == ["first-refresh", "first-refresh"])
    }

    @Test("a session that ends after such an answer is told as ended, and not as lost") func ended()
        async throws
    {
        world.network.answer(World.token, refusal("invalid_client"))
        let id = try await world.add(session())
        await #expect(throws: SessionFailure.self) { try await world.refresh(id) }
        world.clock.advance(61)
        world.network.answer(World.token, refusal("invalid_grant", "Session expired"))
        #expect(try await ending { try await world.refresh(id) } == .expired(said: "Session expired"))
    }

    // MARK: Logout

    private func logout(_ id: UUID) async throws -> LogoutFlow.Revocation {
        try await LogoutFlow(world.environment).logout(id, isStrict: false, lockTimeout: .zero)
    }

    @Test("a logout is confirmed by a refresh that the server refuses") func confirmed() async throws {
        world.network.answer(World.token, refusal("invalid_grant", "Invalid refresh token"))
        let id = try await world.add(session())
        #expect(try await logout(id) == .confirmed)
        #expect(try await world.accounts.entries().isEmpty)
    }

    @Test("a logout keeps the account if the server refuses the client") func unproven() async throws {
        world.network.answer(World.token, refusal("invalid_client"))
        let id = try await world.add(session())
        let error = await #expect(throws: SessionFailure.self) { try await logout(id) }
        guard case .logoutRefused = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try world.accounts.session(id).state == .ok)
    }

    @Test("a logout that ended nothing keeps the new tokens and ends the session once more")
    func again() async throws {
        world.network.answer(
            World.token, World.tokens("second"), refusal("invalid_grant", "Invalid refresh token"))
        let id = try await world.add(session())
        #expect(try await logout(id) == .confirmed)
        let revoked = world.network.requests(to: World.revoke).map { $0.form?.single("token") }
        #expect(revoked == ["first-refresh", "second-refresh"])
    }

    @Test("a logout that never works keeps the account with its last tokens") func never() async throws {
        world.network.answer(World.token, World.tokens("second"), World.tokens("third"))
        let id = try await world.add(session())
        await #expect(throws: SessionFailure.self) { try await logout(id) }
        #expect(try world.accounts.session(id).name == "third")
    }

    @Test("a logout without the key of the session is refused, and nothing is sent") func noKey() async throws
    {
        let id = try await world.add(session(keyID: try ClientKey().keyID))
        await #expect(throws: SessionFailure.self) { try await logout(id) }
        #expect(world.network.requests.isEmpty)
        #expect(try world.accounts.session(id).state == .ok)
    }

    // MARK: Bundles

    private func export(_ id: UUID, keepsAccount: Bool = false, sharesKey: Bool = false) async throws
        -> PortableAccount
    {
        let path = world.directory.appending(path: "bundle-\(UUID())").path
        let key = KeySource.keyFile(path: world.directory.path + "/key")
        _ = try await ExportFlow(world.environment.local).export(
            id, to: path, for: key, keepsAccount: keepsAccount, sharesKey: sharesKey, lockTimeout: .zero)
        return try SealedBundle(reading: Array(Data(contentsOf: URL(filePath: path)))).open(with: key)
    }

    @Test("a session takes its key along, and the key is no longer here") func moved() async throws {
        let id = try await world.add(session())
        let bundle = try await export(id)
        let left = try world.environment.clients.find("bot").keys[0]
        #expect(left.secret == nil && left.exportedAt != nil)
        let elsewhere = try World()
        _ = try await ImportFlow(into: elsewhere.accounts, NetworkPolicy()).add(bundle)
        let arrived = try elsewhere.environment.clients.find("bot")
        #expect(arrived.keys.map(\.id) == [key.keyID] && !arrived.isPublished)
        elsewhere.network.answer(World.token, World.tokens("second"))
        #expect(try await elsewhere.refresh(id).0 == .refreshed)
        let sent = elsewhere.network.requests(to: World.token).first?.form
        #expect(sent?.single("client_assertion") != nil)
    }

    @Test("a copy leaves the key here") func copied() async throws {
        let id = try await world.add(session())
        _ = try await export(id, keepsAccount: true)
        #expect(try world.environment.clients.find("bot").keys[0].secret != nil)
    }

    @Test("a key that another account needs is not taken along unasked") func shared() async throws {
        let id = try await world.add(session())
        let other = try World.account(did: "did:plc:ewvi7nxzyoun6zhxrhs64oiz", handle: nil)
        #expect(try await world.accounts.addNew(other, session()) == nil)
        await #expect(throws: CoreError.self) { try await export(id) }
        #expect(try world.accounts.session(id).state == .ok)
        _ = try await export(id, sharesKey: true)
        #expect(try world.environment.clients.find("bot").keys[0].secret != nil)
    }

    @Test(
        "a bundle whose client has another key, or another half of it, is refused, and nothing is saved",
        arguments: [(true, true), (true, false), (false, true)])
    func foreignKey(hasOtherPublicKey: Bool, hasOtherSecret: Bool) async throws {
        let id = try await world.add(session())
        let bundle = try await export(id)
        let stolen = try ClientKey()
        let keys = [
            HostedClient.Key(
                label: "x", publicKey: hasOtherPublicKey ? stolen.publicKey : key.publicKey,
                secret: hasOtherSecret ? stolen : key, addedAt: World.start)
        ]
        let other = HostedClient(
            name: "bot", kind: .web, base: client.base, displayName: "", scope: Scope("atproto"),
            isPublished: false, keys: keys)
        let forged = PortableAccount(
            id: bundle.id, profile: bundle.profile,
            session: try CarriedClient.record(bundle.session, carrying: other), generation: 1)
        let elsewhere = try World()
        await #expect(throws: CoreError.self) {
            try await ImportFlow(into: elsewhere.accounts, NetworkPolicy()).add(forged)
        }
        #expect(try await elsewhere.accounts.entries().isEmpty)
        #expect(try elsewhere.environment.clients.all().isEmpty)
    }

    @Test("a mirror gets the key with every session") func mirror() async throws {
        let store = ScriptedStore()
        let sealing = KeySource.keyFile(path: world.directory.path + "/key")
        let id = try await world.add(session())
        world.network.answer(World.token, World.tokens("second"))
        let environment = world.environment(
            policy: NetworkPolicy(), mirror: SessionMirror(sealingFor: sealing, to: store))
        _ = try await RefreshFlow(environment.context).refresh(
            id, options: RefreshFlow.Options(isForced: true), lockTimeout: .zero)
        #expect(store.calls.count == 2)
        for bundle in store.calls.map(\.bundle) {
            let account = try bundle.open(with: sealing)
            #expect(ImportFlow.client(in: account)?.keys.map(\.id) == [key.keyID])
        }
    }

    @Test("a key that was removed is not published again, even if an import brings it back")
    func removedKey() async throws {
        let id = try await world.add(session())
        let bundle = try await export(id)
        try await world.environment.clients.change(client.id) { client in
            client.keys = []
            client.removedKeyIDs = [key.keyID]
        }
        _ = try await ImportFlow(into: world.accounts, NetworkPolicy()).add(bundle)
        let again = try world.environment.clients.find("bot")
        #expect(again.keys.map(\.id) == [key.keyID])
        #expect(again.metadata().json["jwks"]?["keys"]?.array?.isEmpty == true)
    }

    @Test("a login saves its key again if it went away meanwhile") func keyGone() async throws {
        let request = LoginRequest(
            identifier: try LoginIdentifier(parsing: "alice.example.com"), label: nil,
            scope: Scope("atproto"), client: .web(client, key: key), ports: nil, timeout: .seconds(600),
            makesActive: false)
        world.browser.does { [world, client] _, _ in
            try? await world.environment.clients.remove(client.id)
            _ = await world.receiver.visit(world.callback())
        }
        _ = try await LoginFlow(world.environment, world.interaction).run(request)
        #expect(try world.environment.clients.find("bot").keys.map(\.secret?.keyID) == [key.keyID])
    }

    @Test("a logout whose revocation is refused for the client keeps the account") func refusedRevocation()
        async throws
    {
        world.network.answer(World.revoke, refusal("invalid_client"))
        let id = try await world.add(session())
        await #expect(throws: SessionFailure.self) { try await logout(id) }
        #expect(try world.accounts.session(id).state == .ok)
    }

    @Test("tokens of another account that a logout gets are kept and never used") func foreignTokens()
        async throws
    {
        let foreign = World.tokens("bad", sub: "did:plc:ewvi7nxzyoun6zhxrhs64oiz")
        world.network.answer(World.token, foreign, foreign)
        let id = try await world.add(session())
        await #expect(throws: SessionFailure.self) { try await logout(id) }
        #expect(try world.accounts.session(id).state == .quarantined)
    }

    @Test("a private key that somebody published is found, and is not written again") func planted() throws {
        let planted = try JSONParser.parse(try ClientKey().privateKeyText())
        let document = PublishedDocument(json: client.metadata(keeping: [planted]).json)
        #expect(document.hasPrivateKey && document.keys(unknownTo: client).isEmpty)
        #expect(!PublishedDocument(json: client.metadata().json).hasPrivateKey)
    }

    // MARK: Ends

    @Test("the session ends after two years at the reference server, and after 90 days without a refresh")
    func ends() throws {
        let session = try session(life: 3600)
        #expect(session.lifeEndsAt == World.start.addingTimeInterval(730.5 * 86400))
        #expect(session.idleEndsAt == World.start.addingTimeInterval(90 * 86400))
        #expect(session.endsAt == session.idleEndsAt)
        let ofPublicClient = try World.session()
        #expect(ofPublicClient.endsAt == World.start.addingTimeInterval(14 * 86400))
        #expect(ofPublicClient.idleEndsAt == nil)
    }
}
