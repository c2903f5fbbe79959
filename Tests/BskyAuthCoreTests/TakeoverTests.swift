import ATPCryptography
import ATPJSON
import ATPNetworking
import ATProtoIdentity
import ATProtoSessions
import ATProtoVault
import BskyAuthCovers
import BskyAuthTestSupport
import Foundation
import OAuthDPoP
import Testing

@testable import BskyAuthCore

/// A session that a program saved with @atproto/oauth-client-node.
@Suite("Taking over a session of another program") struct TakeoverTests {
    private static let client = "https://app.example.com/client-metadata.json"
    private static let getSession = "\(World.pds)/xrpc/com.atproto.server.getSession"

    private let world: World
    private let key: DPoPKey

    init() throws {
        world = try World()
        key = try DPoPKey()
        world.network.answer(Self.getSession, .json(["did": .string(World.did)]))
    }

    /// What the library saves, with changes.
    private func saved(
        _ tokens: [String: JSONValue?] = [:], key jwk: JSONValue? = nil,
        method: JSONValue? = ["method": "none"]
    ) throws -> [UInt8] {
        var set: JSONObject = [
            "iss": .string(World.pds), "sub": .string(World.did), "aud": .string(World.pds),
            "scope": "atproto transition:generic", "access_token": "first-access",
            "refresh_token": "first-refresh", "token_type": "DPoP",
            "expires_at": "2026-11-21T12:00:00.000Z",
        ]
        for (name, value) in tokens { set[name] = value }
        var session: JSONObject = ["tokenSet": .object(set)]
        session["dpopJwk"] = try jwk ?? JSONParser.parse(Array(key.privateKeyText().utf8))
        session["authMethod"] = method
        return Array(JSONValue.object(session).text.utf8)
    }

    private func take(_ bytes: [UInt8], of client: String? = client, label: String? = nil) async throws -> (
        account: Account, session: Session, isActive: Bool, doubt: TakeoverFlow.Doubt?
    ) {
        do {
            let saved = try NodeSession(bytes)
            let client = try saved.client(named: client.map { ClientID($0) })
            return try await TakeoverFlow(world.environment).take(saved, of: client, label: label)
        } catch let problem as TakeoverProblem { throw CoreError.takeover(problem) }
    }

    /// The problem of a session, of which nothing was saved.
    private func problem(_ bytes: [UInt8], of client: String? = client) async throws -> String {
        do {
            _ = try await take(bytes, of: client)
            return "none"
        } catch {
            let isEmpty = try await world.accounts.entries().isEmpty
            #expect(isEmpty && world.spent.isEmpty)
            if case CoreError.takeover(let problem) = error { return "\(problem)" }
            return "\(error)"
        }
    }

    @Test("keeps its tokens, its key and its client, and spends nothing", .covers("A7", "B16", "B18"))
    func taken() async throws {
        let taken = try await take(try saved(), label: "moved")
        #expect(taken.doubt == .client && taken.isActive)
        let session = try world.accounts.session(taken.account.id)
        #expect(session.refreshToken == RefreshToken("first-refresh"))
        #expect(session.credential.oauth?.client == Client(ClientID(Self.client)))
        #expect(session.credential.oauth?.key.thumbprint == key.thumbprint)
        #expect(session.credential.oauth?.issuer.description == World.pds)
        #expect(session.scope == Scope("atproto transition:generic") && session.state == .ok)
        #expect(taken.account.label == "moved" && taken.account.handle?.description == "alice.example.com")
        #expect(world.spent.isEmpty)
        #expect(try await world.refresh(taken.account.id, forced: true).0 == .refreshed)
    }

    @Test("a flaw in the DID document of the server's answer says nothing about whose session it is")
    func flawedDocument() async throws {
        world.network.answer(
            Self.getSession, .text(#"{"did":"\#(World.did)","didDoc":{"alsoKnownAs":["at://\ud83d"]}}"#))
        #expect(try await take(try saved()).isActive)
    }

    @Test("one with an expired token is taken without a request that could not succeed") func expired()
        async throws
    {
        let bytes = try saved(["expires_at": "2026-01-01T00:00:00Z"])
        let taken = try await take(bytes)
        #expect(taken.doubt == .accessToken && !taken.isActive)
        #expect(!world.network.requests.contains { $0.url.description == Self.getSession })
    }

    @Test("one whose end is not known is asked about; a token that is refused may have expired") func noEnd()
        async throws
    {
        #expect(try await take(try saved(["expires_at": .some(nil)])).doubt == .client)
        let another = try World()
        another.network.answer(
            Self.getSession, try Transcript.answer("502-resource-old-access-token-after-refresh"))
        let saved = try NodeSession(try saved(["expires_at": .some(nil)]))
        let taken = try await TakeoverFlow(another.environment).take(
            saved, of: Client(ClientID(Self.client)), label: nil)
        #expect(taken.doubt == .accessToken && !taken.isActive)
    }

    @Test("the same session is not taken twice, under no label") func twice() async throws {
        _ = try await take(try saved())
        for label in [nil, "two"] {
            do {
                _ = try await take(try saved(["refresh_token": "second-refresh"]), label: label)
                Issue.record("taken twice")
            } catch CoreError.takeover(.alreadyHere) {}
        }
        #expect(try await world.accounts.entries().count == 1)
    }

    @Test("the client may be told by the access token") func told() async throws {
        let claims = Base64URL.encode(Array(#"{"client_id":"\#(Self.client)"}"#.utf8))
        let bytes = try saved(["access_token": .string("e30.\(claims).AA")])
        let taken = try await take(bytes, of: nil)
        #expect(taken.session.credential.oauth?.client.id.description == Self.client)
        #expect(taken.doubt == nil)
    }

    @Test("a client that only the user names, or whose kind the file does not say, is in doubt")
    func doubt() async throws {
        #expect(try await take(try saved()).doubt == .client)
        let another = try World()
        another.network.answer(Self.getSession, .json(["did": .string(World.did)]))
        let claims = Base64URL.encode(Array(#"{"client_id":"\#(Self.client)"}"#.utf8))
        let session = try NodeSession(
            try saved(["access_token": .string("e30.\(claims).AA")], method: nil))
        let taken = try await TakeoverFlow(another.environment).take(
            session, of: session.client(named: nil), label: nil)
        #expect(taken.doubt == .client)
    }

    @Test("a server that fails during the check refuses nothing", arguments: [429, 503]) func failing(
        status: Int
    ) async throws {
        world.network.answer(Self.getSession, .text("", status: status))
        #expect(try await problem(try saved()).hasPrefix("callRefused"))
    }

    @Test("a session that another command takes during the check is not taken twice") func overtaken()
        async throws
    {
        let gate = Gate()
        world.network.answer(Self.getSession, .held(gate, .json(["did": .string(World.did)])))
        let first = Task { try await take(try saved(), label: "one") }
        let second = Task { try await take(try saved(), label: "two") }
        while world.network.requests(to: Self.getSession).count < 2 { await Task.yield() }
        gate.open()
        let results = [await first.result, await second.result]
        #expect(results.count { (try? $0.get()) != nil } == 1)
        #expect(try await world.accounts.entries().count == 1)
    }

    @Test("another client than the token's is refused, and so is none") func client() async throws {
        let claims = Base64URL.encode(Array(#"{"client_id":"https://other.example.com/c.json"}"#.utf8))
        let bytes = try saved(["access_token": .string("e30.\(claims).AA")])
        #expect(try await problem(bytes).hasPrefix("issuedToAnotherClient"))
        #expect(try await problem(try saved(), of: nil) == "clientNotNamed")
    }

    @Test("a key whose halves differ is refused", .covers("B16"), arguments: ["x", "y", "d"])
    func halves(half: String) async throws {
        let other = try JSONParser.parse(Array(DPoPKey().privateKeyText().utf8))
        var jwk = try #require(JSONParser.parse(Array(key.privateKeyText().utf8)).object)
        jwk[half] = other[half]
        #expect(try await problem(try saved(key: .object(jwk))) == "keyHalvesDiffer")
    }

    @Test("a token that is bound to another key is refused", .covers("B18")) func otherKey() async throws {
        let claims = Base64URL.encode(Array(#"{"cnf":{"jkt":"\#(try DPoPKey().thumbprint)"}}"#.utf8))
        let bytes = try saved(["access_token": .string("e30.\(claims).AA")])
        #expect(try await problem(bytes) == "tokenOfAnotherKey")
    }

    @Test(
        "a file that lacks something is refused by its name",
        arguments: [
            "iss", "sub", "scope", "access_token", "token_type",
        ])
    func lacking(member: String) async throws {
        #expect(try await problem(try saved([member: .some(nil)])).contains(member))
        #expect(try await problem(try saved([member: "no\n"])) != "none")
    }

    @Test("a file that is no JSON, has no key or an unknown way to name the client is refused") func broken()
        async throws
    {
        #expect(try await problem(Array("no".utf8)).contains("JSON"))
        #expect(try await problem(try saved(key: ["kty": "EC"])).contains("dpopJwk"))
        #expect(
            try await problem(try saved(method: ["method": "client_secret_basic"])).contains("authMethod"))
        #expect(try await problem(try saved(["expires_at": "tomorrow"])).contains("expires_at"))
        #expect(try await problem(try saved(["refresh_token": ""])).contains("refresh_token"))
    }

    @Test("a session of a confidential client needs the client's key here") func confidential() async throws {
        let bytes = try saved(method: ["method": "private_key_jwt", "kid": "key-1"])
        #expect(try await problem(bytes).contains("clientKeyMissing"))
    }

    @Test("an issuer that the account's server does not name is refused") func issuer() async throws {
        let bytes = try saved(["iss": "https://evil.example.com"])
        #expect(try await problem(bytes).contains("issuerMismatch"))
    }

    @Test("a session that the server refuses, or knows as another account's, is refused") func probed()
        async throws
    {
        world.network.answer(Self.getSession, .json(["did": "did:plc:ewvi7nxzyoun6zhxrhs64oiz"]))
        #expect(try await problem(try saved()) == "anotherAccount")
        world.network.answer(Self.getSession, .json(["error": "InvalidToken"], status: 400))
        #expect(try await problem(try saved()) == "refused")
    }

    @Test("no account is replaced") func slot() async throws {
        let id = try await world.add(World.session())
        do {
            _ = try await take(try saved())
            Issue.record("replaced")
        } catch VaultError.loginTaken(let taken) { #expect(taken.id == id) }
        #expect(try world.accounts.session(id).credential.oauth?.key.thumbprint != key.thumbprint)
    }
}
