import ATPJSON
import ATPNetworking
import ATProtoIdentity
import ATProtoSessions
import ATProtoXRPC
import BskyAuthCovers
import BskyAuthTestSupport
import Foundation
import OAuthDPoP
import Testing

@testable import BskyAuthCore

/// With no configuration at all: the policy of the real network, the public directory, DNS and https.
@Suite("The real network, unconfigured") struct RealNetworkTests {
    let world: World

    init() throws {
        world = try World()
        world.network.answer(World.token, World.tokens("first", scope: LoginRequest.defaultScope))
        world.approve()
    }

    @Test("a handle leads by its TXT record to plc.directory, the PDS and the issuer", .covers("D2"))
    func textRecord()
        async throws
    {
        world.dns.set("_atproto.alice.example.com", ["did=\(World.did)"])
        world.network.answer("https://alice.example.com/.well-known/atproto-did", .text("", status: 404))
        let outcome = try await world.login("@alice.example.com")
        #expect(outcome.account.did.description == World.did)
        let asked = world.network.requests.map(\.url.withoutQuery)
        for url in [World.plc, World.resourceMetadata, World.serverMetadata, World.par, World.token] {
            #expect(asked.contains(url), "\(url)")
        }
        #expect(world.network.requests.allSatisfy { $0.url.origin.scheme == .https })
    }

    @Test("or by https at its own host") func wellKnown() async throws {
        let outcome = try await world.login("alice.example.com")
        #expect(outcome.account.handle?.description == "alice.example.com")
        #expect(
            world.network.requests(to: "https://alice.example.com/.well-known/atproto-did").isEmpty == false)
    }

    @Test(
        "a did:web is read from its host, with issuer and PDS on hosts of their own",
        .covers("R46", "C1", "F17")) func web()
        async throws
    {
        let did = "did:web:bob.example.net"
        let (pds, issuer) = ("https://morel.us-east.host.bsky.network", "https://bsky.social")
        let document: JSONValue = [
            "id": .string(did), "alsoKnownAs": ["at://bob.example.net"],
            "service": [
                [
                    "id": "#atproto_pds", "type": "AtprotoPersonalDataServer",
                    "serviceEndpoint": .string(pds),
                ]
            ],
        ]
        world.network.answer("https://bob.example.net/.well-known/did.json", .json(document))
        world.dns.set("_atproto.bob.example.net", ["did=\(did)"])
        world.network.answer(
            "\(pds)/.well-known/oauth-protected-resource",
            .json(["resource": .string(pds), "authorization_servers": [.string(issuer)]]))
        guard
            case .response(_, let fields, let bytes) = try Transcript.answer(
                "002-authorization-server-metadata")
        else { return }
        let text = String(decoding: bytes, as: UTF8.self)
            .replacing(
                "\"protected_resources\":[\"\(World.pds)\"]", with: "\"protected_resources\":[\"\(pds)\"]"
            )
            .replacing(World.pds, with: issuer)
        world.network.answer(
            "\(issuer)/.well-known/oauth-authorization-server", .response(200, fields, Array(text.utf8)))
        world.network.answer("\(issuer)/oauth/par", try Transcript.answer("101-par-portless-client-redirect"))
        world.network.answer("\(issuer)/oauth/token", World.tokens("bob", sub: did))
        world.approve(issuer: issuer)
        let outcome = try await world.login("bob.example.net")
        #expect(outcome.account.pds.description == pds)
        #expect(outcome.session.credential.oauth?.issuer.description == issuer)
        let call = XRPCRequest(.query, try NSID(validating: "com.atproto.server.getSession"))
        world.network.answer("\(pds)/xrpc/com.atproto.server.getSession", .json([:]))
        let response = try await CallFlow(world.environment.context, as: outcome.account.id).send(
            call, lockTimeout: .zero)
        #expect(response.status == 200)
    }

    @Test(
        "plain http and reserved names are not for it", arguments: ["alice.test", "http://pds.example.com"])
    func refused(identifier: String) async throws {
        await #expect(throws: (any Error).self) { try await world.login(identifier) }
        #expect(world.network.requests.isEmpty && world.browser.prompts.isEmpty)
    }
}
