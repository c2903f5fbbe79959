import ATPCryptography
import ATPJSON
import ATPNetworking
import ATProtoOAuth
import BskyAuthCovers
import BskyAuthTestSupport
import Foundation
import Testing

@testable import OAuthDPoP

/// Confidential clients (protocol:R78-R80).
@Suite("Client authentication") struct ClientAuthenticationTests {
    private static let tokens = ScriptedTransport.Answer.json([
        "access_token": "a", "token_type": "DPoP", "sub": "did:plc:x", "scope": "atproto",
    ])

    private static let clientID = ClientID("https://app.example/client.json")

    private let key: ClientKey
    private let client: Client

    init() throws {
        key = try ClientKey()
        client = Client(Self.clientID, authentication: .privateKeyJWT(keyID: key.keyID))
    }

    private func session(
        _ answers: ScriptedTransport.Answer..., client: Client? = nil,
        assertions: (any ClientAssertionSource)? = nil
    ) throws -> ServerSession {
        try ServerSession(answers, client: client ?? self.client, assertions: assertions ?? key)
    }

    /// The assertion of a request. Checks its signature.
    private func assertion(of request: TransportRequest) throws -> (header: JSONValue, claims: JSONValue) {
        let form = try #require(request.form)
        #expect(
            form.single("client_assertion_type") == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
        let parts = try #require(form.single("client_assertion")).split(separator: ".")
        try #require(parts.count == 3)
        let decoded = try parts.map { try #require(Base64URL.decode(String($0))) }
        let publicKey = try P256PublicKey(x: key.publicKey.x, y: key.publicKey.y)
        try #require(publicKey.verifies(decoded[2], of: Array("\(parts[0]).\(parts[1])".utf8)))
        return (try JSONParser.parse(decoded[0]), try JSONParser.parse(decoded[1]))
    }

    @Test("every request has an assertion for this client, this issuer and a minute", .covers("R78"))
    func everyRequest() async throws {
        let session = try session(
            .json(["request_uri": "urn:x", "expires_in": 60], status: 201), Self.tokens, Self.tokens,
            .json([:]))
        _ = try await session.push()
        _ = try await session.exchange()
        _ = try await session.refresh()
        try await session.revoke()
        #expect(session.requests.count == 4)
        for (request, proof) in try zip(session.requests, session.session.proofs) {
            let (header, claims) = try assertion(of: request)
            #expect(header == ["alg": "ES256", "typ": "JWT", "kid": .string(key.keyID)])
            #expect(
                claims.object?.members.map(\.name).sorted() == ["aud", "exp", "iat", "iss", "jti", "sub"])
            #expect(claims["iss"] == "https://app.example/client.json" && claims["sub"] == claims["iss"])
            #expect(claims["aud"] == "https://pds.test")
            // Dated back like the proof, because servers refuse times in the future (protocol:R78).
            let issuedAt = try #require(claims["iat"]?.integer)
            #expect(issuedAt == proof.issuedAt && issuedAt < DPoPSession.seconds)
            #expect(claims["exp"]?.integer == issuedAt + 60)
            #expect(request.form?.single("client_id") == "https://app.example/client.json")
        }
        #expect(Set(try session.requests.map { try assertion(of: $0).claims["jti"]?.string }).count == 4)
    }

    @Test("an assertion for the holder of a session key names the key, and is else like every other")
    func boundAssertion() async throws {
        let sessionKey = try DPoPKey().publicKey
        let time = Date(timeIntervalSince1970: 1_800_000_000)
        let claims = try await [
            key.assertion(clientID: "c", issuer: "i", issuedAt: time),
            key.assertion(clientID: "c", issuer: "i", issuedAt: time, boundTo: sessionKey),
        ].map { text in
            let payload = try #require(text.split(separator: ".").dropFirst().first)
            return try JSONParser.parse(try #require(Base64URL.decode(String(payload))))
        }
        #expect(claims[0]["cnf"] == nil)
        #expect(claims[1]["cnf"] == ["jkt": .string(sessionKey.thumbprint)])
        for name in ["iss", "sub", "aud", "iat", "exp"] { #expect(claims[0][name] == claims[1][name]) }
        #expect(claims[0]["jti"] != claims[1]["jti"])
    }

    @Test("the second sending of a request has an assertion of its own", .covers("R79")) func secondSending()
        async throws
    {
        let session = try session(
            .json(nonceChallenge, status: 400, try fields(["DPoP-Nonce": "n"])), Self.tokens)
        _ = try await session.refresh()
        let assertions = try session.requests.map { try assertion(of: $0) }
        #expect(assertions.count == 2)
        #expect(assertions[0].claims["jti"] != assertions[1].claims["jti"])
        let forms = session.requests.map { $0.form }
        #expect(forms[0]?.single("refresh_token") == forms[1]?.single("refresh_token"))
    }

    @Test("without the key that the session is bound to, nothing is sent", .covers("R80")) func missingKey()
        async throws
    {
        let another = Client(Self.clientID, authentication: .privateKeyJWT(keyID: "another"))
        let session = try session(client: another)
        let error = await #expect(throws: OAuthError.self) { _ = try await session.refresh() }
        guard case .noClientKey = error?.code else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.refreshVerdict == .nothingSent)
        #expect(session.requests.isEmpty)
    }

    @Test("a thousand assertions have a thousand ids and the thumbprint of the key", .covers("R78", "R79"))
    func thousand() async throws {
        let issuer = try Issuer(validating: "https://pds.test", profile: .atproto, policy: NetworkPolicy())
        var ids: Set<String> = []
        for _ in 1...1000 {
            let form = try await key.parameters(
                authenticating: Self.clientID, to: issuer, issuedAt: DPoPSession.now, endpoint: .token)
            let parts = try #require(form.single("client_assertion")).split(separator: ".")
            let decoded = try parts.prefix(2).map {
                try JSONParser.parse(try #require(Base64URL.decode(String($0))))
            }
            #expect(decoded[0]["kid"]?.string == key.publicKey.thumbprint)
            ids.insert(try #require(decoded[1]["jti"]?.string))
        }
        #expect(ids.count == 1000)
    }

    @Test("a source of assertions may be elsewhere; if it fails, nothing is sent") func elsewhere()
        async throws
    {
        struct Unplugged: Error, CustomStringConvertible { let description = "the server is away" }
        struct Elsewhere: ClientAssertionSource {
            let keyID: String
            func assertion(clientID: String, issuer: String, issuedAt: Date) async throws -> String {
                throw Unplugged()
            }
        }
        let session = try session(assertions: Elsewhere(keyID: key.keyID))
        let error = await #expect(throws: OAuthError.self) { _ = try await session.refresh() }
        #expect(
            error?.code
                == .cryptography(.operationFailed("the source of client assertions: the server is away")))
        #expect(error?.refreshVerdict == .nothingSent && session.requests.isEmpty)
    }

    @Test("a public client sends its name and nothing that proves it") func publicClient() async throws {
        let session = try session(Self.tokens, client: Client(Self.clientID))
        _ = try await session.refresh()
        #expect(
            session.names(of: session.requests.first) == ["grant_type", "refresh_token", "client_id"])
    }

    @Test("no key is printed") func redacted() {
        #expect("\(key)" == "<redacted>")
    }
}
