import Foundation
import Testing

@testable import ATProtoRecordProof

@Suite("A repository's tree") struct TreeTests {
    @Test("has the layers of the vectors") func layers() throws {
        let fixtures = try Fixtures.json("mst/key_heights")
        #expect(fixtures.count == 9)
        for fixture in fixtures {
            let key = try #require(fixture["key"] as? String)
            #expect(TreeNode.layer(of: Array(key.utf8)) == fixture["height"] as? Int, "\(key)")
        }
    }

    @Test("shares the prefixes of the vectors") func prefixes() throws {
        let fixtures = try Fixtures.json("mst/common_prefix")
        #expect(fixtures.count == 13)
        for fixture in fixtures {
            let (left, right) = (fixture["left"] as? String ?? "", fixture["right"] as? String ?? "")
            #expect(TreeWriter.commonPrefix(left, right) == fixture["len"] as? Int)
        }
    }

    @Test("has the roots and the proofs of the vectors") func proofs() throws {
        let fixtures = try Fixtures.json("firehose/commit-proof-fixtures")
        #expect(fixtures.count == 4)
        for fixture in fixtures {
            let value = try #require(CID(fixture["leafValue"] as? String ?? ""))
            let keys = fixture["keys"] as? [String] ?? []
            let (adds, removals) = (fixture["adds"] as? [String] ?? [], fixture["dels"] as? [String] ?? [])
            var before = TreeWriter(layer: { TreeNode.layer(of: Array($0.utf8)) })
            let root = before.write(Dictionary(uniqueKeysWithValues: keys.map { ($0, value) }))
            #expect(root.description == fixture["rootBeforeCommit"] as? String)
            var after = TreeWriter(layer: { TreeNode.layer(of: Array($0.utf8)) })
            let left = Set(keys).union(adds).subtracting(removals)
            let next = after.write(Dictionary(uniqueKeysWithValues: left.map { ($0, value) }))
            #expect(next.description == fixture["rootAfterCommit"] as? String)
            let names = fixture["blocksInProof"] as? [String] ?? []
            let blocks = after.blocks.filter { names.contains($0.key.description) }
            for key in adds {
                #expect(try RecordProof.find(Array(key.utf8), below: next, in: blocks) == value)
            }
            for key in removals {
                #expect(try RecordProof.find(Array(key.utf8), below: next, in: blocks) == nil)
            }
        }
    }

    /// A node with other entries than a tree has.
    private func node(_ entries: [(key: String, shared: Int64)], left: CID? = nil, after: CID? = nil)
        -> [UInt8]
    {
        let record = CID(of: [1])
        return DataValue.map([
            (
                "e",
                .array(
                    entries.map { key, shared in
                        .map([
                            ("k", .bytes(Array(key.utf8))), ("p", .integer(shared)),
                            ("t", after.map { .link($0) } ?? .null), ("v", .link(record)),
                        ])
                    })
            ), ("l", left.map { .link($0) } ?? .null),
        ]).dagCBOR
    }

    private func find(_ blocks: [[UInt8]]) throws -> CID? {
        let found = Dictionary(uniqueKeysWithValues: blocks.map { (CID(of: $0), $0) })
        return try RecordProof.find(Array("m.m.m/m".utf8), below: CID(of: blocks[0]), in: found)
    }

    @Test("with another form is refused") func forms() throws {
        // All of these keys belong to the lowest layer.
        let low = (0..<200).map { "a.a.a/\($0)" }.filter { TreeNode.layer(of: Array($0.utf8)) == 0 }
        let high = try #require(
            (0..<200).map { "a.a.a/\($0)" }.first { TreeNode.layer(of: Array($0.utf8)) == 1 })
        let empty = node([])
        #expect(try find([empty]) == nil)
        #expect(try find([node([(low[0], 0)])]) == nil)
        let sorted = low.sorted()
        let child = node([(sorted[0], 0)])
        #expect(try find([node([(high, 0)], left: nil)]) == nil)
        let refused: [[[UInt8]]] = [
            [node([(sorted[1], 0), (sorted[0], 0)])], [node([(sorted[0], 0), (sorted[0], 0)])],
            [node([(sorted[0], 1)])], [node([("x", 0)])], [node([("a.a.a/", 0)])], [node([("a/b/c", 0)])],
            [node([("a.a.a/\u{e9}", 0)])], [node([(String(repeating: "a", count: 1023) + "/a", 0)])],
            [node([(sorted[0], 0), (high, 0)])], [node([], left: CID(of: child)), child],
            [node([(sorted[0], 0)], after: CID(of: empty)), empty],
            [node([(high, 0)], after: CID(of: empty)), empty],
            [Array(node([(sorted[0], 0)]).dropLast())], [DataValue.map([("e", .array([]))]).dagCBOR],
        ]
        for blocks in refused {
            #expect {
                try find(blocks)
            } throws: { error in
                if case RecordProofError.tree = error { true } else { false }
            }
        }
    }
}
