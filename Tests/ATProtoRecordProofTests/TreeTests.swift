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
                #expect(try RecordProof.find(Array(key.utf8), below: next, in: blocks, paths: .any) == value)
            }
            for key in removals {
                #expect(try RecordProof.find(Array(key.utf8), below: next, in: blocks, paths: .any) == nil)
            }
        }
    }

    /// A node with other entries than a tree has. An entry has the rest of its key after what it shares with the previous one.
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
                            ("k", .bytes(Array(key.utf8.dropFirst(Int(max(0, shared)))))),
                            ("p", .integer(shared)),
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

    /// Keys of a layer, in their order.
    private func keys(at layer: Int, _ count: Int) -> [String] {
        let all = (0..<4000).map { "a.a.a/\(10_000 + $0)" }
        return Array(all.filter { TreeNode.layer(of: Array($0.utf8)) == layer }.prefix(count))
    }

    private func refusal(_ blocks: [[UInt8]]) -> String? {
        do { _ = try find(blocks) } catch let error as RecordProofError {
            if case .tree(let reason) = error { return reason }
        } catch {}
        return nil
    }

    @Test("with an entry that shares less with the previous key than it can is refused") func canonical()
        throws
    {
        let keys = keys(at: 0, 3)
        let shared = (1...2).map { Int64(TreeWriter.commonPrefix(keys[$0 - 1], keys[$0])) }
        #expect(try find([node([(keys[0], 0), (keys[1], shared[0]), (keys[2], shared[1])])]) == nil)
        for less in [0, 1, shared[1] - 1] {
            let written = node([(keys[0], 0), (keys[1], shared[0]), (keys[2], less)])
            #expect(refusal([written]) == "an entry shares less with the previous key than it can")
        }
    }

    @Test(
        "with a key that is no path of a record is refused, and the path is named",
        arguments: [
            "foo/a", "app.bsky/a", "app..x/a", ".app.x/a", "app.x./a", "1pp.x.y/a", "-a.x.y/a", "a-.x.y/a",
            "app.x.1y/a", "app.x.y-z/a", "app.x.y_z/a", "app.x.y:z/a", "app.x.y/.", "app.x.y/..", "app.x.y/",
            "/a", "app.x.y/a/b", "app.x.y/a b", "app.x.y/" + String(repeating: "k", count: 513),
            String(repeating: "a", count: 64) + ".x.y/a", "app.x." + String(repeating: "y", count: 64) + "/a",
            "app.x.y/\u{1b}[2J",
        ])
    func paths(_ path: String) {
        #expect(refusal([node([(path, 0)])]) == "no record can have the path \(path)")
        #expect(throws: RecordProofError.path) {
            try RecordProof(
                car: [], of: Repository.did, path: path,
                signedBy: try #require(try Repository.sample(1).publicKey), now: .now)
        }
    }

    @Test("has collections in any case, and paths that differ in case only are two records") func cases()
        throws
    {
        let lower = [UInt8]("com.example.x/a".utf8)
        for path in ["COM.example.x/a", "Com.Example.X/A", "a.B.c0/...", "a.1-2.c/_:~-."] {
            let written = node([(path, 0)])
            let found = [CID(of: written): written]
            #expect(try RecordProof.find(Array(path.utf8), below: CID(of: written), in: found) != nil)
            // At another layer, the search would be refused.
            guard TreeNode.layer(of: lower) == TreeNode.layer(of: Array(path.utf8)) else { continue }
            #expect(try RecordProof.find(lower, below: CID(of: written), in: found) == nil)
        }
    }

    @Test("with a subtree under an identifier of plain bytes is refused") func codec() throws {
        let high = try #require(keys(at: 1, 1).first)
        let below = try #require(keys(at: 0, 4000).first { $0 > high })
        let child = node([(below, 0)])
        #expect(try find([node([(high, 0)], after: CID(of: child)), child]) == nil)
        let written = node([(high, 0)], after: CID(of: child, codec: .raw))
        #expect(refusal([written, child]) == "a subtree is not a link to DAG-CBOR")
    }

    @Test("with another form is refused") func forms() throws {
        let low = keys(at: 0, 8)
        let high = try #require(keys(at: 1, 1).first)
        let top = try #require(keys(at: 2, 1).first)
        let empty = node([])
        #expect(try find([empty]) == nil)
        #expect(try find([node([(low[0], 0)])]) == nil)
        #expect(try find([node([(high, 0)])]) == nil)
        let longest = (0..<100).map { "a.a.a/" + String(repeating: "k", count: 512 - 2) + "\(10 + $0)" }
            .filter { TreeNode.layer(of: Array($0.utf8)) == 0 }
        #expect(longest[0].utf8.count == 518)
        #expect(try find([node([(longest[0], 0)])]) == nil)
        let (child, above) = (node([(low[0], 0)]), node([("z.z.z/z", 0)]))
        let link = { (bytes: [UInt8]) in CID(of: bytes) }
        #expect(TreeNode.layer(of: Array("z.z.z/z".utf8)) == 0)
        let below = try #require(keys(at: 0, 4000).last { $0 < high })
        let later = try #require(keys(at: 0, 4000).first { $0 > high })
        let layers = [low[0], high].sorted()
        // A node between two layers may have no keys.
        let between = node([], left: link(node([(later, 0)])))
        if top < later {
            #expect(try find([node([(top, 0)], after: link(between)), between, node([(later, 0)])]) == nil)
        }
        let refused: [([[UInt8]], String)] = [
            ([node([(low[1], 0), (low[0], 0)])], "keys are not in order"),
            ([node([(low[0], 0), (low[0], 0)])], "keys are not in order"),
            ([node([(low[0], 1)])], "an entry shares more with the previous key than that has"),
            ([node([("x", 0)])], "no record can have the path x"),
            ([node([("a.a.a/", 0)])], "no record can have the path a.a.a/"),
            ([node([("a/b/c", 0)])], "no record can have the path a/b/c"),
            ([node([("a.a.a/\u{e9}", 0)])], "no record can have the path a.a.a/\u{e9}"),
            ([node([(longest[0] + "k", 0)])], "no record can have the path \(longest[0])k"),
            (
                [node([(layers[0], 0), (layers[1], Int64(TreeWriter.commonPrefix(layers[0], layers[1])))])],
                "the keys of a node belong to different layers"
            ),
            ([node([], left: link(child)), child], "the root has no keys"),
            ([node([(low[0], 0)], after: link(empty)), empty], "a node of the lowest layer has a subtree"),
            ([node([(high, 0)], after: link(empty)), empty], "a node below the root is empty"),
            ([node([(top, 0)], after: link(above)), above], "a node is not one layer below its parent"),
            (
                [node([(high, 0)], after: link(node([(below, 0)]))), node([(below, 0)])],
                "a key is not above its neighbour"
            ),
            ([Array(child.dropLast())], "a node has another form"),
            ([DataValue.map([("e", .array([]))]).dagCBOR], "a node has another form"),
            (
                [node((0..<10_001).map { ("a.a.a/\(100_000 + $0)", 0) })],
                "a node has more than 10,000 entries"
            ),
        ]
        for (blocks, reason) in refused { #expect(refusal(blocks) == reason) }
        // The search goes to the left of the only key, where a key of the right side is.
        let right = node([("z.z.z/z", 0)])
        let parent = (0..<4000).map { "n.n.n/\(10_000 + $0)" }.first {
            TreeNode.layer(of: Array($0.utf8)) == 1
        }
        #expect(
            refusal([node([(try #require(parent), 0)], left: link(right)), right])
                == "a key is not below its neighbour")
    }
}
