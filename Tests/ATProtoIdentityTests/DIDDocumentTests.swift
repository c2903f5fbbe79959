import ATPJSON
import ATPNetworking
import BskyAuthCovers
import BskyAuthTestSupport
import Testing

@testable import ATProtoIdentity

@Suite("DIDDocument") struct DIDDocumentTests {
    private static let text = "did:plc:ewvi7nxzyoun6zhxrhs64oiz"
    private let did = try? DID(validating: Self.text)

    private func read(
        services: JSONValue = .array([service()]), names: JSONValue = ["at://alice.example.com"],
        id: JSONValue = .string(text), policy: NetworkPolicy = NetworkPolicy()
    ) throws -> DIDDocument {
        try DIDDocument(
            json: ["id": id, "alsoKnownAs": names, "service": services], expecting: #require(did),
            policy: policy)
    }

    private static func service(
        id: String = "#atproto_pds", type: String = "AtprotoPersonalDataServer",
        endpoint: JSONValue = "https://pds.example.com"
    ) -> JSONValue {
        ["id": .string(id), "type": .string(type), "serviceEndpoint": endpoint]
    }

    @Test(
        "reads a document with half a character in a value, and none with it in a name or with a name twice")
    func flaws() throws {
        func read(_ more: String) throws -> DIDDocument {
            let text = """
                {"id":"\(Self.text)","alsoKnownAs":["at://\\ud83d.example.com","at://alice.example.com"],\(more)
                "service":[\(Self.service().text)]}
                """
            return try DIDDocument(text, of: try #require(did))
        }
        for more in ["", #""note":"x\udc00","#] {
            let document = try read(more)
            #expect(document.claimedHandle?.description == "alice.example.com")
            #expect(document.pds.description == "https://pds.example.com")
        }
        for more in [#""\ud83d":1,"#, #""a":1,"a":2,"#, #""service":[],"#] {
            #expect(throws: IdentityError.self) { try read(more) }
        }
    }

    @Test(
        "reads documents as servers publish them", .covers("D4"), .needsVectors,
        arguments: ["did_plc_doc", "did_plc_doc_legacy"])
    func realDocuments(_ name: String) throws {
        let json = try Vectors.metadata(name)
        let document = try DIDDocument(json: json, expecting: #require(did), policy: NetworkPolicy())
        #expect(document.claimedHandle?.description == "atproto.com")
        #expect(document.pds == Origin(scheme: .https, host: "bsky.social"))
        #expect(document.json == json)
    }

    @Test(
        "names the key that signs the repository, of each type that was published", .needsVectors,
        arguments: [("did_plc_doc", "Multikey"), ("did_plc_doc_legacy", "EcdsaSecp256k1VerificationKey2019")])
    func signingKey(_ name: String, _ type: String) throws {
        let document = try DIDDocument(
            json: try Vectors.metadata(name), expecting: #require(did), policy: NetworkPolicy())
        #expect(document.signingKey?.type == type)
        #expect(document.signingKey?.publicKeyMultibase.hasPrefix("z") == true)
        #expect(try read().signingKey == nil)
    }

    @Test("a feed generator's document has no PDS", .needsVectors)
    func withoutPDS() throws {
        let json = try Vectors.metadata("did_web_doc")
        let did = try DID(validating: "did:web:discover.bsky.social")
        #expect(throws: InvalidDIDDocument.noPDS) {
            try DIDDocument(json: json, expecting: did, policy: NetworkPolicy())
        }
        let service = try ServiceReference(validating: "did:web:discover.bsky.social#bsky_fg")
        let endpoint = try DIDDocument.endpoint(of: service, in: json, policy: NetworkPolicy())
        #expect(endpoint == Origin(scheme: .https, host: "discover.bsky.social"))
    }

    @Test("the server of a service is that of its own entry, by either form of its name", .covers("X13"))
    func service() throws {
        let service = try ServiceReference(validating: Self.text + "#feed")
        func endpoint(_ entries: JSONValue) throws -> String {
            try DIDDocument.endpoint(
                of: service, in: ["id": .string(Self.text), "service": entries], policy: NetworkPolicy()
            ).description
        }
        let other = Self.service(id: "#other", endpoint: "https://other.example.com")
        for id in ["#feed", Self.text + "#feed"] {
            let own = Self.service(id: id, type: "Feed", endpoint: "https://feed.example.com")
            #expect(try endpoint([other, own]) == "https://feed.example.com")
        }
        for id in ["feed", "#Feed", "#feeds", "did:web:a.example#feed"] {
            #expect(throws: InvalidDIDDocument.noService, "\(id)") {
                try endpoint([other, Self.service(id: id)])
            }
        }
        #expect(throws: InvalidDIDDocument.noService) { try endpoint("none") }
    }

    @Test("refuses a document of someone else", .covers("R16", "D3"))
    func otherSubject() {
        let other = "did:plc:7iza6de2dwap2sbkpav7c6c6"
        #expect(throws: InvalidDIDDocument.otherSubject(other)) { try read(id: .string(other)) }
        #expect(throws: InvalidDIDDocument.otherSubject(Self.text.uppercased())) {
            try read(id: .string(Self.text.uppercased()))
        }
        #expect(throws: InvalidDIDDocument.otherSubject(nil)) { try read(id: 1) }
    }

    @Test("the PDS is the first service with both the id and the type", .covers("R17", "D4"))
    func firstService() throws {
        let services: JSONValue = [
            Self.service(id: "#bsky_fg"), Self.service(type: "Other", endpoint: "https://other.example.com"),
            Self.service(id: Self.text + "#atproto_pds", endpoint: "https://pds.example.com:8443"),
            Self.service(endpoint: "https://later.example.com"),
        ]
        #expect(
            try read(services: services).pds == Origin(scheme: .https, host: "pds.example.com", port: 8443))
    }

    @Test("a wrong first PDS is not passed over for a later one", .covers("R17"))
    func noFallThrough() {
        let services: JSONValue = [Self.service(endpoint: "https://pds.example.com/path"), Self.service()]
        #expect(throws: InvalidDIDDocument.endpointNotAnOrigin) { try read(services: services) }
    }

    @Test("a service of the right id and the wrong type is no PDS", .covers("R17"))
    func wrongType() {
        #expect(throws: InvalidDIDDocument.noPDS) {
            try read(services: [Self.service(type: "AtprotoLabeler")])
        }
        #expect(throws: InvalidDIDDocument.noPDS) {
            try read(services: [Self.service(id: "did:plc:7iza6de2dwap2sbkpav7c6c6#atproto_pds")])
        }
        #expect(throws: InvalidDIDDocument.noPDS) { try read(services: nil) }
    }

    @Test(
        "the PDS is an origin and nothing more", .covers("R17"),
        arguments: [
            "https://pds.example.com/xrpc", "https://pds.example.com?x", "https://pds.example.com#x",
            "https://user:pw@pds.example.com", "ftp://pds.example.com", "pds.example.com", "", nil,
        ] as [String?])
    func endpoints(_ endpoint: String?) {
        #expect(throws: InvalidDIDDocument.endpointNotAnOrigin) {
            try read(services: [Self.service(endpoint: JSONValue(endpoint))])
        }
    }

    @Test("plain http is for the dev network, and nothing but loopback is there", .covers("R17"))
    func plainHTTP() throws {
        let local = JSONValue([Self.service(endpoint: "http://localhost:2583")])
        let dev = NetworkPolicy(devNetwork: Origin(scheme: .http, host: "localhost", port: 2583))
        #expect(throws: InvalidDIDDocument.endpointRefused(.plainHTTP)) { try read(services: local) }
        #expect(try read(services: local, policy: dev).pds.port == 2583)
        #expect(throws: InvalidDIDDocument.endpointRefused(.outsideDevNetwork)) { try read(policy: dev) }
    }

    @Test("the handle is the first well-formed one, in lower case", .covers("R8"))
    func claimedHandle() throws {
        let names: JSONValue = [
            "https://alice.example", 1, "at://not_valid", "at://Alice.example.COM", "at://b.com",
        ]
        #expect(try read(names: names).claimedHandle?.description == "alice.example.com")
        #expect(try read(names: []).claimedHandle == nil)
        #expect(try read(names: nil).claimedHandle == nil)
        #expect(try read(names: ["at://alice.example.com/path"]).claimedHandle == nil)
    }
}

extension JSONValue {
    fileprivate init(_ values: [JSONValue]) { self = .array(values) }
}
