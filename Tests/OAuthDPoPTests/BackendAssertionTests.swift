import ATPCryptography
import ATPJSON
import ATPNetworking
import ATProtoOAuth
import BskyAuthCovers
import BskyAuthTestSupport
import Foundation
import HTTPTypes
import Testing

@testable import OAuthDPoP

/// Assertions of a backend that has the client's key (proposal 0010 of bluesky-social).
@Suite("Backend assertions") struct BackendAssertionTests {
    private static let clientID = "https://auth.example.com/oauth-client-metadata.json"
    private static let certificate = ClientCertificate(file: "/runner.pem", keyFile: "/runner.key")

    private let issuer: Issuer
    private let sessionKey: DPoPKey
    private let network = ScriptedTransport()
    private let store = ServerMemory()

    init() throws {
        issuer = try Issuer(validating: "https://pds.test", profile: .atproto, policy: NetworkPolicy())
        sessionKey = try DPoPKey()
    }

    private var requester: AssertionRequester {
        get throws {
            let backend = AssertionBackend(
                origin: try url("https://auth.example.com").origin, certificate: Self.certificate)
            return AssertionRequester(
                backend, key: sessionKey, transport: network, nonces: store, clock: store,
                now: { DPoPSession.now })
        }
    }

    /// An answer with changes. A change to null removes the member.
    private func answer(
        header: JSONObject = [:], claims: JSONObject = [:], clientID: String = clientID
    ) -> ScriptedTransport.Answer {
        func merged(_ own: JSONObject, _ changes: JSONObject) -> JSONValue {
            var object = own
            for change in changes.members { object[change.name] = change.value.isNull ? nil : change.value }
            return .object(object)
        }
        let head = merged(["alg": "ES256", "typ": "JWT", "kid": "key-1"], header)
        let body = merged(
            [
                "iss": .string(Self.clientID), "sub": .string(Self.clientID), "aud": "https://pds.test",
                "jti": "1", "iat": JSONValue(DPoPSession.seconds), "exp": JSONValue(DPoPSession.seconds + 60),
                "cnf": ["jkt": .string(sessionKey.thumbprint)],
            ], claims)
        return .json([
            "client_id": .string(clientID),
            "client_assertion": .string("\(JWS.encoded(head)).\(JWS.encoded(body)).AAAA"),
        ])
    }

    private func ask(_ answer: ScriptedTransport.Answer, keyID: String = "key-1") async throws -> String {
        network.answer("https://auth.example.com/oauth/client-assertion", answer)
        return try await BackendAssertions(requester, keyID: keyID).assertion(
            clientID: Self.clientID, issuer: issuer.description, issuedAt: DPoPSession.now)
    }

    private func wrongPart(_ work: () async throws -> Void) async -> String? {
        let error = await #expect(throws: OAuthError.self) { try await work() }
        #expect(error?.endpoint == .clientAssertion && error?.refreshVerdict == .nothingSent)
        guard case .wrongAssertion(let part) = error?.code else {
            Issue.record("\(String(describing: error))")
            return nil
        }
        return part
    }

    @Test("a request has the issuer, a proof of the session key and the certificate", .covers("F16"))
    func request()
        async throws
    {
        _ = try await ask(answer())
        let sent = try #require(network.requests.first)
        #expect(sent.form?.encoded == "aud=https%3A%2F%2Fpds.test")
        #expect(sent.method == .post && sent.clientCertificate == Self.certificate)
        let proof = try ReadProof(#require(sent.headerFields.dpopProof))
        #expect(proof.claims["htm"] == "POST")
        #expect(proof.claims["htu"] == "https://auth.example.com/oauth/client-assertion")
        #expect(proof.header["jwk"]?["x"] == sessionKey.publicKey.documentEntry["x"])
    }

    @Test("a nonce is answered, and the code is sent to the backend each time") func nonce() async throws {
        network.answer(
            "https://auth.example.com/oauth/client-assertion",
            .json(nonceChallenge, status: 400, try fields(["DPoP-Nonce": "n"])), answer())
        let first = try await requester.enrol(at: issuer, code: SecretBytes(Array("one-time".utf8)))
        #expect(first.clientID == ClientID(Self.clientID) && first.keyID == "key-1")
        #expect(
            network.requests.map { $0.form?.single("enrolment_code") } == ["one-time", "one-time"])
        let proofs = try network.requests.map { try ReadProof(#require($0.headerFields.dpopProof)) }
        #expect(proofs.map(\.nonce) == [nil, "n"])
    }

    @Test(
        "an assertion for something else is refused",
        arguments: [
            ("iss", "https://evil.example/c.json"), ("sub", "https://evil.example/c.json"),
            ("aud", "https://evil.example"), ("aud", ["https://pds.test"]), ("cnf", ["jkt": "x"]),
            ("cnf", .null),
            ("exp", JSONValue(DPoPSession.seconds)), ("exp", JSONValue(DPoPSession.seconds + 301)),
            ("exp", .null), ("exp", "2027"),
        ] as [(String, JSONValue)])
    func wrongClaim(name: String, value: JSONValue) async {
        let part = await wrongPart { _ = try await ask(answer(claims: [name: value])) }
        #expect(part == name)
        let atLogin = await wrongPart { _ = try await requester.enrol(at: issuer, code: nil) }
        #expect(atLogin == name)
    }

    @Test("another client or another key than those of the login is refused") func otherClient() async {
        let other = "https://auth.example.com/another.json"
        let client = await wrongPart {
            _ = try await ask(
                answer(claims: ["iss": .string(other), "sub": .string(other)], clientID: other))
        }
        #expect(client == "client_id")
        let foreign = await wrongPart { _ = try await ask(answer(clientID: other)) }
        #expect(foreign == "iss")
        let key = await wrongPart { _ = try await ask(answer(), keyID: "key-2") }
        #expect(key == "kid")
        for kid: JSONValue in [.null, ""] {
            #expect(await wrongPart { _ = try await ask(answer(header: ["kid": kid])) } == "kid")
        }
    }

    @Test(
        "what is no assertion is refused",
        arguments: ["{}", "no JSON", #"{"client_id":"x"}"#, #"{"client_id":"x","client_assertion":"a.b"}"#])
    func malformed(text: String) async {
        #expect(await wrongPart { _ = try await ask(.text(text, type: "application/json")) } != nil)
    }

    @Test("the time of the backend counts, not that of this machine") func otherClock() async throws {
        store.remember(offset: 3600, for: try url("https://auth.example.com").origin)
        #expect(await wrongPart { _ = try await ask(answer()) } == "exp")
        _ = try await ask(answer(claims: ["exp": JSONValue(DPoPSession.seconds + 3660)]))
    }

    @Test(
        "without an assertion the refresh token is not sent",
        arguments: [
            .json(["error": "access_denied"], status: 403), .json(["error": "invalid_grant"], status: 400),
            .json(["error": "invalid_client"], status: 401), .failure(.connectionLost, wasSent: true),
        ] as [ScriptedTransport.Answer])
    func notSent(answer: ScriptedTransport.Answer) async throws {
        network.answer("https://auth.example.com/oauth/client-assertion", answer)
        let client = Client(ClientID(Self.clientID), authentication: .privateKeyJWT(keyID: "key-1"))
        let session = try ServerSession(
            [], client: client, assertions: BackendAssertions(requester, keyID: "key-1"))
        let error = await #expect(throws: OAuthError.self) { _ = try await session.refresh() }
        #expect(error?.endpoint == .clientAssertion && error?.refreshVerdict == .nothingSent)
        #expect(error?.isAboutClient == false)
        #expect(session.requests.isEmpty)
    }
}
