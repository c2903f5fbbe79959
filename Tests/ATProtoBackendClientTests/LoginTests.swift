import ATPJSON
import ATPNetworking
import ATProtoIdentity
import ATProtoSessions
import BskyAuthTestSupport
import Foundation
import HTTPTypes
import OAuthDPoP
import Testing

@testable import ATProtoBackendClient

@Suite("A login through a backend") struct LoginTests {
    @Test("begins with an S256 challenge, and ends with a session of the same person") func login()
        async throws
    {
        let world = try World()
        world.answer("tokens", World.grant("first"))
        let page = try await world.client.begin("alice.test")
        #expect(page.description == World.page)
        let session = try await world.client.complete(redirect: World.redirect())
        #expect(session.did?.description == World.alice)
        #expect(session.handle?.description == "alice.test")
        #expect(session.account?.uuidString == World.accounts[World.alice])
        #expect(session.expiry == Date(timeIntervalSince1970: 1_768_435_200))

        let start = try #require(try world.bodies("start").first)
        let tokens = try #require(try world.bodies("tokens").first)
        #expect(start["handle"]?.string == "alice.test" && start["redirect"]?.string == World.redirectURI)
        #expect(start["code_challenge_method"]?.string == "S256" && tokens["code"]?.string == "the-code")
        let verifier = try #require(tokens["code_verifier"]?.string)
        #expect(start["code_challenge"]?.string == CodeVerifier(value: verifier).challenge)
        #expect(world.sessions("start") == ["none"] && world.sessions("tokens") == ["none"])
        #expect(try await world.storage.names() == ["backend-session"])
    }

    @Test("survives a restart between start and redirect") func restart() async throws {
        let world = try World()
        world.answer("tokens", World.grant("first"))
        _ = try await world.client.begin("alice.test")
        #expect(try await world.storage.names() == ["backend-login"])
        _ = try await world.restarted().complete(redirect: World.redirect())
        #expect(try await world.restarted().session?.token == "first")
    }

    @Test("makes a new challenge each time") func challenges() async throws {
        let world = try World()
        for _ in 0..<3 { _ = try await world.client.begin("alice.test") }
        #expect(Set(try world.bodies("start").map { $0["code_challenge"]?.string }).count == 3)
    }

    // MARK: Redirects

    @Test(
        "goes on waiting after the redirect of something else",
        arguments: [
            "", "com.example.ios:/auth", "com.example.ios:/auth?", "com.example.ios:/auth?code=a",
            "com.example.ios:/auth?did=did:plc:rx3iezovljgx6w3o4vtr5bae",
            "com.example.other:/auth?code=a&did=did:plc:rx3iezovljgx6w3o4vtr5bae",
            "com.example.ios:/other?code=a&did=did:plc:rx3iezovljgx6w3o4vtr5bae",
            "com.example.ios:/auth/?code=a&did=did:plc:rx3iezovljgx6w3o4vtr5bae",
            "com.example.ios://auth?code=a&did=did:plc:rx3iezovljgx6w3o4vtr5bae",
            "com.example.ios:/auth&code=a&did=did:plc:rx3iezovljgx6w3o4vtr5bae",
            "COM.EXAMPLE.IOS:/auth?code=a&did=did:plc:rx3iezovljgx6w3o4vtr5bae",
            "com.example.ios:/auth?code=a&code=b&did=did:plc:rx3iezovljgx6w3o4vtr5bae",
            "com.example.ios:/auth?code=a&code=a&did=did:plc:rx3iezovljgx6w3o4vtr5bae",
            "com.example.ios:/auth?code=&did=did:plc:rx3iezovljgx6w3o4vtr5bae",
            "com.example.ios:/auth?code=a&did=did:plc:rx3iezovljgx6w3o4vtr5bae&did=did:plc:rx3iezovljgx6w3o4vtr5bae",
            "com.example.ios:/auth?code=a&did=alice.test", "com.example.ios:/auth?code=a&did=",
            "com.example.ios:/auth?code=%zz&did=did:plc:rx3iezovljgx6w3o4vtr5bae",
            "com.example.ios:/auth?code=a&did=did:plc:rx3iezovljgx6w3o4vtr5bae#code=b",
            "com.example.ios:/auth?code=a&did=did:plc:rx3iezovljgx6w3o4vtr5bae&error=access_denied",
            "com.example.ios:/auth?error=access_denied&error=access_denied",
            "com.example.ios:/auth?error=access_denied&code=a",
        ])
    func foreign(redirect: String) async throws {
        let world = try World()
        world.answer("tokens", World.grant("first"))
        _ = try await world.client.begin("alice.test")
        let failure = await caught { () async throws(ATProtoFailure) in
            _ = try await world.client.complete(redirect: redirect)
        }
        #expect(failure?.code == .foreignRedirect)
        #expect(world.requests("tokens").isEmpty)
        #expect(try await world.storage.names() == ["backend-login"])
        #expect(try await world.client.complete(redirect: World.redirect()).token == "first")
    }

    @Test("reads a redirect URI that has a query") func query() throws {
        let uri = "com.example.android:/auth?from=login"
        let answer = try AppRedirect("\(uri)&code=a&did=did%3Aplc%3Arx3iezovljgx6w3o4vtr5bae", to: uri)
        #expect(answer.code == "a" && answer.did.description == World.alice)
        #expect(throws: ATProtoFailure.self) {
            try AppRedirect("\(uri)?code=a&did=did%3Aplc%3Arx3iezovljgx6w3o4vtr5bae", to: uri)
        }
    }

    @Test(
        "tells what an error of the redirect means, and saves nothing",
        arguments: [
            ("access_denied", ATProtoFailure.Code.denied, false), ("wrong_account", .verification, false),
            ("server_unreachable", .refused, true), ("server_error", .refused, false),
        ])
    func error(name: String, code: ATProtoFailure.Code, mayPass: Bool) async throws {
        let world = try World()
        world.answer("tokens", World.grant("first"))
        _ = try await world.client.begin("alice.test")
        let failure = await caught { () async throws(ATProtoFailure) in
            _ = try await world.client.complete(redirect: "\(World.redirectURI)?error=\(name)")
        }
        #expect(failure?.code == code && failure?.error == name && failure?.mayPass == mayPass)
        #expect(world.requests("tokens").isEmpty)
        // Any program can send an error, so the login is not over.
        #expect(try await world.storage.names() == ["backend-login"])
        #expect(try await world.client.complete(redirect: World.redirect()).token == "first")
    }

    @Test("takes a redirect once") func twice() async throws {
        let world = try World()
        let gate = Gate()
        world.answer("tokens", .held(gate, World.grant("first")), World.problem(400, "invalid_code"))
        _ = try await world.client.begin("alice.test")
        let client = world.client
        async let one = client.complete(redirect: World.redirect())
        async let other = caught { () async throws(ATProtoFailure) in
            _ = try await client.complete(redirect: World.redirect())
        }
        gate.open()
        // Which of them is first is not known. The other is told that no login waits.
        let first = try? await one
        let second = await other
        #expect((first == nil) == (second == nil))
        #expect(world.requests("tokens").count == 1)
        #expect(try await world.stored() == "first")
    }

    @Test("does not exist before it was begun") func nothingPending() async throws {
        let world = try World()
        let failure = await caught { () async throws(ATProtoFailure) in
            _ = try await world.client.complete(redirect: World.redirect())
        }
        #expect(failure?.code == .foreignRedirect && world.requests("tokens").isEmpty)
    }

    // MARK: Whose session it is

    @Test("refuses the session of another person, ends it, and saves nothing") func wrongPerson() async throws
    {
        let world = try World()
        world.answer("tokens", World.grant("theirs", World.bob))
        _ = try await world.client.begin("alice.test")
        let failure = await caught { () async throws(ATProtoFailure) in
            _ = try await world.client.complete(redirect: World.redirect())
        }
        #expect(failure?.code == .verification)
        #expect(world.sessions("logout") == ["Bearer theirs"])
        #expect(try await world.storage.names() == ["backend-login"])
        #expect(try await world.client.session == nil)
    }

    @Test("keeps the other accounts when it refuses the session of another person")
    func wrongPersonAdded() async throws {
        let world = try await World.loggedIn()
        world.answer("tokens", World.grant("second", World.bob))
        world.answer("logout", World.inactive("third"))
        _ = try await world.client.begin("alice.test")
        let failure = await caught { () async throws(ATProtoFailure) in
            _ = try await world.client.complete(redirect: World.redirect())
        }
        #expect(failure?.code == .verification)
        #expect(try world.bodies("logout").map { $0["account"]?.string } == [World.accounts[World.bob]])
        #expect(try await world.stored() == "third")
        #expect(try await world.client.session?.did == nil)
    }

    @Test("logs the other person out before anything else if that failed at first")
    func wrongPersonStays() async throws {
        let world = try await World.loggedIn()
        world.answer("tokens", World.grant("second", World.bob))
        world.answer(
            "logout", .failure(.notConnected), .failure(.notConnected), World.inactive("third"))
        world.answer("/api/accounts", .json(["active": nil, "accounts": []]))
        _ = try await world.client.begin("alice.test")
        for code in [ATProtoFailure.Code.verification, .network] {
            let failure = await caught { () async throws(ATProtoFailure) in
                if code == .verification {
                    _ = try await world.client.complete(redirect: World.redirect())
                } else {
                    _ = try await world.client.accounts()
                }
            }
            #expect(failure?.code == code)
            #expect(world.requests("/api/accounts").isEmpty)
            #expect(try await world.client.session?.did == nil)
        }
        let client = try world.restarted()
        #expect(try await client.accounts() == [])
        #expect(world.sessions("logout") == ["Bearer second", "Bearer second", "Bearer second"])
        #expect(world.sessions("/api/accounts") == ["Bearer third"])
    }

    @Test("logs the other person out before a change too") func wrongPersonBeforeChange() async throws {
        let world = try await World.loggedIn()
        world.answer("tokens", World.grant("second", World.bob))
        world.answer("logout", .failure(.notConnected), World.inactive("third"))
        world.answer("refresh", World.inactive("fourth"))
        _ = try await world.client.begin("alice.test")
        _ = await caught { () async throws(ATProtoFailure) in
            _ = try await world.client.complete(redirect: World.redirect())
        }
        #expect(try await world.client.refresh().did == nil)
        #expect(world.sessions("logout") == ["Bearer second", "Bearer second"])
        #expect(world.sessions("refresh") == ["Bearer third"])
        #expect(try await world.stored() == "fourth")
    }

    @Test("has nothing to log out if the server has no such account any more") func wrongPersonGone()
        async throws
    {
        let world = try await World.loggedIn()
        world.answer("tokens", World.grant("second", World.bob))
        world.answer("logout", World.problem(404, "no_such_account"))
        _ = try await world.client.begin("alice.test")
        _ = await caught { () async throws(ATProtoFailure) in
            _ = try await world.client.complete(redirect: World.redirect())
        }
        #expect(try await world.stored() == "second")
        world.answer("/api/accounts", .json(["active": nil, "accounts": []]))
        #expect(try await world.client.accounts() == [])
        #expect(world.requests("logout").count == 1)
    }

    @Test("saves nothing for a code that the server refuses") func refusedCode() async throws {
        let world = try World()
        world.answer("tokens", World.problem(400, "invalid_code"), World.grant("first"))
        _ = try await world.client.begin("alice.test")
        let failure = await caught { () async throws(ATProtoFailure) in
            _ = try await world.client.complete(redirect: World.redirect(code: "of-another-login"))
        }
        #expect(failure?.code == .refused && failure?.error == "invalid_code" && failure?.status == 400)
        #expect(try await world.client.session == nil)
        #expect(try await world.client.complete(redirect: World.redirect()).token == "first")
    }

    // MARK: Sessions that are there already

    @Test("adds an account to the session") func added() async throws {
        let world = try await World.loggedIn()
        try await world.logIn("second", as: World.bob)
        #expect(world.sessions("start") == ["none", "Bearer first"])
        #expect(try await world.stored() == "second")
        // The server has ended the first one.
        #expect(world.requests("logout").isEmpty)
    }

    @Test("begins a session of its own when the one before has ended") func endedBefore() async throws {
        let world = try await World.loggedIn()
        world.answer(
            "start", World.problem(401, "session_ended"), .json(["authUrl": .string(World.page)]))
        world.answer("session", World.problem(401, "session_ended"))
        world.answer("tokens", World.grant("second"))
        _ = try await world.client.begin("alice.test")
        #expect(world.sessions("start") == ["none", "Bearer first", "none"])
        #expect(try await world.storage.names() == ["backend-login"])
        _ = try await world.client.complete(redirect: World.redirect())
        #expect(try await world.stored() == "second")
    }

    @Test("ends the session that it takes the place of") func replaced() async throws {
        let world = try World()
        let person = Person { page in
            // Another login is completed while this one waits for the person.
            try await world.logIn("other")
            world.answer("tokens", World.grant("mine"))
            return World.redirect()
        }
        let session = try await world.client.login("alice.test", with: person)
        #expect(session.token == "mine")
        #expect(try await world.stored() == "mine")
        #expect(world.sessions("logout") == ["Bearer other"])
    }

    // MARK: User agents

    struct Person: UserAgent {
        let act: @Sendable (HTTPURL) async throws -> String

        func authorize(_ page: HTTPURL, redirectURI: String) async throws -> String {
            #expect(redirectURI == World.redirectURI && page.description == World.page)
            return try await act(page)
        }
    }

    @Test("goes through a user agent") func userAgent() async throws {
        let world = try World()
        world.answer("tokens", World.grant("first"))
        let session = try await world.client.login("alice.test", with: Person { _ in World.redirect() })
        #expect(session.token == "first")
        #expect(try await world.storage.names() == ["backend-session"])
    }

    @Test("is not completed if the person gives up or the page can't be shown") func noUserAgent()
        async throws
    {
        struct NoBrowser: Error {}
        let world = try World()
        for (error, code) in [
            (CancellationError() as any Error, ATProtoFailure.Code.cancelled), (NoBrowser(), .userAgent),
        ] {
            let failure = await caught { () async throws(ATProtoFailure) in
                _ = try await world.client.login("alice.test", with: Person { _ in throw error })
            }
            #expect(failure?.code == code)
        }
        #expect(world.requests("tokens").isEmpty)
    }

    // MARK: Starts that fail

    @Test(
        "is refused in the words of the backend",
        arguments: [
            (400, "unknown_handle", ATProtoFailure.Code.noSuchAccount, false),
            (400, "invalid_handle", .invalidArgument, false), (400, "invalid_redirect", .refused, false),
            (502, "server_unreachable", .refused, true), (429, "too_many", .refused, true),
        ])
    func refused(status: Int, name: String, code: ATProtoFailure.Code, mayPass: Bool) async throws {
        let world = try World()
        world.answer("start", World.problem(status, name, [.retryAfter: "60"]))
        let failure = await caught { () async throws(ATProtoFailure) in
            _ = try await world.client.begin("alice.test")
        }
        #expect(failure?.code == code && failure?.error == name && failure?.mayPass == mayPass)
        #expect(failure?.errorDescription == "Words." && failure?.retryAt != nil)
        #expect(try await world.storage.names() == [])
    }

    @Test(
        "needs a backend with TLS and an acceptable redirect URI",
        arguments: [
            ("http://auth.example.com", World.redirectURI), ("https://auth.example.com/x", World.redirectURI),
            ("auth.example.com", World.redirectURI), (World.address, ""), (World.address, "com.example.ios"),
            (World.address, "com.example.ios:/auth#x"), (World.address, "com.example.ios:/a b"),
        ])
    func arguments(address: String, redirectURI: String) async throws {
        let failure = await caught { () async throws(ATProtoFailure) in
            _ = try BackendClient(
                at: address, redirectURI: redirectURI, storage: MemoryStorage(),
                transport: ScriptedTransport([])
            )
        }
        #expect(failure?.code == .invalidArgument)
    }

    // MARK: The storage

    @Test("does not open a page if it can't be saved") func storageIsFull() async throws {
        let world = try World()
        world.storage.fail("backend-login")
        let failure = await caught { () async throws(ATProtoFailure) in
            _ = try await world.client.begin("alice.test")
        }
        #expect(failure?.code == .store)
        #expect(failure?.description.contains("the storage is full") == true)
    }

    @Test("keeps a session that can't be saved in memory, and saves it with the next request")
    func sessionNotSaved() async throws {
        let world = try World()
        world.storage.fail("backend-session")
        world.answer("/api/accounts", .json(["active": nil, "accounts": []]))
        let failure = await caught { () async throws(ATProtoFailure) in
            world.answer("tokens", World.grant("first"))
            _ = try await world.client.begin("alice.test")
            _ = try await world.client.complete(redirect: World.redirect())
        }
        #expect(failure?.code == .store)
        #expect(try await world.client.session?.token == "first")
        #expect(try await world.stored() == nil)
        world.storage.fail("backend-session", false)
        _ = try await world.client.accounts()
        #expect(try await world.stored() == "first")
        #expect(world.sessions("/api/accounts") == ["Bearer first"])
    }

    @Test("is not completed if the storage has something else", arguments: ["", "{}", #"{"version":2}"#])
    func unreadable(text: String) async throws {
        let world = try World()
        try await world.storage.write(text, as: "backend-login")
        let failure = await caught { () async throws(ATProtoFailure) in
            _ = try await world.client.complete(redirect: World.redirect())
        }
        #expect(failure?.code == .store && world.requests("tokens").isEmpty)
    }
}
