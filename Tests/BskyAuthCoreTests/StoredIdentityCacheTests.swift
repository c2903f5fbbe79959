import ATPJSON
import ATPNetworking
import ATProtoIdentity
import BskyAuthCovers
import Foundation
import Testing

@testable import BskyAuthCore

@Suite("StoredIdentityCache") struct StoredIdentityCacheTests {
    private let store = MemoryCaches()
    private let clock = ManualClock(World.start)
    private let did: DID
    private let alice: ATIdentifier
    private let document: DIDDocument
    private let policy = NetworkPolicy()

    init() throws {
        did = try DID(validating: World.did)
        alice = try ATIdentifier(validating: "alice.example.com")
        document = try DIDDocument(
            json: [
                "id": .string(World.did), "alsoKnownAs": ["at://alice.example.com"], "verificationMethod": [],
                "service": [
                    [
                        "id": "#atproto_pds", "type": "AtprotoPersonalDataServer",
                        "serviceEndpoint": .string(World.pds),
                    ]
                ],
            ], expecting: did, policy: policy)
    }

    /// The cache of another process.
    private func cache(_ sources: String = "network=public", _ policy: NetworkPolicy? = nil)
        -> StoredIdentityCache
    {
        StoredIdentityCache(
            store: store, clock: clock, policy: policy ?? self.policy, sources: sources)
    }

    /// Replaces a part of the one file.
    private func edit(_ old: String, _ new: String) throws {
        let name = try #require(store.names.first)
        let text = String(decoding: try #require(store.read(name)), as: UTF8.self)
        #expect(text.contains(old), "\(text)")
        store.write(name, Array(text.replacing(old, with: new).utf8))
    }

    @Test("what is found is known to the next process") func persistence() throws {
        cache().store(.did(did), for: alice, lifetime: .seconds(540))
        cache().store(.document(document), for: .did(did), lifetime: .seconds(540))
        #expect(cache().entry(for: alice) == .did(did))
        #expect(cache().entry(for: .did(did)) == .document(document))
        cache().store(.absent, for: alice, lifetime: .seconds(60))
        #expect(cache().entry(for: alice) == .absent)
        cache().remove(alice)
        cache().remove(.did(did))
        #expect(store.names.isEmpty && cache().entry(for: alice) == nil)
    }

    @Test(
        "an entry lives as long as it was given, never ten minutes, and not before it was made",
        .covers("R10"))
    func age() throws {
        cache().store(.did(did), for: alice, lifetime: .seconds(60))
        clock.advance(59)
        #expect(cache().entry(for: alice) != nil)
        clock.advance(1)
        #expect(cache().entry(for: alice) == nil)
        cache().store(.did(did), for: alice, lifetime: .seconds(100_000))
        clock.advance(599)
        #expect(cache().entry(for: alice) != nil)
        clock.advance(1)
        #expect(cache().entry(for: alice) == nil)
        cache().store(.did(did), for: alice, lifetime: .seconds(540))
        clock.advance(-1)
        #expect(cache().entry(for: alice) == nil)
    }

    @Test("what another network or another resolver said is not looked at", .covers("R10")) func sources()
        throws
    {
        cache().store(.did(did), for: alice, lifetime: .seconds(540))
        #expect(cache("network=http://127.0.0.1:2583").entry(for: alice) == nil)
        try edit("network=public", "network=elsewhere")
        #expect(cache().entry(for: alice) == nil)
    }

    @Test("what has another name in its place is not taken for it") func place() throws {
        cache().store(.did(did), for: alice, lifetime: .seconds(540))
        try edit("alice.example.com", "mallory.example.com")
        #expect(cache().entry(for: alice) == nil)
    }

    @Test("a document is held to the same rules as one that was fetched") func rules() throws {
        cache().store(.document(document), for: .did(did), lifetime: .seconds(540))
        try edit("\"\(World.pds)\"", "\"http://pds.example.com\"")
        #expect(cache().entry(for: .did(did)) == nil)
        try edit("\"http://pds.example.com\"", "\"\(World.pds)\"")
        #expect(cache().entry(for: .did(did)) == .document(document))
        let devNetwork = NetworkPolicy(devNetwork: Origin(scheme: .http, host: "127.0.0.1", port: 2583))
        #expect(cache("network=public", devNetwork).entry(for: .did(did)) == nil)
    }

    @Test(
        "a damaged file is an empty place",
        arguments: ["", "{", "[]", "null", #"{"sources":"network=public","identifier":"alice.example.com"}"#])
    func damaged(text: String) throws {
        cache().store(.did(did), for: alice, lifetime: .seconds(540))
        store.write(try #require(store.names.first), Array(text.utf8))
        #expect(cache().entry(for: alice) == nil)
        cache().store(.did(did), for: alice, lifetime: .seconds(540))
        #expect(cache().entry(for: alice) == .did(did))
    }

    @Test(
        "members of other kinds are no entry",
        arguments: [
            (#""stored_at":1795212231"#, #""stored_at":"now""#), (#""lifetime":540"#, #""lifetime":-1"#),
            (#""lifetime":540"#, #""lifetime":1e9"#), (#"{"did":"#, #"{"document":"#),
            (World.did, "did:x:y"), (#""entry":"#, #""other":"#),
        ])
    func kinds(old: String, new: String) throws {
        cache().store(.did(did), for: alice, lifetime: .seconds(540))
        try edit(old, new)
        #expect(cache().entry(for: alice) == nil)
    }

    @Test("it grows to 512 small files and no further") func bounded() throws {
        for number in 0..<3000 {
            let handle = try ATIdentifier(validating: "a\(number).example.com")
            cache().store(.did(did), for: handle, lifetime: .seconds(540))
            cache("\(number)").store(.document(document), for: .did(did), lifetime: .seconds(540))
        }
        #expect(store.names.count > 400 && store.names.count <= 512)
    }
}
