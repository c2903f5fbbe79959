import ATPCryptography
import ATPJSON
import ATPNetworking
import BskyAuthCovers
import BskyAuthTestSupport
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import OAuthDPoP

/// The public client behind a scripted server that knows nothing of AT Protocol.
@Suite("OAuthClient") struct OAuthClientTests {
    private static let host = "https://login.example"
    private static let metadata: JSONObject = [
        "issuer": .string(host),
        "authorization_endpoint": "https://login.example/authorize",
        "token_endpoint": "https://login.example/token",
        "pushed_authorization_request_endpoint": "https://login.example/par",
        "revocation_endpoint": "https://login.example/revoke",
        "response_types_supported": ["code"],
        "code_challenge_methods_supported": ["S256"],
        "dpop_signing_alg_values_supported": ["ES256"],
    ]
    private static let tokens: JSONObject = [
        "access_token": "at-secret", "refresh_token": "rt-secret", "token_type": "DPoP", "expires_in": 60,
    ]

    private let transport: ScriptedTransport
    private let client: OAuthClient

    init() throws {
        transport = ScriptedTransport([
            "\(Self.host)/.well-known/oauth-authorization-server": .json(.object(Self.metadata)),
            "\(Self.host)/par": .json(["request_uri": "urn:r", "expires_in": 60], status: 201),
            "\(Self.host)/token": .json(.object(Self.tokens)),
            "\(Self.host)/revoke": .text(""),
            "https://notes.example/hello": .text("hello"),
        ])
        client = try OAuthClient(
            issuer: Self.host, clientID: "app", redirectURI: "https://app.example/done", scope: "read",
            transport: transport, now: { DPoPSession.now })
    }

    private func redirect(_ pending: PendingAuthorization, _ rest: String = "") -> String {
        "https://app.example/done?code=c&state=\(pending.state.value)\(rest)#x"
    }

    private func session() async throws -> TokenSet {
        let pending = try await client.begin()
        return try await client.complete(pending, redirect: redirect(pending))
    }

    private func announceIssuer() {
        var metadata = Self.metadata
        metadata["authorization_response_iss_parameter_supported"] = true
        transport.answer("\(Self.host)/.well-known/oauth-authorization-server", .json(.object(metadata)))
    }

    private func tokenAnswer(_ name: String, _ value: JSONValue?) -> ScriptedTransport.Answer {
        var tokens = Self.tokens
        tokens[name] = value
        return .json(.object(tokens))
    }

    @Test("logs in, calls, refreshes and logs out")
    func wholeSession() async throws {
        let first = try await session()
        #expect(first.scope == "read" && first.expiry == DPoPSession.now.addingTimeInterval(60))
        let request = TransportRequest(method: .get, url: try url("https://notes.example/hello"))
        let answer = try await client.send(request, with: first)
        #expect(try await answer.body.collect(upTo: 10) == Array("hello".utf8))

        transport.answer("\(Self.host)/token", tokenAnswer("access_token", "at-2"))
        let second = try await client.refresh(first)
        #expect(second.accessToken == "at-2" && second.refreshToken == "rt-secret")
        try await client.revoke(second)
        #expect(
            transport.requests(to: "\(Self.host)/revoke").map { $0.form?.single("token") } == ["rt-secret"])
        #expect(transport.urls.filter { $0.contains("well-known") }.count == 1)
    }

    @Test(
        "takes a redirect of another request for nothing",
        arguments: ["code=c&state=other", "code=c", "code=%", "error=access_denied&state=other"])
    func foreign(query: String) async throws {
        let pending = try await client.begin()
        let failure = await #expect(throws: OAuthFailure.self) {
            try await client.complete(pending, redirect: "https://app.example/done?\(query)")
        }
        #expect(failure?.code == .foreignRedirect && failure?.requestWasSent == false)
        #expect(transport.requests(to: "\(Self.host)/token").isEmpty)
    }

    @Test(
        "takes a redirect to another place for nothing, and asks no server about one of another request",
        arguments: [
            "https://app.example/other?", "https://evil.example/done?", "http://app.example/done?",
            "https://app.example/done/?", "/done?", "app:done?", "https://app.example/done",
        ])
    func otherPlace(place: String) async throws {
        let archive = try await client.begin().archive
        let pending = try PendingAuthorization(archive: archive)
        let fresh = try OAuthClient(
            issuer: Self.host, clientID: "app", redirectURI: "https://app.example/done", scope: "read",
            transport: transport, now: { DPoPSession.now })
        let sent = transport.requests.count
        for rest in ["code=c&state=\(pending.state.value)", "code=c&state=x"] {
            let failure = await #expect(throws: OAuthFailure.self) {
                try await fresh.complete(pending, redirect: place + rest)
            }
            #expect(failure?.code == .foreignRedirect)
        }
        _ = await #expect(throws: OAuthFailure.self) {
            try await fresh.complete(pending, redirect: "code=c&state=x")
        }
        #expect(transport.requests.count == sent)
    }

    @Test(
        "takes the redirect's URL as a browser writes it, and its query alone",
        arguments: ["https://APP.example:443/done?", "https://app.example/done?", "?", ""])
    func samePlace(place: String) async throws {
        let pending = try await client.begin()
        let tokens = try await client.complete(
            pending, redirect: "\(place)code=a?b&state=\(pending.state.value)#_")
        #expect(tokens.accessToken == "at-secret")
        #expect(transport.requests(to: "\(Self.host)/token").last?.form?.single("code") == "a?b")
    }

    @Test("returns and revokes what a cancelled task was sent", arguments: [true, false])
    func cancelled(isAcceptable: Bool) async throws {
        let gate = Gate()
        let answer = isAcceptable ? Self.tokens : Self.tokens.merging("token_type", "Bearer")
        transport.answer("\(Self.host)/token", .held(gate, .json(.object(answer))))
        let pending = try await client.begin()
        let task = Task { try await client.complete(pending, redirect: redirect(pending)) }
        while transport.requests(to: "\(Self.host)/token").isEmpty { await Task.yield() }
        task.cancel()
        gate.open()
        let tokens = try? await task.value
        #expect((tokens != nil) == isAcceptable)
        #expect(transport.requests(to: "\(Self.host)/revoke").isEmpty == isAcceptable)
    }

    @Test("fetches the metadata again after an hour") func metadataAge() async throws {
        let time = Mutex(DPoPSession.now)
        let client = try OAuthClient(
            issuer: Self.host, clientID: "app", redirectURI: "https://app.example/done", scope: "read",
            transport: transport, now: { time.withLock { $0 } })
        let pending = try await client.begin()
        let tokens = try await client.complete(pending, redirect: redirect(pending))
        func fetched() -> Int { transport.urls.count { $0.contains("well-known") } }
        time.withLock { $0 += 3599 }
        try await client.revoke(tokens)
        #expect(fetched() == 1)
        time.withLock { $0 += 1 }
        try await client.revoke(tokens)
        #expect(fetched() == 2)
    }

    @Test("refuses a redirect that lacks the announced issuer, or names another")
    func issuer() async throws {
        announceIssuer()
        let pending = try await client.begin()
        for rest in ["", "&iss=https%3A%2F%2Fother.example"] {
            let failure = await #expect(throws: OAuthFailure.self) {
                try await client.complete(pending, redirect: redirect(pending, rest))
            }
            #expect(failure?.code == .invalidRedirect)
        }
        #expect(transport.requests(to: "\(Self.host)/token").isEmpty)
        let tokens = try await client.complete(
            pending, redirect: redirect(pending, "&iss=https%3A%2F%2Flogin.example"))
        #expect(tokens.issuer == Self.host)
    }

    @Test("tells a denial with the server's own words, made harmless")
    func denial() async throws {
        let pending = try await client.begin()
        let query = "state=\(pending.state.value)&error=access_denied&error_description=no%1b"
        let failure = await #expect(throws: OAuthFailure.self) {
            try await client.complete(pending, redirect: query)
        }
        #expect(failure?.code == .denied && failure?.error == "access_denied")
        #expect(failure?.description == "the authorization was denied: access_denied: no\u{fffd}")
    }

    @Test("revokes tokens that are not bound to the key, and returns none")
    func bearer() async throws {
        transport.answer("\(Self.host)/token", tokenAnswer("token_type", "Bearer"))
        let failure = await #expect(throws: OAuthFailure.self) { try await session() }
        #expect(failure?.code == .unacceptableTokens)
        #expect(
            transport.requests(to: "\(Self.host)/revoke").map { $0.form?.single("token") } == ["rt-secret"])
    }

    @Test("says after a refresh whether the refresh token still works")
    func refreshStates() async throws {
        let tokens = try await session()
        let answers: [(ScriptedTransport.Answer, RefreshFailure.TokenState, OAuthFailure.Code)] = [
            (.failure(.notConnected), .usable, .network),
            (.failure(.timedOut, wasSent: true), .unknown, .network),
            (.json(["error": "invalid_grant"], status: 400), .unusable, .refused),
            (
                .json(
                    [
                        "error": "invalid_grant",
                        "error_description": "authorization code, credentials or token",
                    ],
                    status: 400), .unusable, .refused
            ),
            (.json(["error": "slow_down"], status: 429), .usable, .refused),
            (.text("", status: 503), .unknown, .refused),
            (.json(["error": "server_error"], status: 400), .unknown, .refused),
            (.text("", status: 404), .unknown, .refused),
            (.json(["error": "temporarily_unavailable"], status: 400), .usable, .refused),
            (.json(["error": "invalid_dpop_proof"], status: 400), .usable, .refused),
            (tokenAnswer("access_token", nil), .unusable, .unreadableAnswer),
            (tokenAnswer("token_type", "Bearer"), .unusable, .unacceptableTokens),
        ]
        for (answer, state, code) in answers {
            transport.answer("\(Self.host)/token", answer)
            let failure = await #expect(throws: RefreshFailure.self) { try await client.refresh(tokens) }
            #expect(failure?.refreshToken == state && failure?.reason.code == code)
        }
    }

    @Test("revokes the refresh token that is left after a refresh that is refused")
    func revokesRest() async throws {
        let first = try await session()
        var answer = Self.tokens
        answer["refresh_token"] = nil
        answer["token_type"] = "Bearer"
        transport.answer("\(Self.host)/token", .json(.object(answer)))
        await #expect(throws: RefreshFailure.self) { try await client.refresh(first) }
        transport.answer(
            "\(Self.host)/token", .json(["refresh_token": "rt-2", "token_type": "DPoP"]))
        await #expect(throws: RefreshFailure.self) { try await client.refresh(first) }
        #expect(
            transport.requests(to: "\(Self.host)/revoke").map { $0.form?.single("token") }
                == ["rt-secret", "rt-2"])
    }

    @Test("revokes tokens that name another key, and returns none")
    func tokensOfAnotherKey() async throws {
        let claims = Base64URL.encode(Array(#"{"cnf":{"jkt":"\#(try DPoPKey().thumbprint)"}}"#.utf8))
        transport.answer("\(Self.host)/token", tokenAnswer("access_token", .string("e30.\(claims).AA")))
        let failure = await #expect(throws: OAuthFailure.self) { try await session() }
        #expect(failure?.code == .unacceptableTokens)
        #expect(transport.requests(to: "\(Self.host)/revoke").count == 1)
    }

    @Test("says that only a new login helps a session without a refresh token") func noRefreshToken()
        async throws
    {
        transport.answer("\(Self.host)/token", tokenAnswer("refresh_token", nil))
        let tokens = try await session()
        let failure = await #expect(throws: RefreshFailure.self) { try await client.refresh(tokens) }
        #expect(failure?.reason.code == .noRefreshToken && failure?.refreshToken == .unusable)
    }

    @Test("believes no lifetime of more than a year") func endlessLife() async throws {
        transport.answer("\(Self.host)/token", tokenAnswer("expires_in", .number("9223372036854775807")))
        transport.answer(
            "\(Self.host)/par",
            .json(["request_uri": "urn:r", "expires_in": .number("9223372036854775807")], status: 201))
        let pending = try await client.begin()
        let tokens = try await client.complete(
            PendingAuthorization(archive: pending.archive), redirect: redirect(pending))
        #expect(tokens.expiry == DPoPSession.now.addingTimeInterval(366 * 86400))
        let late = TokenSet(
            issuer: Self.host, clientID: "app", accessToken: "at", refreshToken: nil, scope: "read",
            expiry: Date(timeIntervalSince1970: .infinity), subject: nil, signer: tokens.signer)
        #expect(try TokenSet(archive: late.archive).archive == late.archive)
    }

    @Test("tells redirect URIs apart that differ in their query") func redirectQuery() async throws {
        let client = try OAuthClient(
            issuer: Self.host, clientID: "app", redirectURI: "https://app.example/done?as=a", scope: "read",
            transport: transport, now: { DPoPSession.now })
        let pending = try await client.begin()
        let rest = "code=c&state=\(pending.state.value)"
        for query in ["as=b&\(rest)", rest, "as=ab&\(rest)"] {
            let failure = await #expect(throws: OAuthFailure.self) {
                try await client.complete(pending, redirect: "https://app.example/done?\(query)")
            }
            #expect(failure?.code == .foreignRedirect)
        }
        _ = try await client.complete(pending, redirect: "https://app.example/done?as=a&\(rest)")
    }

    @Test("says that a redirect can be tried again if only the metadata was missing")
    func missingMetadata() async throws {
        let pending = try await client.begin()
        let fresh = try OAuthClient(
            issuer: Self.host, clientID: "app", redirectURI: "https://app.example/done", scope: "read",
            transport: transport, now: { DPoPSession.now })
        transport.answer(
            "\(Self.host)/.well-known/oauth-authorization-server", .failure(.timedOut, wasSent: true))
        let failure = await #expect(throws: OAuthFailure.self) {
            try await fresh.complete(pending, redirect: redirect(pending))
        }
        #expect(failure?.code == .network && failure?.requestWasSent == false)
    }

    @Test("sends no token that names another key")
    func otherKey() async throws {
        let claims = Base64URL.encode(Array(#"{"cnf":{"jkt":"\#(try DPoPKey().thumbprint)"}}"#.utf8))
        let tokens = TokenSet(
            issuer: Self.host, clientID: "app", accessToken: "e30.\(claims).AA", refreshToken: "rt",
            scope: "read", expiry: nil, subject: nil, signer: try DPoPKey())
        let request = TransportRequest(method: .get, url: try url("https://notes.example/hello"))
        let failure = await #expect(throws: OAuthFailure.self) {
            try await client.send(request, with: tokens)
        }
        #expect(failure?.code == .otherKey)
        let refresh = await #expect(throws: RefreshFailure.self) { try await client.refresh(tokens) }
        #expect(refresh?.reason.code == .otherKey && refresh?.refreshToken == .usable)
        #expect(transport.requests.isEmpty)
        // The session can still be ended.
        try await client.revoke(tokens)
    }

    @Test("sends no token of another server")
    func otherServer() async throws {
        let tokens = try await session()
        let other = try OAuthClient(
            issuer: "https://other.example", clientID: "app", redirectURI: "https://app.example/done",
            scope: "read", transport: transport)
        let sent = transport.requests.count
        let failure = await #expect(throws: RefreshFailure.self) { try await other.refresh(tokens) }
        #expect(failure?.refreshToken == .usable && failure?.reason.code == .otherServer)
        await #expect(throws: OAuthFailure.self) { try await other.revoke(tokens) }
        #expect(transport.requests.count == sent)
    }

    @Test("tells that a resource server refuses the token, and refreshes nothing")
    func refusedToken() async throws {
        let tokens = try await session()
        transport.answer(
            "https://notes.example/hello",
            .response(401, [.wwwAuthenticate: #"DPoP error="invalid_token""#], []))
        let sent = transport.requests.count
        let failure = await #expect(throws: OAuthFailure.self) {
            try await client.send(
                TransportRequest(method: .get, url: try url("https://notes.example/hello")), with: tokens)
        }
        #expect(failure?.code == .accessTokenRefused && failure?.status == 401)
        #expect(transport.requests.count == sent + 1)
    }

    @Test("sends no token to an address that the policy refuses")
    func policy() async throws {
        let tokens = try await session()
        let sent = transport.requests.count
        for text in ["http://notes.example/hello", "https://10.0.0.5/hello"] {
            let failure = await #expect(throws: OAuthFailure.self) {
                try await client.send(TransportRequest(method: .get, url: try url(text)), with: tokens)
            }
            #expect(failure?.code == .network && failure?.requestWasSent == false)
        }
        #expect(transport.requests.count == sent)
    }

    @Test("completes an authorization from its archive, in another process")
    func archive() async throws {
        let pending = try await client.begin()
        let again = try PendingAuthorization(archive: pending.archive)
        let tokens = try await client.complete(again, redirect: redirect(pending))
        #expect(tokens.signer.publicKey == pending.signer.publicKey)
        #expect(again.url == pending.url && again.archive == pending.archive)
    }

    @Test("goes on with a session from its archive, and refuses an archive of another key")
    func sessionArchive() async throws {
        let tokens = try await session()
        let again = try TokenSet(archive: tokens.archive)
        #expect(again.archive == tokens.archive && again.expiry == tokens.expiry)
        #expect(try await client.refresh(again).accessToken == "at-secret")
        let other = try DPoPKey()
        let failure = #expect(throws: OAuthFailure.self) {
            try TokenSet(archive: tokens.archive, signer: other)
        }
        #expect(failure?.code == .unreadableArchive)
        var members = try #require(try JSONParser.parse(tokens.archive).object)
        for (name, value) in [
            ("refresh_token", 5), ("expiry", "soon"), ("access_token", nil), ("issuer", nil),
        ]
            as [(String, JSONValue?)]
        {
            let kept = members[name]
            members[name] = value
            #expect(throws: OAuthFailure.self) { try TokenSet(archive: JSONValue.object(members).text) }
            members[name] = kept
        }
    }

    @Test("refuses an archive of another version, of another key, or that is none")
    func unreadableArchives() async throws {
        let archive = try await client.begin().archive
        let object = try #require(try JSONParser.parse(archive).object)
        func changed(_ name: String, _ value: JSONValue?) -> String {
            var changed = object
            changed[name] = value
            return JSONValue.object(changed).text
        }
        // A key whose halves don't belong together.
        var halves = try JSONParser.parse(try #require(object["key"]?.string))
        let other = try JSONParser.parse(DPoPKey().privateKeyText())
        halves = try .object(#require(halves.object).merging("d", #require(other["d"])))
        let texts = [
            "", "[]", changed("version", 2), changed("version", nil), changed("key", nil),
            changed("verifier", nil), changed("thumbprint", "x"), changed("url", "x"),
            changed("key", .string(halves.text)),
        ]
        for text in texts {
            let failure = #expect(throws: OAuthFailure.self) { try PendingAuthorization(archive: text) }
            #expect(failure?.code == .unreadableArchive)
        }
    }

    @Test("shows no secret in what it prints of itself", .covers("B21"))
    func redacted() async throws {
        let pending = try await client.begin()
        let tokens = try await client.complete(pending, redirect: redirect(pending))
        let secrets = [pending.state.value, pending.verifier.value, "at-secret", "rt-secret"]
        for value in [pending, tokens] as [any Sendable] {
            var shown = "\(value) \(String(reflecting: value))"
            dump(value, to: &shown)
            #expect(!secrets.contains { shown.contains($0) })
        }
    }

    @Test(
        "refuses an issuer that is not canonical, and says why",
        arguments: [
            ("login.example", "login.example is no issuer: it does not begin with http:// or https://"),
            ("http://login.example", "http://login.example is no issuer: it is not https"),
        ])
    func invalidIssuer(text: String, words: String) throws {
        let failure = #expect(throws: OAuthFailure.self) {
            _ = try OAuthClient(
                issuer: text, clientID: "app", redirectURI: "https://app.example/done", scope: "read",
                transport: transport)
        }
        #expect(failure?.code == .invalidIssuer && failure?.description == words)
    }
}

extension JSONObject {
    fileprivate func merging(_ name: String, _ value: JSONValue) -> JSONObject {
        var changed = self
        changed[name] = value
        return changed
    }
}
