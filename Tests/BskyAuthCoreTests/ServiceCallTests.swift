import ATPCryptography
import ATPJSON
import ATPNetworking
import ATProtoIdentity
import ATProtoVault
import ATProtoXRPC
import BskyAuthCovers
import BskyAuthTestSupport
import Foundation
import HTTPTypes
import OAuthDPoP
import Testing

@testable import BskyAuthCore

@Suite("Calls of a service") struct ServiceCallTests {
    private static let document = "https://svc.example.com/.well-known/did.json"
    private static let auth = World.pds + "/xrpc/com.atproto.server.getServiceAuth"
    private static let method = "https://api.example.com/xrpc/com.example.feed.read"
    private let world: World
    private let service: ServiceReference
    private let request: XRPCRequest

    init() throws {
        world = try World()
        service = try ServiceReference(validating: "did:web:svc.example.com#feed")
        request = XRPCRequest(.query, try NSID(validating: "com.example.feed.read"), parameters: ["q": "x"])
        world.network.answer(Self.document, Self.document(endpoint: "https://api.example.com"))
        world.network.answer(Self.auth, Self.token("one"), Self.token("two"))
        world.network.answer(Self.method, .json([:]))
    }

    private static func document(endpoint: String) -> ScriptedTransport.Answer {
        .json([
            "id": "did:web:svc.example.com",
            "service": [
                ["id": "#other", "type": "Feed", "serviceEndpoint": "https://other.example.com"],
                ["id": "#feed", "type": "Feed", "serviceEndpoint": .string(endpoint)],
            ],
        ])
    }

    private static func token(_ signature: String) -> ScriptedTransport.Answer {
        let claims: JSONValue = [
            "iss": .string(World.did), "aud": "did:web:svc.example.com", "lxm": "com.example.feed.read",
            "exp": JSONValue(Int64(World.start.timeIntervalSince1970) + 60),
        ]
        return .json(["token": .string("e30.\(Base64URL.encode(Array(claims.text.utf8))).\(signature)")])
    }

    private func client() async throws -> ServiceXRPCClient {
        let id = try await world.add(try World.session())
        return ServiceXRPCClient(
            world.environment, as: try world.accounts.account(id), to: service, namesService: false,
            lockTimeout: .zero)
    }

    /// The requests to every server but the account's own.
    private var foreign: [TransportRequest] {
        world.network.requests.filter { $0.url.origin.description != World.pds }
    }

    @Test(
        "go to the server of the DID document, with a new token each and nothing of the account",
        .covers("X13"))
    func tokens() async throws {
        let client = try await client()
        for _ in 1...2 { _ = try await client.call(request) }
        #expect(
            foreign.map(\.url.description) == [Self.document]
                + Array(repeating: Self.method + "?q=x", count: 2))
        let calls = foreign.dropFirst()
        #expect(calls.allSatisfy { $0.headerFields.dpopProof == nil && $0.headerFields.count == 1 })
        let tokens = calls.compactMap { $0.headerFields[.authorization] }
        #expect(tokens.allSatisfy { $0.hasPrefix("Bearer e30.") && !$0.contains("first-access") })
        #expect(tokens.map { $0.suffix(4) } == [".one", ".two"])
    }

    @Test(
        "are not sent where the document names no server that may be called", .covers("X13"),
        arguments: [
            ("http://api.example.com", InvalidDIDDocument.endpointRefused(.plainHTTP)),
            ("https://127.0.0.1", .endpointRefused(.privateAddress)),
            ("https://169.254.169.254", .endpointRefused(.privateAddress)),
            ("https://api.example.com/path", .endpointNotAnOrigin), ("api.example.com", .endpointNotAnOrigin),
        ])
    func refusedEndpoint(endpoint: String, problem: InvalidDIDDocument) async throws {
        world.network.answer(Self.document, Self.document(endpoint: endpoint))
        let client = try await client()
        await #expect {
            _ = try await client.call(request)
        } throws: { error in
            guard case CoreError.unusableService(service, let error) = error else { return false }
            return error.code == .invalidDocument(problem) && !error.mayPass
        }
        // No token was asked for.
        #expect(world.network.requests.map(\.url.description) == [Self.document])
    }

    @Test("do not follow a redirect, and do not take the document of another DID", .covers("X13"))
    func redirects() async throws {
        world.network.answer(Self.method, .redirect("https://evil.example.com/"))
        let client = try await client()
        await #expect {
            _ = try await client.call(request)
        } throws: { error in
            if case CoreError.serviceRedirects(service, _) = error { true } else { false }
        }
        #expect(!foreign.contains { $0.url.origin.host == "evil.example.com" })
        world.network.answer(Self.document, .json(["id": "did:web:evil.example.com"]))
        let other = try await self.client()
        await #expect {
            _ = try await other.call(request)
        } throws: { error in
            guard case CoreError.unusableService(_, let error) = error else { return false }
            return error.code == .invalidDocument(.otherSubject("did:web:evil.example.com"))
        }
    }

    @Test("that the service refuses name the service and how it was addressed")
    func refused() async throws {
        world.network.answer(Self.method, .json(["error": "BadJwtAudience"], status: 401))
        let client = try await client()
        await #expect {
            _ = try await client.call(request)
        } throws: { error in
            guard case CoreError.callRefused(let refusal) = error,
                case .atService(_, let server, namesService: false) = refusal.sender
            else { return false }
            return server.host == "api.example.com" && refusal.error.name == "BadJwtAudience"
        }
    }
}
