import ATPJSON
import ATPNetworking
import BskyAuthCovers
import BskyAuthTestSupport
import Foundation
import HTTPTypes
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
            (tokenAnswer("access_token", nil), .unusable, .unreadableAnswer),
            (tokenAnswer("token_type", "Bearer"), .unusable, .unacceptableTokens),
        ]
        for (answer, state, code) in answers {
            transport.answer("\(Self.host)/token", answer)
            let failure = await #expect(throws: RefreshFailure.self) { try await client.refresh(tokens) }
            #expect(failure?.refreshToken == state && failure?.reason.code == code)
        }
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

    @Test("refuses an archive of another version, of another key, or that is none")
    func unreadableArchives() async throws {
        let archive = try await client.begin().archive
        let object = try #require(try JSONParser.parse(archive).object)
        func changed(_ name: String, _ value: JSONValue?) -> String {
            var changed = object
            changed[name] = value
            return JSONValue.object(changed).text
        }
        let texts = [
            "", "[]", changed("version", 2), changed("version", nil), changed("key", nil),
            changed("verifier", nil), changed("thumbprint", "x"), changed("url", "x"),
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
