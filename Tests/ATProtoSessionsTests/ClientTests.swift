import ATPCryptography
import ATPJSON
import ATPNetworking
import ATProtoIdentity
import ATProtoOAuth
import ATProtoVault
import BskyAuthTestSupport
import Foundation
import OAuthDPoP
import Synchronization
import Testing

@testable import ATProtoSessions

/// A client without an account, and a server that gives tokens.
private struct LoginWorld {
    static let par = "\(Sessions.pds)/oauth/par"
    let world: ClientWorld

    init() async throws {
        world = try await ClientWorld()
        try await world.store.remove(world.account.id)
        world.transport.answer(
            Self.par,
            .json(["request_uri": "urn:ietf:params:oauth:request_uri:r", "expires_in": 300], status: 201))
    }

    var identities: NetworkIdentities {
        NetworkIdentities(transport: world.transport, textRecords: nil)
    }

    func begin(label: String? = nil) async throws(ATProtoFailure) -> PendingLogin {
        try await world.client.begin(Sessions.did, label: label)
    }

    /// The redirect that the server sends.
    func redirect(_ pending: PendingLogin, issuer: String = Sessions.pds) -> String {
        "http://127.0.0.1/callback?code=c&state=\(pending.authorization.state.value)&iss=\(issuer)"
    }

    func complete(_ pending: PendingLogin) async throws(ATProtoFailure) -> Account {
        try await world.client.complete(pending, redirect: redirect(pending))
    }

    /// What is sent to an endpoint, as `name=value` pairs.
    func sent(to url: String) -> [String] {
        world.transport.requests(to: url).map { request in
            guard case .bytes(let bytes) = request.body else { return "" }
            return String(decoding: bytes, as: UTF8.self)
        }
    }
}

private struct Browser: UserAgent {
    let answer: @Sendable (HTTPURL, String) async throws -> String
    func authorize(_ page: HTTPURL, redirectURI: String) async throws -> String {
        try await answer(page, redirectURI)
    }
}

/// A store that keeps each login, because another process has the account.
private struct KeepingStore: SessionStore {
    let store = StoredSessions(MemoryStorage())

    func saveLogin(
        _ account: Account, _ session: Session, replacing: Bool
    ) async throws(StoreError) -> SavedLogin? { throw StoreError(.kept) }

    func accounts() async throws(StoreError) -> [Account] { try await store.accounts() }
    func account(_ id: UUID) async throws(StoreError) -> Account { try await store.account(id) }
    func save(_ account: Account, _ session: Session) async throws(StoreError) {
        try await store.save(account, session)
    }
    func update(_ account: Account) async throws(StoreError) { try await store.update(account) }
    func remove(_ id: UUID) async throws(StoreError) { try await store.remove(id) }
    func session(_ id: UUID) async throws(StoreError) -> Session { try await store.session(id) }
    func rotate(
        _ id: UUID, holding: String, waiting limit: Duration,
        _ spend: @Sendable (consuming RotationPermit) async -> RotationResult
    ) async throws(StoreError) -> Session {
        try await store.rotate(id, holding: holding, waiting: limit, spend)
    }
}

@Suite("A client logs in") struct ClientLoginTests {
    @Test("and saves the account, which another client finds in the same storage") func saved() async throws {
        let login = try await LoginWorld()
        let events = login.world.client.events
        let pending = try await login.begin(label: "work")
        #expect(pending.url.description.hasPrefix("\(Sessions.pds)/oauth/authorize?client_id="))
        let account = try await login.complete(pending)
        #expect(account.did.description == Sessions.did && account.label == "work")
        #expect(try await StoredSessions(login.world.storage).accounts() == [account])
        let stored = try await StoredSessions(login.world.storage).session(account.id)
        #expect(stored.refreshToken == RefreshToken("second-refresh"))
        #expect(stored.credential.oauth?.key.thumbprint == pending.authorization.signer.thumbprint)
        var told = events.makeAsyncIterator()
        #expect(await told.next() == SessionEvent(kind: .loggedIn, account: account))
    }

    @Test("in another process, from the archive of the login") func archived() async throws {
        let login = try await LoginWorld()
        let pending = try PendingLogin(archive: try await login.begin(label: "work").archive)
        #expect(try await login.complete(pending).label == "work")
        #expect(
            await code { () throws(ATProtoFailure) in _ = try PendingLogin(archive: "{}") }
                == .unreadableArchive)
    }

    @Test("with a user agent") func userAgent() async throws {
        let login = try await LoginWorld()
        let browser = Browser { page, redirectURI in
            #expect(page.query?.contains("request_uri=") == true)
            let state = try #require(
                login.sent(to: LoginWorld.par).last?.split(separator: "&").first { $0.hasPrefix("state=") })
            return "\(redirectURI)?code=c&iss=\(Sessions.pds)&\(state)"
        }
        let account = try await login.world.client.login(Sessions.did, with: browser)
        #expect(try await login.world.client.accounts == [account])

        let closed = Browser { _, _ in throw CancellationError() }
        let failure = await code { () throws(ATProtoFailure) in
            _ = try await login.world.client.login(Sessions.did, label: "other", with: closed)
        }
        #expect(failure == .cancelled)
        #expect(try await login.world.client.accounts.count == 1)
    }

    @Test("and a redirect of anybody else asks no server and spends nothing") func foreign() async throws {
        let login = try await LoginWorld()
        let pending = try await login.begin()
        let before = login.world.transport.urls.count
        let others = [
            (
                "http://127.0.0.1/callback?code=c&state=other&iss=\(Sessions.pds)",
                ATProtoFailure.Code.foreignRedirect
            ),
            (login.redirect(pending).replacing("callback", with: "elsewhere"), .foreignRedirect),
            (login.redirect(pending, issuer: "https://other.example.com"), .invalidRedirect),
            (login.redirect(pending).replacing("&iss=\(Sessions.pds)", with: ""), .invalidRedirect),
            (login.redirect(pending).replacing("code=c", with: "error=access_denied"), .denied),
        ]
        for (redirect, expected) in others {
            let failure = await code { () throws(ATProtoFailure) in
                _ = try await login.world.client.complete(pending, redirect: redirect)
            }
            #expect(failure == expected, "\(redirect)")
        }
        #expect(login.world.transport.urls.count == before)
        #expect(try await login.complete(pending).did.description == Sessions.did)
    }

    @Test("and tokens of another account are revoked, and nothing is saved") func otherAccount() async throws
    {
        let login = try await LoginWorld()
        let pending = try await login.begin()
        login.world.transport.answer(
            ClientWorld.token,
            .json([
                "access_token": "a", "refresh_token": "stray", "token_type": "DPoP",
                "sub": "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa", "scope": "atproto", "expires_in": 3600,
            ]))
        #expect(
            await code { () throws(ATProtoFailure) in _ = try await login.complete(pending) } == .verification
        )
        #expect(login.sent(to: ClientWorld.revocation).contains { $0.contains("token=stray") })
        #expect(try await login.world.client.accounts.isEmpty)
    }

    @Test("and tokens that can't be saved are revoked") func unsaved() async throws {
        struct Full: Error {}
        struct FullStorage: SecretStorage {
            func text(_ name: String) -> String? { nil }
            func write(_ text: String, as name: String) throws { throw Full() }
            func remove(_ name: String) {}
            func names() -> [String] { [] }
        }
        let login = try await LoginWorld()
        let client = ATProtoClient(
            as: .loopback(redirectURI: "http://127.0.0.1/callback", scope: "atproto"),
            store: StoredSessions(FullStorage()), transport: login.world.transport,
            identities: login.identities)
        let pending = try await client.begin(Sessions.did)
        var failure: ATProtoFailure?
        do { _ = try await client.complete(pending, redirect: login.redirect(pending)) } catch {
            failure = error
        }
        #expect(failure?.code == .store && (failure?.cause as? StoreError)?.cause is Full)
        #expect(login.sent(to: ClientWorld.revocation).contains { $0.contains("token=second-refresh") })
    }

    @Test("and tokens that the store has kept are not revoked") func kept() async throws {
        let login = try await LoginWorld()
        let client = ATProtoClient(
            as: .loopback(redirectURI: "http://127.0.0.1/callback", scope: "atproto"), store: KeepingStore(),
            transport: login.world.transport, identities: login.identities)
        let pending = try await client.begin(Sessions.did)
        var failure: ATProtoFailure?
        do { _ = try await client.complete(pending, redirect: login.redirect(pending)) } catch {
            failure = error
        }
        #expect(failure?.code == .store && failure?.mayPass == true)
        #expect(login.sent(to: ClientWorld.revocation).isEmpty)
    }

    @Test("once more, which keeps the UUID and ends the earlier session") func again() async throws {
        let login = try await LoginWorld()
        let first = try await login.complete(try await login.begin())
        login.world.transport.answer(
            ClientWorld.token,
            .json([
                "access_token": "third-access", "refresh_token": "third-refresh", "token_type": "DPoP",
                "sub": .string(Sessions.did), "scope": "atproto", "expires_in": 3600,
            ]))
        let second = try await login.complete(try await login.begin())
        #expect(second.id == first.id)
        #expect(try await login.world.client.accounts.count == 1)
        #expect(login.sent(to: ClientWorld.revocation).count { $0.contains("token=second-refresh") } == 1)
        let stored = try await login.world.store.session(second.id)
        #expect(stored.refreshToken == RefreshToken("third-refresh"))
    }

    @Test("twice at once, and has one account") func twice() async throws {
        let login = try await LoginWorld()
        let (one, two) = (try await login.begin(), try await login.begin())
        async let first = login.complete(one)
        async let second = login.complete(two)
        #expect(try await first.id == second.id)
        #expect(try await login.world.client.accounts.count == 1)
    }

    @Test("only with what names an account or a server") func identifier() async throws {
        let login = try await LoginWorld()
        let failure = await code { () throws(ATProtoFailure) in
            _ = try await login.world.client.begin("no handle")
        }
        #expect(failure == .invalidArgument && login.world.transport.urls.isEmpty)
    }
}

@Suite("A client's accounts") struct ClientAccountTests {
    @Test("are logged out at the server, and then removed with their texts") func logout() async throws {
        let world = try await ClientWorld()
        #expect(try await world.client.logOut(world.account.id))
        #expect(world.transport.requests(to: ClientWorld.revocation).count == 1)
        #expect(world.storage.names().isEmpty)
        #expect(await code { () throws(ATProtoFailure) in _ = try await world.call() } == .unknownAccount)
    }

    @Test("are removed even if the server can't be told, unless that is asked for") func unreachable()
        async throws
    {
        let world = try await ClientWorld()
        world.transport.answer(ClientWorld.revocation, .failure(.notConnected))
        let failure = await code { () throws(ATProtoFailure) in
            try await world.client.logOut(world.account.id, isStrict: true)
        }
        #expect(failure == .network)
        #expect(try await world.client.accounts == [world.account])
        #expect(try await world.client.logOut(world.account.id) == false)
        #expect(try await world.client.accounts.isEmpty)
    }

    @Test("are not logged out at the server if their vault can't remove them") func vaultThatRefuses()
        async throws
    {
        let world = try await ClientWorld()
        let directory = try TemporaryDirectory()
        let vault = try TestVault(in: directory)
        try await vault.store.save(world.account, try Sessions.session("first"))
        let client = ClientWorld.client(of: vault.store, world.transport)
        try vault.breakRemovals()
        let failure = await code { () throws(ATProtoFailure) in try await client.logOut(world.account.id) }
        #expect(failure == .store)
        #expect(world.transport.requests(to: ClientWorld.revocation).isEmpty)
        #expect(try await vault.store.session(world.account.id).state == .ok)
        try vault.mendRemovals()
        #expect(try await client.logOut(world.account.id))
        #expect(try await client.accounts.isEmpty)
    }

    @Test("that stay after their session has ended have no token, and both are said") func storeThatRefuses()
        async throws
    {
        let world = try await ClientWorld()
        let stubborn = StubbornStorage()
        let store = StoredSessions(stubborn)
        try await store.save(world.account, try Sessions.session("first"))
        let client = ClientWorld.client(of: store, world.transport)
        let error = await #expect(throws: ATProtoFailure.self) { try await client.logOut(world.account.id) }
        #expect(error?.code == .store && error?.description.contains("ended at its server") == true)
        let left = try await store.session(world.account.id)
        #expect(left.state == .expired && !left.hasTokens)
        #expect(world.transport.requests(to: ClientWorld.revocation).count == 1)
        stubborn.isWilling.withLock { $0 = true }
        #expect(try await client.logOut(world.account.id))
        #expect(try await store.accounts().isEmpty)
        // There was nothing left to end.
        #expect(world.transport.requests(to: ClientWorld.revocation).count == 1)
    }

    /// Refuses to remove anything until it is willing.
    private final class StubbornStorage: SecretStorage {
        struct Refusal: Error {}

        let isWilling = Mutex(false)
        private let storage = MemoryStorage()

        func text(_ name: String) -> String? { storage.text(name) }
        func write(_ text: String, as name: String) { storage.write(text, as: name) }
        func names() -> [String] { storage.names() }
        func remove(_ name: String) throws {
            guard isWilling.withLock(\.self) || storage.text(name) == nil else { throw Refusal() }
            storage.remove(name)
        }
    }

    @Test("are refreshed when that is asked for, and events tell it after it is saved") func refresh()
        async throws
    {
        let world = try await ClientWorld()
        let events = world.client.events
        try await world.client.refresh(world.account.id)
        #expect(world.grants == 1)
        var told = events.makeAsyncIterator()
        #expect(await told.next() == SessionEvent(kind: .refreshed, account: world.account))
        #expect(
            try await world.store.session(world.account.id).refreshToken == RefreshToken("second-refresh"))
    }

    @Test("move to another store by an archive, but not into one that has them") func moved() async throws {
        let world = try await ClientWorld()
        let text = try await world.client.archive(of: world.account.id).text
        #expect(
            await code { () throws(ATProtoFailure) in
                _ = try await world.client.restore(try SessionArchive(text: text))
            } == .invalidArgument)
        try await world.store.remove(world.account.id)
        #expect(try await world.client.restore(try SessionArchive(text: text)) == world.account)
        #expect(try await world.call().did == Sessions.did)
    }

    @Test("of an archive have a key whose halves belong together, and the one that the token names")
    func keys() throws {
        let (session, other) = (try Sessions.session("first"), try DPoPKey())
        func text(_ session: Session) throws -> String {
            SessionArchive(try Sessions.account(), session).text
        }
        func refusal(_ text: String) -> ATProtoFailure.Code? {
            do throws(ATProtoFailure) { _ = try SessionArchive(text: text) } catch { return error.code }
            return nil
        }
        #expect(refusal(try text(session)) == nil)
        let claims = Base64URL.encode(Array(#"{"cnf":{"jkt":"\#(other.thumbprint)"}}"#.utf8))
        let bound = Session(
            credential: session.credential, createdAt: session.createdAt,
            accessToken: AccessToken("e30.\(claims).AA"), refreshToken: session.refreshToken,
            accessExpiresAt: session.accessExpiresAt, obtainedAt: session.obtainedAt, scope: session.scope)
        #expect(refusal(try text(bound)) == .unreadableArchive)
        let x = try #require((session.credential.oauth?.key as? DPoPKey)?.publicKey.x)
        let mixed = try text(session).replacing(
            Base64URL.encode(x), with: Base64URL.encode(other.publicKey.x))
        #expect(refusal(mixed) == .unreadableArchive)
        #expect(refusal("{}") == .unreadableArchive)
    }

    @Test("may have a key that is kept elsewhere, which the archive only names") func otherSigner()
        async throws
    {
        struct Chip: ProofSigner {
            let key: DPoPKey
            var publicKey: PublicJWK { key.publicKey }
            func sign(_ message: [UInt8]) async throws -> [UInt8] { try await key.sign(message) }
        }
        let chip = Chip(key: try DPoPKey())
        let session = try Sessions.session("first")
        let credential = try #require(session.credential.oauth)
        let held = Session(
            credential: .oauth(
                OAuthCredential(issuer: credential.issuer, client: credential.client, key: chip)),
            createdAt: session.createdAt, accessToken: session.accessToken,
            refreshToken: session.refreshToken,
            accessExpiresAt: session.accessExpiresAt, obtainedAt: session.obtainedAt, scope: session.scope)
        #expect(!held.archive.contains(chip.key.privateKeyText().split(separator: "\"d\":\"").last ?? ""))
        #expect(Session(archive: held.archive) == nil)
        let other = try DPoPKey()
        #expect(Session(archive: held.archive) { _ in other } == nil)
        let read = Session(archive: held.archive) { $0 == chip.thumbprint ? chip : nil }
        #expect(read?.credential.oauth?.key.thumbprint == chip.thumbprint)
    }

    @Test("of another network are not used") func otherNetwork() async throws {
        let world = try await ClientWorld()
        let dev = ATProtoClient(
            as: .loopback(redirectURI: "http://127.0.0.1/callback"), store: world.store,
            transport: world.transport,
            identities: NetworkIdentities(transport: world.transport, textRecords: nil),
            policy: NetworkPolicy(devNetwork: try HTTPURL(validating: "http://127.0.0.1:1").origin))
        let failure = await code { () throws(ATProtoFailure) in
            let _: ClientWorld.Answer = try await dev.agent(for: world.account.id).query("com.example.get")
        }
        #expect(failure == .unknownAccount && world.transport.urls.isEmpty)
    }

    @Test(
        "says its codes in one word, for logs",
        arguments: [
            ("\(ATProtoFailure.Code.sessionEnded)", "sessionEnded"),
            ("\(StoreError.Code.notKept)", "not_kept"),
            ("\(OAuthFailure.Code.metadata)", "metadata"), ("\(TransportError.Code.timedOut)", "timedOut"),
            ("\(SessionEvent.Kind.refreshed)", "refreshed"),
        ])
    func codes(text: String, word: String) { #expect(text == word) }
}
