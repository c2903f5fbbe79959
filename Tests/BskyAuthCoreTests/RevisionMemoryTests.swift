import ATPJSON
import ATPNetworking
import ATProtoIdentity
import ATProtoRecordProof
import ATProtoSessions
import Foundation
import Testing

@testable import BskyAuthCore

@Suite("RevisionMemory") struct RevisionMemoryTests {
    private static let tree = "bafyreif2obqptx5zlcw32huedrta3j7mbmvok3qvjzc6np2fpzct7wtco4"
    private static let otherTree = "bafyreibtm4l4g4mbbinhso42zlouvdi4iixbgtxpf6lpkfcckkssuuuhdq"
    private let store = MemoryCaches()

    private var memory: RevisionMemory { RevisionMemory(store, devNetwork: nil) }

    /// What the memory finds about a commit, which it believes to be verified.
    private func note(
        _ commit: SignedCommit, in memory: RevisionMemory? = nil, isPast: Bool = false
    ) throws -> RevisionMemory.Finding {
        let text = "zDnaembgSGUhZULN2Caob4HLJPaxBh92N7rtH21TErzqf8HQo"
        let log: JSONValue = [
            [
                "did": .string(World.did), "createdAt": "2026-01-01T00:00:00Z", "nullified": false,
                "operation": ["verificationMethods": ["atproto": .string("did:key:" + text)]],
            ]
        ]
        let did = try DID(validating: World.did)
        let past = try #require(PLCAuditLog(log, of: did)).signingKeys.first
        let signer = CommitSigner(
            key: try #require(RepositoryKey(multikey: text)), publicKeyMultibase: text,
            past: isPast ? past : nil)
        return (memory ?? self.memory).note(commit, signedBy: signer)
    }

    /// A commit with a revision.
    private func commit(
        _ revision: String, tree: String = tree, of did: String = World.did
    ) throws -> SignedCommit {
        let json: JSONValue = [
            "did": .string(did), "version": 3, "rev": .string(revision), "prev": .null,
            "data": ["$link": .string(tree)], "sig": ["$bytes": "AAAA"],
        ]
        return try SignedCommit(try #require(DataValue(json)).dagCBOR)
    }

    @Test("knows the highest revision of each repository, in any order of asking")
    func revisions() throws {
        #expect(try note(commit("3l3qo2vutsw2b")) == .newest)
        #expect(try note(commit("3l3qo2vutsw2b")) == .newest)
        #expect(try note(commit("3l3qo2vutsw2c")) == .newest)
        #expect(try note(commit("3l3qo2vutsw2b")) == .older(than: "3l3qo2vutsw2c"))
        #expect(try note(commit("3l3qo2vutsw2c")) == .newest)
        #expect(try note(commit("2222222222222", of: "did:web:other.example")) == .newest)
    }

    @Test("notices two trees with one revision")
    func contradiction() throws {
        #expect(try note(commit("3l3qo2vutsw2b")) == .newest)
        #expect(try note(commit("3l3qo2vutsw2b", tree: Self.otherTree)) == .contradiction)
        #expect(try note(commit("3l3qo2vutsw2c", tree: Self.otherTree)) == .newest)
    }

    @Test("keeps the networks apart, and says where a file can't be read")
    func networks() throws {
        #expect(try note(commit("3l3qo2vutsw2c")) == .newest)
        let dev = RevisionMemory(store, devNetwork: Origin(scheme: .http, host: "127.0.0.1", port: 1))
        #expect(try note(commit("3l3qo2vutsw2b"), in: dev) == .newest)
        for name in store.names where name.hasPrefix("revisions/") { store.write(name, Array("{".utf8)) }
        #expect(try note(commit("3l3qo2vutsw2b")) == .notRemembered)
        #expect(try note(commit("3l3qo2vutsw2b")) == .newest)
    }

    @Test("compares what an earlier key signed, and does not remember it")
    func pastKey() throws {
        #expect(try note(commit("3l3qo2vutsw2c"), isPast: true) == .newest)
        #expect(try note(commit("3l3qo2vutsw2b")) == .newest)
        #expect(try note(commit("2222222222222"), isPast: true) == .older(than: "3l3qo2vutsw2b"))
    }
}
