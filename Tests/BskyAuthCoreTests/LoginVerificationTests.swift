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

@Suite("LoginFlow: what is not accepted") struct LoginVerificationTests {
    let world: World

    init() throws {
        world = try World()
        world.approve()
    }

    private func failure<Failure: Error>(
        _ type: Failure.Type = SessionFailure.self, _ identifier: String = "alice.example.com"
    ) async throws -> Failure? {
        let error = await #expect(throws: type) { try await world.login(identifier) }
        #expect(try await world.accounts.entries().isEmpty)
        #expect(world.caches.sessions.isEmpty)
        #expect(!world.receiver.isOpen)
        return error
    }

    @Test(
        "tokens that do not verify are not saved, and given back", .covers("R43", "R45", "R47"),
        arguments: [
            World.tokens("bad", sub: "did:plc:ewvi7nxzyoun6zhxrhs64oiz"), World.tokens("bad", sub: "alice"),
            World.tokens("bad", sub: nil), World.tokens("bad", type: "Bearer"),
            World.tokens("bad", scope: "transition:generic"), World.tokens("bad", scope: nil),
        ])
    func tokens(answer: ScriptedTransport.Answer) async throws {
        world.network.answer(World.token, answer)
        guard case .verification? = try await failure() else {
            Issue.record("expected .verification")
            return
        }
        let revoked = world.network.requests(to: World.revoke)
        #expect(revoked.map { $0.form?.single("token") } == ["bad-refresh"])
        #expect(revoked.allSatisfy { $0.headerFields.dpopProof != nil })
    }

    @Test("tokens that grant nothing of what was asked for are given back", .covers("R48"))
    func nothingGranted() async throws {
        world.network.answer(World.token, World.tokens("bad", scope: "atproto"))
        guard case .nothingGranted(let asked, areRevoked: true)? = try await failure() else {
            Issue.record("expected .nothingGranted")
            return
        }
        #expect(asked == Scope("atproto transition:generic"))
        #expect(world.network.requests(to: World.revoke).map { $0.form?.single("token") } == ["bad-refresh"])
    }

    @Test("the same grant is saved if nothing else was asked for") func atprotoAlone() async throws {
        world.network.answer(World.token, World.tokens("good", scope: "atproto"))
        let outcome = try await world.login("alice.example.com", scope: "atproto")
        #expect(outcome.session.name == "good" && outcome.missingScopes.isEmpty)
        #expect(world.network.requests(to: World.revoke).isEmpty)
    }

    @Test("tokens without a refresh token are given back too") func accessTokenOnly() async throws {
        world.network.answer(World.token, World.tokens("bad", type: "Bearer", refresh: false))
        guard case .verification? = try await failure() else {
            Issue.record("expected .verification")
            return
        }
        #expect(world.network.requests(to: World.revoke).map { $0.form?.single("token") } == ["bad-access"])
    }

    @Test("a revocation that fails changes nothing about the error") func revocationFails() async throws {
        world.network.answer(World.token, World.tokens("bad", sub: nil))
        world.network.answer(World.revoke, .failure(.notConnected, wasSent: false))
        guard case .verification(.tokenResponse(.missingSubject))? = try await failure() else {
            Issue.record("expected .verification(.tokenResponse(.missingSubject))")
            return
        }
    }

    @Test("tokens that can't be saved are given back", .covers("R47", "G4")) func unsaved() async throws {
        world.network.observe(World.token) { [world] in
            // Nothing can be made any more where the accounts are.
            let accounts = world.directory.appending(path: "vault/accounts")
            try? FileManager.default.removeItem(at: accounts)
            try? Data().write(to: accounts)
        }
        await #expect(throws: VaultError.self) { try await world.login("alice.example.com") }
        #expect(
            world.network.requests(to: World.revoke).map { $0.form?.single("token") } == ["second-refresh"])
    }

    @Test(
        "a code that brings no tokens is not sent again", .covers("R42", "13.6"),
        arguments: [
            ScriptedTransport.Answer.json(["error": "invalid_grant"], status: 400), .text("", status: 500),
            .text("<html>", type: "text/html"), .failure(.connectionLost, wasSent: true),
        ])
    func refusedCode(answer: ScriptedTransport.Answer) async throws {
        world.network.answer(World.token, answer)
        guard case .oauth? = try await failure() else {
            Issue.record("expected .oauth")
            return
        }
        #expect(world.network.requests(to: World.token).count == 1)
        #expect(world.network.requests(to: World.revoke).isEmpty)
    }

    @Test("an account whose PDS names another server is not this server's to log in", .covers("R46"))
    func issuer()
        async throws
    {
        // A server that was typed signs somebody in whose PDS knows nothing of it.
        let other = "https://mallory.example.com"
        let resource: JSONValue = ["resource": .string(other), "authorization_servers": [.string(other)]]
        world.network.answer("\(other)/.well-known/oauth-protected-resource", .json(resource))
        guard
            case .response(_, let fields, let bytes) = try Transcript.answer(
                "002-authorization-server-metadata")
        else { return }
        let text = String(decoding: bytes, as: UTF8.self).replacing(World.pds, with: other)
        world.network.answer(
            "\(other)/.well-known/oauth-authorization-server", .response(200, fields, Array(text.utf8)))
        world.network.answer("\(other)/oauth/par", try Transcript.answer("101-par-portless-client-redirect"))
        world.network.answer("\(other)/oauth/token", World.tokens("bad"))
        world.network.answer("\(other)/oauth/revoke", .json([:]))
        world.approve(issuer: other)
        let error = try await failure(SessionFailure.self, other)
        guard case .verification(.issuerMismatch(World.did, other, World.pds))? = error else {
            Issue.record("another result")
            return
        }
        #expect(world.network.requests(to: "\(other)/oauth/revoke").count == 1)
    }

    @Test(
        "an answer from another issuer, or from none, brings no exchange", .covers("R38"),
        arguments: ["https://x.example.com", ""])
    func callbackIssuer(issuer: String) async throws {
        world.approve(issuer: issuer)
        #expect(try await failure(AuthorizationResponseError.self) != nil)
        #expect(world.network.requests(to: World.token).isEmpty)
    }

    @Test("access_denied is the server's word", .covers("R83")) func denied() async throws {
        world.browser.does { [unowned world] _, _ in
            let query = world.callback().replacing("code=the-code", with: "error=access_denied")
            _ = await world.receiver.visit(query)
        }
        guard case .refused("access_denied", nil)? = try await failure(AuthorizationResponseError.self) else {
            Issue.record("another result")
            return
        }
    }

    @Test("a stray visit is told so and ends nothing; a reload gets the same result", .covers("R40", "L15"))
    func visits()
        async throws
    {
        let receipts = Receipts()
        world.browser.does { [unowned world] _, _ in
            for query in ["", "code=x&state=guessed", world.callback(), world.callback()] {
                await receipts.add(world.receiver.visit(query))
            }
        }
        let outcome = try await world.login("alice.example.com")
        #expect(await receipts.words == ["notOurs", "notOurs", "settled", "settled"])
        #expect(world.network.requests(to: World.token).count == 1)
        #expect(try world.accounts.session(outcome.account.id).name == "second")
    }

    @Test(
        "a remembered handle that leads elsewhere by now does not log in to the account it led to",
        .covers("R10", "D5"))
    func stale()
        async throws
    {
        world.network.answer(World.token, World.tokens("first"))
        // Somebody looked the handle up a minute ago, and its owner has changed since.
        _ = try await world.environment.network.identities.resolve(
            ATIdentifier(validating: "alice.example.com"), freshness: .now)
        world.network.answer(
            "https://alice.example.com/.well-known/atproto-did", .text("did:plc:ewvi7nxzyoun6zhxrhs64oiz"))
        let document: JSONValue = [
            "id": "did:plc:ewvi7nxzyoun6zhxrhs64oiz", "alsoKnownAs": ["at://alice.example.com"],
            "service": [
                [
                    "id": "#atproto_pds", "type": "AtprotoPersonalDataServer",
                    "serviceEndpoint": .string(World.pds),
                ]
            ],
        ]
        world.network.answer(
            "https://plc.directory/did%3Aplc%3Aewvi7nxzyoun6zhxrhs64oiz", .json(document))
        guard case .verification(.handleIsAnothers("alice.example.com"))? = try await failure() else {
            Issue.record("another error")
            return
        }
        #expect(world.network.requests(to: World.revoke).count == 1)
    }

    @Test("a remembered handle that can't be looked up any more is no handle of somebody else")
    func outage() async throws {
        world.network.answer(World.token, World.tokens("first"))
        _ = try await world.environment.network.identities.resolve(
            ATIdentifier(validating: "alice.example.com"), freshness: .now)
        world.network.answer("https://alice.example.com/.well-known/atproto-did", .text("", status: 503))
        guard let error = try await failure(IdentityError.self) else {
            Issue.record("another error")
            return
        }
        #expect(error.kind != .failedVerification)
        #expect(world.network.requests(to: World.revoke).count == 1)
    }

    @Test("a handle that its account does not claim does not log in", .covers("R8")) func handle()
        async throws
    {
        world.network.answer("https://mallory.example.com/.well-known/atproto-did", .text(World.did))
        guard let error = try await failure(IdentityError.self, "mallory.example.com") else {
            Issue.record("another result")
            return
        }
        #expect(error.kind == .failedVerification)
        #expect(world.network.requests(to: World.par).isEmpty)
    }
}

/// What pages said.
private actor Receipts {
    private(set) var words: [String] = []

    func add(_ receipt: RedirectReceipt?) {
        switch receipt {
        case .notOurs?: words.append("notOurs")
        case .settled?: words.append("settled")
        case nil: words.append("nothing")
        }
    }
}
