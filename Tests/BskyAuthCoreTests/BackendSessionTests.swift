import ATPCryptography
import ATPJSON
import ATPNetworking
import ATProtoIdentity
import ATProtoSessions
import ATProtoVault
import BskyAuthTestSupport
import Foundation
import OAuthDPoP
import Testing

@testable import BskyAuthCore

/// Sessions of a confidential client whose key only a backend has.
@Suite("Backend sessions") struct BackendSessionTests {
    private static let endpoint = "https://auth.example.com/oauth/client-assertion"
    private static let clientID = ClientID("https://auth.example.com/oauth-client-metadata.json")

    private let world: World
    private let key: ClientKey
    private let backend: AssertionBackend

    init() throws {
        world = try World()
        key = try ClientKey()
        backend = AssertionBackend(
            origin: try HTTPURL(validating: "https://auth.example.com").origin,
            certificate: ClientCertificate(file: "/c.pem", keyFile: "/k.pem"))
    }

    private func session(life: Double = 0) throws -> Session {
        try World.session(
            life: life, client: Client(Self.clientID, authentication: .backend(backend, keyID: key.keyID)))
    }

    /// Has the backend answer for the key of a session.
    private func admit(_ session: Session) async throws {
        let jwk = try #require(session.credential.oauth).key.publicKey
        let text = try await key.assertion(
            clientID: Self.clientID.description, issuer: World.pds, issuedAt: World.start, boundTo: jwk)
        world.network.answer(
            Self.endpoint,
            .json(["client_id": .string(Self.clientID.description), "client_assertion": .string(text)]))
    }

    private func refuse() {
        world.network.answer(Self.endpoint, .json(["error": "access_denied"], status: 403))
    }

    private func isAssertionFailure(_ error: (any Error)?) -> Bool {
        guard case SessionFailure.oauth(let cause, _)? = error else { return false }
        return cause.endpoint == .clientAssertion
    }

    @Test("a record names the backend and the files of the certificate, and comes back as it was")
    func record() throws {
        let session = try session()
        let json = try JSONParser.parse(session.record.bytes)
        #expect(json["client_assertions"] == "https://auth.example.com")
        #expect(json["client_certificate"] == "/c.pem" && json["client_certificate_key"] == "/k.pem")
        // By this, an earlier version looks for a key that it does not have, and sends nothing.
        #expect(json["client_key_id"] == .string(key.keyID))
        let read = try Session(record: session.record).credential.oauth?.client
        #expect(read == session.credential.oauth?.client && read?.isConfidential == true)
    }

    @Test(
        "the members of a record must fit together",
        arguments: ["client_assertions", "client_certificate_key"])
    func malformedRecord(member: String) throws {
        var json = try #require(JSONParser.parse(try session().record.bytes).object)
        json[member] = member == "client_assertions" ? "no URL" : .null
        let record = SecretBytes(Array(JSONValue.object(json).text.utf8))
        #expect(throws: UnreadableRecord(member: member)) { try Session(record: record) }
    }

    @Test("a refresh sends an assertion of the backend") func refresh() async throws {
        let session = try session()
        try await admit(session)
        let id = try await world.add(session)
        #expect(try await world.refresh(id).0 == .refreshed)
        let sent = try #require(world.network.requests(to: World.token).first)
        #expect(sent.form?.single("client_assertion") != nil && sent.clientCertificate == nil)
        let asked = try #require(world.network.requests(to: Self.endpoint).first)
        #expect(asked.clientCertificate == backend.certificate)
        #expect(world.network.requests.filter { $0.clientCertificate != nil }.count == 1)
        // What is stored still names the backend.
        #expect(try world.accounts.session(id).credential.oauth?.client.backend == backend)
    }

    @Test("without an assertion a refresh sends nothing, and the next one works at once") func refused()
        async throws
    {
        refuse()
        let session = try session()
        let id = try await world.add(session)
        for _ in 1...2 {
            let error = await #expect(throws: SessionFailure.self) { try await world.refresh(id) }
            #expect(isAssertionFailure(error))
        }
        #expect(world.network.requests(to: World.token).isEmpty)
        #expect(try world.accounts.session(id).record == session.record)
        #expect(try await world.intent(of: id) == nil)
        try await admit(session)
        #expect(try await world.refresh(id).0 == .refreshed)
    }

    @Test("without an assertion a logout keeps the account") func logout() async throws {
        refuse()
        let id = try await world.add(session())
        let error = await #expect(throws: SessionFailure.self) {
            try await LogoutFlow(world.environment).logout(id, isStrict: false, lockTimeout: .zero)
        }
        #expect(isAssertionFailure(error))
        #expect(world.network.requests(to: World.revoke).isEmpty)
        #expect(try world.accounts.session(id).state == .ok)
    }

    @Test("a login that gets no assertion for its key pushes no request and saves nothing") func login()
        async throws
    {
        // An assertion for another session key.
        try await admit(session())
        let request = LoginRequest(
            identifier: try LoginIdentifier(parsing: "alice.example.com"), label: nil,
            scope: Scope("atproto"), client: .backend(backend, code: SecretBytes(Array("code".utf8))),
            ports: nil, timeout: .seconds(600), makesActive: false)
        let error = await #expect(throws: SessionFailure.self) {
            try await LoginFlow(world.environment, world.interaction).run(request)
        }
        #expect(isAssertionFailure(error))
        #expect(world.network.requests(to: World.par).isEmpty)
        #expect(try await world.accounts.entries().isEmpty)
    }
}
