import ATPJSON
import ATPNetworking
import ATProtoIdentity
import BskyAuthTestSupport
import Foundation
import OAuthDPoP
import Synchronization
import Testing

@testable import ATProtoSessions

/// What an app can put in the place of our own parts.
@Suite("A client takes an app's own") struct PortTests {
    /// A client of the world's account with other parts.
    private func client(
        _ world: ClientWorld, as identity: ClientIdentity? = nil, identities: (any IdentitySource)? = nil,
        runner: (any RotationRunner)? = nil
    ) -> ATProtoClient {
        ATProtoClient(
            as: identity ?? .loopback(redirectURI: "http://127.0.0.1/callback", scope: "atproto"),
            store: world.store, transport: world.transport,
            identities: identities ?? NetworkIdentities(transport: world.transport, textRecords: nil),
            runner: runner)
    }

    // MARK: Client assertions

    private struct Backend: ClientAssertionSource {
        let key: ClientKey
        var keyID: String { key.keyID }
        func assertion(clientID: String, issuer: String, issuedAt: Date) async throws -> String {
            try await key.assertion(clientID: clientID, issuer: issuer, issuedAt: issuedAt)
        }
    }

    private func confidential(_ backends: [Backend]) -> ClientIdentity {
        ClientIdentity(
            clientID: "https://app.example.com/client.json", redirectURI: "https://app.example.com/done",
            scope: "atproto", assertions: backends)
    }

    @Test("source of client assertions, by which the session stays bound to the key of its login")
    func assertions() async throws {
        let world = try await ClientWorld()
        try await world.store.remove(world.account.id)
        world.transport.answer(
            "\(Sessions.pds)/oauth/par",
            .json(["request_uri": "urn:ietf:params:oauth:request_uri:r", "expires_in": 300], status: 201))
        let backends = [Backend(key: try ClientKey()), Backend(key: try ClientKey())]
        let first = client(world, as: confidential([backends[0]]))
        let pending = try await first.begin(Sessions.did)
        let redirect =
            "https://app.example.com/done?code=c&state=\(pending.authorization.state.value)&iss=\(Sessions.pds)"
        let account = try await first.complete(pending, redirect: redirect)
        let stored = try await world.store.session(account.id)
        #expect(stored.credential.oauth?.client.keyID == backends[0].keyID)
        let forms =
            (world.transport.requests(to: "\(Sessions.pds)/oauth/par")
            + world.transport.requests(to: ClientWorld.token)).map { request in
                guard case .bytes(let bytes) = request.body else { return "" }
                return String(decoding: bytes, as: UTF8.self)
            }
        #expect(forms.count == 2 && forms.allSatisfy { $0.contains("client_assertion=") })

        // A client with a newer key goes on with the older one, and a client without it sends nothing.
        try await client(world, as: confidential([backends[1], backends[0]])).refresh(account.id)
        let before = world.transport.urls.count
        let failure = await code { () throws(ATProtoFailure) in
            try await client(world, as: confidential([backends[1]])).refresh(account.id)
        }
        #expect(failure == .clientKeyMissing && world.transport.urls.count == before)
        let lost = await code { () throws(ATProtoFailure) in
            try await client(world, as: confidential([backends[1]])).logOut(account.id)
        }
        #expect(lost == .clientKeyMissing)
        #expect(try await world.store.accounts() == [account])
    }

    // MARK: Identities

    /// A mirror that knows one account.
    private struct Mirror: IdentitySource {
        let pds: String

        func did(of handle: Handle) async throws(IdentityError) -> DID {
            guard handle.description == "alice.example.com", let did = DID(Sessions.did) else {
                throw .notFound(handle.description)
            }
            return did
        }

        func document(of did: DID) async throws(IdentityError) -> DIDDocument {
            try DIDDocument(
                """
                {"id": "\(Sessions.did)", "alsoKnownAs": ["at://alice.example.com"], "service": [{"id": "#atproto_pds",
                "type": "AtprotoPersonalDataServer", "serviceEndpoint": "\(pds)"}]}
                """, of: did)
        }
    }

    @Test("source of identities, whose answers are checked like any other") func identities() async throws {
        let world = try await ClientWorld.expired()
        try await client(world, identities: Mirror(pds: Sessions.pds)).refresh(world.account.id)
        #expect(!world.transport.urls.contains { $0.contains("plc.directory") })

        let unknown = await code { () throws(ATProtoFailure) in
            _ = try await client(world, identities: Mirror(pds: Sessions.pds)).begin("bob.example.com")
        }
        #expect(unknown == .noSuchAccount)
        // The private network is refused in any document.
        let inside = await code { () throws(ATProtoFailure) in
            try await client(world, identities: Mirror(pds: "https://10.0.0.1")).refresh(world.account.id)
        }
        #expect(inside == .identity)
    }

    // MARK: Rotations

    /// Runs rotations in another client, as a process of its own does.
    private final class Elsewhere: RotationRunner {
        let client: ATProtoClient?
        let asked = Mutex<[RotationRequest]>([])

        init(_ client: ATProtoClient?) {
            self.client = client
        }

        func rotate(_ request: RotationRequest) async throws -> RefreshOutcome? {
            asked.withLock { $0.append(request) }
            guard let client, let sent = RotationRequest(archive: request.archive) else { return nil }
            return try await client.rotate(for: sent)
        }
    }

    @Test(
        "runner of rotations; without an answer of it, the client rotates by itself",
        arguments: [true, false])
    func runner(isThere: Bool) async throws {
        let world = try await ClientWorld.expired()
        let runner = Elsewhere(isThere ? world.client : nil)
        let client = client(world, runner: runner)
        let events = client.events
        let answer: ClientWorld.Answer = try await client.agent(for: world.account.id)
            .query("com.atproto.server.getSession")
        #expect(answer.did == Sessions.did && world.grants == 1)
        #expect(runner.asked.withLock { $0.map(\.account) } == [world.account.id])
        guard !isThere else { return }
        var told = events.makeAsyncIterator()
        #expect(await told.next()?.kind == .refreshed)
    }

    @Test("runner, whose request is read back as it was") func request() throws {
        let request = RotationRequest(
            account: UUID(), seen: "f", isForced: true, isRefused: false, awaitsRefresh: true,
            lockTimeout: .milliseconds(1500))
        #expect(RotationRequest(archive: request.archive) == request)
        #expect(RotationRequest(archive: "{}") == nil)
    }
}
