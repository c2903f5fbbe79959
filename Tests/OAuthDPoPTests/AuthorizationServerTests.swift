import ATPJSON
import ATPNetworking
import ATProtoOAuth
import BskyAuthCovers
import BskyAuthTestSupport
import Dispatch
import HTTPTypes
import Testing

@testable import OAuthDPoP

/// An authorization server behind a scripted network.
struct ServerSession {
    static let client = Client(
        ClientID(
            "http://localhost?redirect_uri=http%3A%2F%2F127.0.0.1%2Fcallback&scope=atproto%20transition%3Ageneric"
        ))
    static let redirectURI = "http://127.0.0.1:43117/callback"
    static let verifier = CodeVerifier(value: "4cHryEJDfod0C8r0h29J-yyzFKrKcSsQf20El_n9AAY")

    let session: DPoPSession
    let server: AuthorizationServer
    private let client: Client

    /// - Parameters:
    ///   - changes: changes to the recorded metadata.
    ///   - keys: the keys for client assertions.
    init(
        _ answers: [ScriptedTransport.Answer], _ changes: JSONObject = [:], client: Client = client,
        assertions: (any ClientAssertionSource)? = nil
    ) throws {
        self.client = client
        let policy = NetworkPolicy()
        let document = try JSONParser.parse(
            #require(try Transcript("002").json["response"]?["body"]?.string))
        var json = try #require(document.object)
        for change in changes.members { json[change.name] = change.value.isNull ? nil : change.value }
        let metadata = try AuthorizationServerMetadata(
            json: .object(json),
            issuer: Issuer(validating: "https://pds.test", profile: .atproto, policy: policy),
            profile: .atproto, policy: policy)
        let session = try DPoPSession(answers: answers)
        self.session = session
        server = AuthorizationServer(
            metadata: metadata, transport: session.transport, nonces: session.store, clock: session.store,
            assertions: assertions, now: { DPoPSession.now })
    }

    init(_ answers: ScriptedTransport.Answer..., changes: JSONObject = [:]) throws {
        try self.init(answers, changes)
    }

    var requests: [TransportRequest] { session.transport.requests }

    func push() async throws(OAuthError) -> PushedAuthorizationResponse {
        try await server.push(
            PushedAuthorizationRequest(
                client: client, redirectURI: Self.redirectURI,
                scope: Scope("atproto transition:generic"), state: State(value: "s"),
                challenge: Self.verifier.challenge, loginHint: "carol.pds.test"), key: session.key)
    }

    func exchange() async throws(OAuthError) -> TokenResponse {
        try await server.exchange(
            AuthorizationCode("cod-1"), verifier: Self.verifier, redirectURI: Self.redirectURI,
            client: client, key: session.key)
    }

    func refresh(sentBy: ContinuousClock.Instant? = nil) async throws(OAuthError) -> TokenResponse {
        try await server.refresh(RefreshToken("ref-1"), client: client, key: session.key, sentBy: sentBy)
    }

    func revoke() async throws(OAuthError) {
        try await server.revoke(RefreshToken("ref-1"), client: client, key: session.key)
    }

    /// The names in a form, in order.
    func names(of request: TransportRequest?) -> [String]? { request?.form?.all.map(\.name) }
}

@Suite("AuthorizationServer") struct AuthorizationServerTests {
    @Test("pushes the fields that the recorded client pushed", .covers("R26", "R27")) func push() async throws
    {
        let recorded = try Transcript(101)
        let session = try ServerSession(recorded.answer)
        let answer = try await session.push()
        #expect(answer.requestURI == recorded.body?["request_uri"]?.string)
        #expect(answer.expiresIn == recorded.body?["expires_in"]?.integer)
        let request = try #require(session.requests.first)
        #expect(request.method == .post)
        #expect(request.url.description == "https://pds.test/oauth/par")
        #expect(request.headerFields[.contentType] == "application/x-www-form-urlencoded")
        #expect(request.needsFreshConnection)
        let total = try #require(request.timeouts.total)
        #expect(total <= .seconds(30) && total > .seconds(15))
        #expect(Set(session.names(of: request) ?? []) == Set(recorded.form?.all.map(\.name) ?? [""]))
        for name in ["client_id", "response_type", "code_challenge_method", "redirect_uri", "scope"] {
            #expect(request.form?.single(name) == recorded.form?.single(name))
        }
    }

    @Test("takes 200 for a pushed request as well", .covers("R28")) func pushedWith200() async throws {
        let session = try ServerSession(.json(["request_uri": "urn:x", "expires_in": 60]))
        #expect(try await session.push().expiresIn == 60)
    }

    @Test(
        "takes no reference from an answer that has none",
        arguments: [
            [:], ["request_uri": "", "expires_in": 1], ["request_uri": "urn:x"],
            ["request_uri": "urn:x", "expires_in": 0], ["request_uri": 1, "expires_in": 1], [],
        ] as [JSONValue])
    func noReference(answer: JSONValue) async throws {
        let session = try ServerSession(.json(answer, status: 201))
        let error = await #expect(throws: OAuthError.self) { _ = try await session.push() }
        #expect(error?.code == .malformedResponse(status: 201))
        #expect(error?.endpoint == .pushedAuthorizationRequest)
    }

    @Test("sends the browser with a client id and a reference alone", .covers("R30")) func authorizationURL()
        throws
    {
        let json: JSONValue = ["request_uri": "urn:ietf:x:1", "expires_in": 60]
        let pushed = try #require(PushedAuthorizationResponse(json: json))
        let added = "client_id=http%3A%2F%2Flocalhost&request_uri=urn%3Aietf%3Ax%3A1"
        for (endpoint, expected) in [
            ("https://pds.test/authorize", "https://pds.test/authorize?\(added)"),
            ("https://pds.test/authorize?", "https://pds.test/authorize?\(added)"),
            ("https://pds.test/authorize?tenant=%2F", "https://pds.test/authorize?tenant=%2F&\(added)"),
        ] {
            let session = try ServerSession([], ["authorization_endpoint": .string(endpoint)])
            let url = session.server.authorizationURL(for: pushed, clientID: ClientID("http://localhost"))
            #expect(url.description == expected)
        }
    }

    @Test("exchanges a code as the recorded client did", .covers("R41", "R59")) func exchange() async throws {
        let recorded = try Transcript(301)
        let session = try ServerSession(recorded.answer)
        let tokens = try await session.exchange()
        #expect(tokens.accessToken.reveal() == recorded.body?["access_token"]?.string)
        let request = try #require(session.requests.first)
        #expect(request.url.description == "https://pds.test/oauth/token")
        #expect(request.needsFreshConnection)
        #expect(request.headerFields[.authorization] == nil)
        #expect(Set(session.names(of: request) ?? []) == Set(recorded.form?.all.map(\.name) ?? [""]))
        #expect(request.form?.single("code") == "cod-1")
        #expect(request.form?.single("code_verifier") == ServerSession.verifier.value)
        #expect(request.form?.single("redirect_uri") == ServerSession.redirectURI)
        #expect(try session.session.proofs.first?.names.contains("ath") == false)
    }

    @Test("refreshes as the recorded client did, with the long deadline", .covers("B14")) func refresh()
        async throws
    {
        let recorded = try Transcript(501)
        let session = try ServerSession(recorded.answer)
        let tokens = try await session.refresh()
        #expect(tokens.refreshToken?.reveal() == recorded.body?["refresh_token"]?.string)
        let request = try #require(session.requests.first)
        let total = try #require(request.timeouts.total)
        #expect(total <= .seconds(90) && total > .seconds(60))
        #expect(request.timeouts.lasting(.seconds(1)) == request.timeouts)
        #expect(request.needsFreshConnection)
        #expect(Set(session.names(of: request) ?? []) == Set(recorded.form?.all.map(\.name) ?? [""]))
        #expect(request.form?.single("refresh_token") == "ref-1")
        #expect(request.form?.single("client_id") == ServerSession.client.id.description)
    }

    @Test("sends no refresh token after the moment by which it must go out, also not after a challenge")
    func sentBy() async throws {
        let challenge = ScriptedTransport.Answer.json(
            nonceChallenge, status: 400, try fields(["DPoP-Nonce": "n1"]))
        // A machine that is busy for so long sends nothing at all. Then the moment has to be further away. The request goes out
        // from a thread of its own, because the tasks of all other tests may be in front of it elsewhere.
        let thread = ThreadOfItsOwn()
        for seconds in [1, 10, 100] {
            let gate = Gate()
            let session = try ServerSession(.held(gate, challenge), .json([:]))
            let moment = ContinuousClock.now + .seconds(seconds)
            let tokens = Task(executorPreference: thread) { try await session.refresh(sentBy: moment) }
            try await ContinuousClock().sleep(until: moment)
            gate.open()
            let error = await #expect(throws: OAuthError.self) { _ = try await tokens.value }
            #expect(error?.refreshVerdict == .nothingSent)
            guard let request = session.requests.first else { continue }
            #expect(session.requests.count == 1)
            #expect(request.sentBy == moment)
            return
        }
        Issue.record("no request was sent in 100 seconds")
    }

    @Test("revokes either token with a proof of the session's key", .covers("R74")) func revoke() async throws
    {
        let session = try ServerSession(.json([:]), .response(200, [:], []), .response(204, [:], []))
        try await session.revoke()
        let token: any RevocableToken = AccessToken("at-1")
        try await session.server.revoke(token, client: ServerSession.client, key: session.session.key)
        try await session.revoke()
        #expect(session.requests.map { $0.form?.single("token") } == ["ref-1", "at-1", "ref-1"])
        #expect(session.requests.allSatisfy { $0.url.description == "https://pds.test/oauth/revoke" })
        #expect(session.requests.allSatisfy { $0.needsFreshConnection })
        #expect(try session.session.proofs.count == 3)
    }

    @Test("says so where a server can't revoke, and sends nothing", .covers("R23", "12.6"))
    func noRevocation() async throws {
        let session = try ServerSession([], ["revocation_endpoint": nil])
        await #expect(throws: OAuthError(.unsupported, endpoint: .revocation)) {
            try await session.revoke()
        }
        #expect(session.requests.isEmpty)
    }

    @Test(
        "can't tell what became of a token after an answer that is not JSON",
        arguments: ["", "{", #"{"access_token":"a","access_token":"b"}"#])
    func malformed(body: String) async throws {
        let session = try ServerSession(.text(body, status: 200, type: "application/json"))
        let error = await #expect(throws: OAuthError.self) { _ = try await session.refresh() }
        #expect(error?.code == .malformedResponse(status: 200))
        #expect(error?.refreshVerdict == .failed(OAuthError.InconclusiveAnswer(status: 200)))
    }

    @Test(
        "keeps JSON that it can't read, because it may hold tokens",
        arguments: ["[]", #"{"token_type":"DPoP"}"#])
    func unreadable(body: String) async throws {
        let session = try ServerSession(.text(body, status: 200, type: "application/json"))
        let error = await #expect(throws: OAuthError.self) { _ = try await session.refresh() }
        #expect(error?.refreshVerdict == .unreadable(UnreadableTokens(status: 200, Array(body.utf8))))
    }

    @Test("says how far the clocks are apart where a proof was refused for it") func skew() async throws {
        let refusal = ScriptedTransport.Answer.json(
            ["error": "invalid_dpop_proof"], status: 401,
            try fields(["Date": "Fri, 20 Nov 2026 22:13:51 GMT"]))
        let session = try ServerSession(refusal, refusal)
        let error = await #expect(throws: OAuthError.self) { _ = try await session.push() }
        #expect(error?.skew == 600)
        #expect(session.requests.count == 2)

        let other = try ServerSession(.json(["error": "invalid_scope"], status: 400))
        let plain = await #expect(throws: OAuthError.self) { _ = try await other.push() }
        #expect(plain?.skew == nil)
    }
}

/// Runs a task without the other tasks of the process.
private final class ThreadOfItsOwn: TaskExecutor {
    private let queue = DispatchQueue(label: "a test")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
