import ATPJSON
import ATPNetworking
import ATProtoIdentity
import BskyAuthCovers
import BskyAuthTestSupport
import Testing

@Suite("MiniDocumentResolver") struct MiniDocumentResolverTests {
    private static let did = "did:plc:ewvi7nxzyoun6zhxrhs64oiz"
    private static let service = Origin(scheme: .https, host: "slingshot.example.com")
    private static let path = "https://slingshot.example.com/xrpc/com.bad-example.identity.resolveMiniDoc"
    private static let byHandle = "\(path)?identifier=alice.example.com"
    private static let byDID = "\(path)?identifier=did%3Aplc%3Aewvi7nxzyoun6zhxrhs64oiz"
    private let transport = ScriptedTransport()
    private let resolver: IdentityResolver

    init() {
        let policy = NetworkPolicy()
        resolver = IdentityResolver(
            handles: HandleResolver(
                transport: transport, textRecords: ScriptedTextRecords(), policy: policy),
            dids: DIDResolver(transport: transport, policy: policy), cache: MemoryIdentityCache(),
            shortcut: MiniDocumentResolver(transport: transport, policy: policy, service: Self.service))
    }

    private static func document(
        did: String = did, handle: String = "alice.example.com", pds: String = "https://pds.example.com"
    ) -> ScriptedTransport.Answer {
        .json(["did": .string(did), "handle": .string(handle), "pds": .string(pds), "signing_key": "z"])
    }

    @Test("leads to an account in one request", .covers("C6", "D1")) func one() async throws {
        transport.answer(Self.byHandle, Self.document())
        let identity = try await resolver.resolve(
            ATIdentifier(validating: "alice.example.com"), freshness: .cached)
        #expect(identity.did.description == Self.did && identity.pds.host == "pds.example.com")
        #expect(!identity.isFirstHand)
        #expect(transport.urls == [Self.byHandle])
    }

    @Test("is not asked where an answer has to be proven", .covers("R10", "D5")) func proven() async throws {
        transport.answer(Self.byDID, Self.document())
        await #expect(throws: IdentityError.self) {
            try await resolver.resolve(ATIdentifier(validating: Self.did), freshness: .now)
        }
        #expect(!transport.urls.contains(Self.byDID))
    }

    @Test(
        "an answer that can't be used leads back to asking directly", .covers("R11", "D1", "D2"),
        arguments: [
            document(handle: "mallory.example.com"), document(handle: "handle.invalid"),
            document(pds: "http://pds.example.com"), document(pds: "https://pds.example.com/path"),
            document(did: "did:x:y"), .json(["error": "InvalidRequest"], status: 400), .text("<html>"),
            .failure(.timedOut), .text("", status: 401), .text("", status: 403), .text("", status: 404),
            .text("", status: 451), .text("", status: 500),
        ])
    func fallsBack(answer: ScriptedTransport.Answer) async throws {
        transport.answer(Self.byHandle, answer)
        await #expect(throws: IdentityError.self) {
            try await resolver.resolve(ATIdentifier(validating: "alice.example.com"), freshness: .cached)
        }
        #expect(transport.urls.contains("https://alice.example.com/.well-known/atproto-did"))
    }

    @Test(
        "does not decide that a DID has no handle", .covers("D1", "R85"),
        arguments: ["handle.invalid", "alice"])
    func noHandle(_ name: String) async throws {
        transport.answer(Self.byDID, Self.document(handle: name))
        let service: JSONValue = [
            "id": "#atproto_pds", "type": "AtprotoPersonalDataServer",
            "serviceEndpoint": "https://pds.example.com",
        ]
        transport.answer(
            "https://plc.directory/did%3Aplc%3Aewvi7nxzyoun6zhxrhs64oiz",
            .json([
                "id": .string(Self.did), "alsoKnownAs": ["at://alice.example.com"], "service": [service],
            ]))
        transport.answer("https://alice.example.com/.well-known/atproto-did", .text(Self.did))
        let identity = try await resolver.resolve(ATIdentifier(validating: Self.did), freshness: .cached)
        #expect(identity.handle?.description == "alice.example.com" && identity.isFirstHand)
    }

    @Test("never hears of a reserved name") func reserved() async throws {
        await #expect(throws: IdentityError.self) {
            try await resolver.resolve(ATIdentifier(validating: "alice.invalid"), freshness: .cached)
        }
        #expect(transport.urls.isEmpty)
    }
}
