import ATPJSON
import ATPNetworking
import ATProtoRecordProof
import Foundation
import Testing

@testable import BskyAuthCore

@Suite("RevisionMemory") struct RevisionMemoryTests {
    private static let tree = "bafyreif2obqptx5zlcw32huedrta3j7mbmvok3qvjzc6np2fpzct7wtco4"
    private static let otherTree = "bafyreibtm4l4g4mbbinhso42zlouvdi4iixbgtxpf6lpkfcckkssuuuhdq"
    private let store = MemoryCaches()

    private var memory: RevisionMemory { RevisionMemory(store, devNetwork: nil) }

    /// A commit, which the memory believes to be verified.
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
        #expect(try memory.note(commit("3l3qo2vutsw2b")) == .newest)
        #expect(try memory.note(commit("3l3qo2vutsw2b")) == .newest)
        #expect(try memory.note(commit("3l3qo2vutsw2c")) == .newest)
        #expect(try memory.note(commit("3l3qo2vutsw2b")) == .older(than: "3l3qo2vutsw2c"))
        #expect(try memory.note(commit("3l3qo2vutsw2c")) == .newest)
        #expect(try memory.note(commit("2222222222222", of: "did:web:other.example")) == .newest)
    }

    @Test("notices two trees with one revision")
    func contradiction() throws {
        #expect(try memory.note(commit("3l3qo2vutsw2b")) == .newest)
        #expect(try memory.note(commit("3l3qo2vutsw2b", tree: Self.otherTree)) == .contradiction)
        #expect(try memory.note(commit("3l3qo2vutsw2c", tree: Self.otherTree)) == .newest)
    }

    @Test("keeps the networks apart, and begins anew where a file can't be read")
    func networks() throws {
        #expect(try memory.note(commit("3l3qo2vutsw2c")) == .newest)
        let dev = RevisionMemory(store, devNetwork: Origin(scheme: .http, host: "127.0.0.1", port: 1))
        #expect(try dev.note(commit("3l3qo2vutsw2b")) == .newest)
        for name in store.names where name.hasPrefix("revisions/") { store.write(name, Array("{".utf8)) }
        #expect(try memory.note(commit("3l3qo2vutsw2b")) == .newest)
    }
}
