import ATPJSON
import ATPNetworking
import ATProtoIdentity
import BskyAuthCovers
import BskyAuthTestSupport
import HTTPTypes
import Testing

@Suite("IdentityResolver") struct IdentityResolverTests {
    private static let plc = "did:plc:ewvi7nxzyoun6zhxrhs64oiz"
    private static let other = "did:plc:7iza6de2dwap2sbkpav7c6c6"
    private static let plcURL = "https://plc.directory/did%3Aplc%3Aewvi7nxzyoun6zhxrhs64oiz"
    private static let wellKnown = "https://alice.example.com/.well-known/atproto-did"
    private let transport = ScriptedTransport()
    private let clock = ManualClock()
    private let resolver: IdentityResolver

    init() {
        let handles = HandleResolver(
            transport: transport, textRecords: ScriptedTextRecords(), policy: NetworkPolicy())
        let dids = DIDResolver(transport: transport, policy: NetworkPolicy())
        resolver = IdentityResolver(handles: handles, dids: dids, cache: MemoryIdentityCache(clock: clock))
        transport.answer(Self.wellKnown, .text(Self.plc))
        transport.answer(Self.plcURL, .json(Self.document()))
    }

    private static func document(
        _ did: String = plc, handle: String = "alice.example.com", pds: String = "https://pds.example.com"
    ) -> JSONValue {
        [
            "id": .string(did), "alsoKnownAs": [.string("at://\(handle)")],
            "service": [
                [
                    "id": "#atproto_pds", "type": "AtprotoPersonalDataServer",
                    "serviceEndpoint": .string(pds),
                ]
            ],
        ]
    }

    private func failure(_ text: String) async -> IdentityError? {
        await #expect(throws: IdentityError.self) {
            try await resolver.resolve(ATIdentifier(validating: text), freshness: .now)
        }
    }

    @Test("leads from a handle to its server", .covers("R14"))
    func handle() async throws {
        let identity = try await resolver.resolve(
            ATIdentifier(validating: "Alice.Example.com"), freshness: .cached)
        #expect(identity.did.description == Self.plc)
        #expect(identity.handle?.description == "alice.example.com")
        #expect(identity.pds == Origin(scheme: .https, host: "pds.example.com"))
        #expect(transport.requests.last?.headerFields[.accept] == "application/did+ld+json, application/json")
    }

    @Test("a handle its DID does not claim is refused", .covers("R8"))
    func mismatch() async throws {
        transport.answer(Self.plcURL, .json(Self.document(handle: "mallory.example.com")))
        let error = await failure("alice.example.com")
        #expect(error?.code == .handleMismatch(claimed: try Handle(validating: "mallory.example.com")))
        #expect(error?.step == .bidirectionalCheck)
        #expect(error?.kind == .failedVerification)
    }

    @Test("from a DID, the handle is kept only where it leads back", .covers("R9"))
    func handleOfDID() async throws {
        let did = try ATIdentifier(validating: Self.plc)
        let found = try await resolver.resolve(did, freshness: .now)
        #expect(found.handle?.description == "alice.example.com" && found.handleFailure == nil)
        for absence in [.text(Self.other), .text("", status: 404), .text("<html>")]
            as [ScriptedTransport.Answer]
        {
            transport.answer(Self.wellKnown, absence)
            let identity = try await resolver.resolve(did, freshness: .now)
            #expect(identity.handle == nil && identity.handleFailure == nil)
        }
        for failure in [.failure(.timedOut), .text("", status: 403)] as [ScriptedTransport.Answer] {
            transport.answer(Self.wellKnown, failure)
            let identity = try await resolver.resolve(did, freshness: .now)
            #expect(identity.handle == nil && identity.handleFailure?.kind == .unavailable)
        }
        transport.answer(Self.plcURL, .json(Self.document(handle: "alice.local")))
        #expect(try await resolver.resolve(did, freshness: .now).handle == nil)
    }

    @Test("a cancelled look-up is no missing handle")
    func cancellation() async throws {
        transport.answer(Self.wellKnown, .silence)
        let task = Task { try await resolver.resolve(ATIdentifier(validating: Self.plc), freshness: .cached) }
        while !transport.urls.contains(Self.wellKnown) { await Task.yield() }
        task.cancel()
        await #expect(throws: IdentityError.self) { try await task.value }
    }

    @Test("a document of someone else is a contradiction", .covers("R16"))
    func otherSubject() async {
        transport.answer(Self.plcURL, .json(Self.document(Self.other)))
        let error = await failure(Self.plc)
        #expect(error?.code == .invalidDocument(.otherSubject(Self.other)))
        #expect(error?.kind == .failedVerification)
        #expect(error?.url == Self.plcURL)
    }

    @Test("a document with a repeated name is refused")
    func repeatedName() async {
        transport.answer(Self.plcURL, .text(#"{"id":"\#(Self.plc)","id":"\#(Self.plc)"}"#))
        guard case .invalidDocument(.notJSON(let error)) = await failure(Self.plc)?.code else {
            Issue.record("another error")
            return
        }
        #expect(error.reason == .repeatedName)
    }

    @Test("a document is bounded", .covers("R7"))
    func hugeDocument() async {
        transport.answer(Self.plcURL, .text(String(repeating: " ", count: 70000)))
        guard case .transport(let error) = await failure(Self.plc)?.code else {
            Issue.record("another error")
            return
        }
        #expect(error.code == .tooLarge(limit: 65536))
    }

    @Test(
        "statuses of the directory mean what they say", .covers("R14"),
        arguments: [
            (404, .notFound), (410, .notFound), (301, .redirect), (500, .status(500)), (204, .status(204)),
        ]
            as [(Int, IdentityError.Code)])
    func statuses(_ status: Int, _ code: IdentityError.Code) async {
        transport.answer(Self.plcURL, .response(status, [.location: "https://evil.example.com/"], []))
        #expect(await failure(Self.plc)?.code == code)
        #expect(transport.urls == [Self.plcURL])
    }

    @Test("did:web is fetched from its host and from nowhere else", .covers("R15", "D3"))
    func web() async throws {
        let url = "https://bob.example.com/.well-known/did.json"
        transport.answer(url, .json(Self.document("did:web:bob.example.com", handle: "bob.example.com")))
        transport.answer("https://bob.example.com/.well-known/atproto-did", .text("did:web:bob.example.com"))
        let identity = try await resolver.resolve(
            ATIdentifier(validating: "did:web:bob.example.com"), freshness: .cached)
        #expect(identity.handle?.description == "bob.example.com")
        transport.answer(url, .redirect("https://other.example.com/did.json"))
        #expect(await failure("did:web:bob.example.com")?.code == .redirect)
    }

    @Test(
        "hosts that are not of the public network are not asked", .covers("R3", "R15"),
        arguments: [
            ("did:web:localhost", .unreachableHost), ("did:web:localhost%3A2583", .unreachableHost),
            ("did:web:example.com%3A8443", .unreachableHost), ("did:web:bob.test", .reservedName),
            ("did:web:printer.local", .reservedName),
        ] as [(String, IdentityError.Code)])
    func refusedHosts(_ did: String, _ code: IdentityError.Code) async {
        #expect(await failure(did)?.code == code)
        #expect(transport.requests.isEmpty)
    }

    @Test("the dev network has its own directory, and localhost with a port")
    func devNetwork() async throws {
        let policy = NetworkPolicy(devNetwork: Origin(scheme: .http, host: "localhost", port: 2583))
        let dids = DIDResolver(
            transport: transport, policy: policy,
            plcDirectory: try HTTPURL(validating: "http://localhost:2582/plc"))
        transport.answer(
            "http://localhost:2582/plc/did%3Aplc%3Aewvi7nxzyoun6zhxrhs64oiz", .text("", status: 404))
        transport.answer("http://localhost:2583/.well-known/did.json", .text("", status: 404))
        for did in [Self.plc, "did:web:localhost%3A2583"] {
            let error = await #expect(throws: IdentityError.self) {
                try await dids.document(of: DID(validating: did))
            }
            #expect(error?.code == .notFound)
        }
        let error = await #expect(throws: IdentityError.self) {
            try await dids.document(of: DID(validating: "did:web:bob.com"))
        }
        #expect(
            error?.code
                == .transport(
                    TransportError(
                        .refused(.outsideDevNetwork), requestWasSent: false,
                        url: "http://bob.com/.well-known/did.json")))
    }

    @Test(
        "the DID of a handle is kept under ten minutes, and asked for anew where that matters; the document is always new",
        .covers("R10"))
    func cache() async throws {
        let alice = try ATIdentifier(validating: "alice.example.com")
        #expect(try await resolver.resolve(alice, freshness: .cached).isFirstHand)
        clock.advance(by: .seconds(539))
        #expect(try await !resolver.resolve(alice, freshness: .cached).isFirstHand)
        #expect(try await !resolver.resolve(.did(DID(validating: Self.plc)), freshness: .cached).isFirstHand)
        #expect(transport.urls == [Self.wellKnown, Self.plcURL, Self.plcURL, Self.plcURL])
        _ = try await resolver.document(of: DID(validating: Self.plc), freshness: .cached)
        #expect(transport.requests.count == 4)
        _ = try await resolver.document(of: DID(validating: Self.plc), freshness: .now)
        #expect(transport.requests.count == 5)
        clock.advance(by: .seconds(1))
        _ = try await resolver.resolve(alice, freshness: .cached)
        #expect(transport.urls.suffix(2) == [Self.wellKnown, Self.plcURL])
        clock.advance(by: .seconds(540))
        _ = try await resolver.resolve(alice, freshness: .cached)
        #expect(transport.requests.count == 9)
    }

    @Test("a move to another server is seen at once") func moved() async throws {
        let alice = try ATIdentifier(validating: "alice.example.com")
        let before = try await resolver.resolve(alice, freshness: .cached)
        transport.answer(Self.plcURL, .json(Self.document(pds: "https://new.example.net")))
        let after = try await resolver.resolve(alice, freshness: .cached)
        #expect(before.pds != after.pds && after.pds.description == "https://new.example.net")
    }

    @Test("a handle that was changed a moment ago is not held against what is remembered")
    func changedHandle() async throws {
        _ = try await resolver.resolve(ATIdentifier(validating: "alice.example.com"), freshness: .cached)
        transport.answer("https://new.example.com/.well-known/atproto-did", .text(Self.plc))
        transport.answer(Self.plcURL, .json(Self.document(handle: "new.example.com")))
        let identity = try await resolver.resolve(
            ATIdentifier(validating: "new.example.com"), freshness: .cached)
        #expect(identity.did.description == Self.plc && identity.isFirstHand)
    }

    @Test("a handle that somebody names is always asked for again", .covers("R85"))
    func named() async throws {
        let alice = try ATIdentifier(validating: "alice.example.com")
        for answer in [.failure(.timedOut), .text("", status: 403)] as [ScriptedTransport.Answer] {
            transport.answer(Self.wellKnown, answer)
            let error = await #expect(throws: IdentityError.self) {
                try await resolver.resolve(alice, freshness: .cached)
            }
            #expect(error?.kind == .unavailable)
        }
        transport.answer(Self.wellKnown, .text("", status: 404))
        let error = await #expect(throws: IdentityError.self) {
            try await resolver.resolve(alice, freshness: .cached)
        }
        #expect(error?.kind == .doesNotExist)
        transport.answer(Self.wellKnown, .text(Self.plc))
        #expect(try await resolver.resolve(alice, freshness: .cached).did.description == Self.plc)
    }

    @Test("the absence of a handle that a document claims is kept for a minute", .covers("R85"))
    func cachedAbsence() async throws {
        let plc = try ATIdentifier(validating: Self.plc)
        transport.answer(Self.wellKnown, .text("", status: 404))
        #expect(try await resolver.resolve(plc, freshness: .cached).handle == nil)
        transport.answer(Self.wellKnown, .text(Self.plc))
        #expect(try await resolver.resolve(plc, freshness: .cached).handle == nil)
        clock.advance(by: .seconds(60))
        #expect(
            try await resolver.resolve(plc, freshness: .cached).handle?.description == "alice.example.com")
    }

    /// A source that answers with what the network says, as one does that asks somebody else first.
    private struct Indirect: IdentitySource {
        let network: NetworkIdentities
        let hasMore: Bool

        var dids: DIDResolver? { hasMore ? network.dids : nil }

        func did(of handle: Handle) async throws(IdentityError) -> DID { try await network.did(of: handle) }

        func document(of did: DID) async throws(IdentityError) -> DIDDocument {
            try await network.document(of: did)
        }
    }

    @Test("asks for services and earlier keys through any source that can", arguments: [true, false])
    func more(hasMore: Bool) async throws {
        let network = NetworkIdentities(transport: transport, textRecords: nil)
        let resolver = IdentityResolver(
            Indirect(network: network, hasMore: hasMore), cache: MemoryIdentityCache(clock: clock))
        let service = try ServiceReference(validating: "\(Self.plc)#atproto_pds")
        let endpoint = try? await resolver.endpoint(of: service)
        #expect(endpoint == (hasMore ? Origin(scheme: .https, host: "pds.example.com") : nil))
        transport.answer("\(Self.plcURL)/log/audit", .json([]))
        _ = try? await resolver.auditLog(of: try DID(validating: Self.plc))
        #expect(transport.urls.contains("\(Self.plcURL)/log/audit") == hasMore)
    }
}
