import Testing

@testable import SandboxNetwork

@Suite("The tree of a repository")
struct TreeTests {
    private static let value = "bafyreie5cvv4h45feadgeuwhbcutmh6t2ceseocckahdoe6uat64zmz454"

    @Test("keys have the layers of the interoperability tests")
    func layers() throws {
        for fixture in try InteroperabilityTests.cases("mst/key_heights") {
            #expect(TreeNode.layer(of: fixture["key"]?.string ?? "?") == fixture["height"]?.integer)
        }
    }

    @Test("common prefixes are those of the interoperability tests")
    func prefixes() throws {
        for fixture in try InteroperabilityTests.cases("mst/common_prefix") {
            let (left, right) = (fixture["left"]?.string ?? "?", fixture["right"]?.string ?? "?")
            #expect(TreeNode.commonPrefix(left, right) == fixture["len"]?.integer)
        }
    }

    @Test("trees have the identifiers of the interoperability tests, before and after changes")
    func roots() throws {
        for fixture in try InteroperabilityTests.cases("firehose/commit-proof-fixtures") {
            let value = try #require(ContentIdentifier(fixture["leafValue"]?.string ?? ""))
            var tree = TreeNode()
            for key in InteroperabilityTests.strings(fixture["keys"]) { tree = tree.with(key, value) }
            #expect(tree.block.cid.text == fixture["rootBeforeCommit"]?.string, "\(fixture.text)")
            for key in InteroperabilityTests.strings(fixture["adds"]) { tree = tree.with(key, value) }
            for key in InteroperabilityTests.strings(fixture["dels"]) { tree = tree.without(key) }
            #expect(tree.block.cid.text == fixture["rootAfterCommit"]?.string, "\(fixture.text)")
            let proof = Set(InteroperabilityTests.strings(fixture["blocksInProof"]))
            let nodes = Set(tree.allNodes.map(\.block.cid.text))
            #expect(proof.isSubset(of: nodes))
        }
    }

    @Test("a tree is the same whatever the order of its writes, and is empty after the last one")
    func order() throws {
        let value = try #require(ContentIdentifier(Self.value))
        var generator = SystemRandomNumberGenerator()
        let keys = (0..<300).map { _ in "com.example.record/\(UInt32.random(in: .min ... .max))" }
        let others = (0..<150).map { "com.example.other/\($0)" }
        let expected = keys.reduce(TreeNode()) { $0.with($1, value) }
        var tree = (keys + others + keys).shuffled(using: &generator).reduce(TreeNode()) {
            $0.with($1, value)
        }
        #expect(Set(tree.allNodes.flatMap(\.entries).map(\.key)) == Set(keys + others))
        for key in others.shuffled() { tree = tree.without(key).without(key) }
        #expect(tree.block.cid == expected.block.cid)
        for key in keys.shuffled() { tree = tree.without(key) }
        #expect(tree.block.cid == TreeNode().block.cid)
    }
}

extension TreeNode {
    fileprivate func with(_ key: String, _ value: ContentIdentifier) -> TreeNode {
        let entry = Entry(key: key, value: value)
        return inserting(entry, at: entry.layer)
    }

    fileprivate func without(_ key: String) -> TreeNode {
        (removing(key) ?? TreeNode()).trimmed
    }
}
