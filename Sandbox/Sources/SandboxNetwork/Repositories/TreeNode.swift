/// A node of a Merkle search tree, with everything below it (atproto.com/specs/repository, "MST structure").
///
/// A node never changes. A write makes new nodes on the way to its key and keeps the others, with their blocks.
final class TreeNode: Sendable {
    /// A record's key `COLLECTION/RKEY`, which is ASCII, and the identifier of its block.
    struct Entry: Sendable {
        let key: String
        let value: ContentIdentifier

        /// The layer where the entry belongs.
        var layer: Int { TreeNode.layer(of: key) }
    }

    let layer: Int
    let entries: [Entry]
    /// The nodes before, between and behind the entries: one more than there are entries.
    let children: [TreeNode?]
    let block: Block

    /// The node of an empty repository.
    convenience init(layer: Int = 0) {
        self.init(layer: layer, entries: [], children: [nil])
    }

    init(layer: Int, entries: [Entry], children: [TreeNode?]) {
        self.layer = layer
        self.entries = entries
        self.children = children
        block = Block(Self.encoded(entries, children))
    }

    /// The number of leading zeros of a key's digest, in pairs of bits.
    static func layer(of key: String) -> Int {
        let digest = SHA256.digest(of: key.utf8)
        let zeros = digest.prefix { $0 == 0 }.count
        return (zeros * 8 + (zeros < digest.count ? digest[zeros].leadingZeroBitCount : 0)) / 2
    }

    static func commonPrefix(_ left: String, _ right: String) -> Int {
        zip(left.utf8, right.utf8).prefix { $0 == $1 }.count
    }

    /// The place of a key among the entries: the number of smaller keys.
    func place(of key: String) -> Int {
        entries.firstIndex { $0.key >= key } ?? entries.count
    }

    func hasEntry(_ key: String, at place: Int) -> Bool {
        place < entries.count && entries[place].key == key
    }

    /// The nodes from this one to the key, or to the gap where the key would be.
    func path(to key: String) -> [TreeNode] {
        let place = place(of: key)
        guard !hasEntry(key, at: place), let child = children[place] else { return [self] }
        return [self] + child.path(to: key)
    }

    /// This node and all nodes below it.
    var allNodes: [TreeNode] {
        [self] + children.flatMap { $0?.allNodes ?? [] }
    }

    private static func encoded(_ entries: [Entry], _ children: [TreeNode?]) -> [UInt8] {
        func link(_ node: TreeNode?) -> CBORValue { node.map { .link($0.block.cid) } ?? .null }
        var previous = ""
        var items: [CBORValue] = []
        for (entry, child) in zip(entries, children.dropFirst()) {
            let shared = commonPrefix(previous, entry.key)
            items.append([
                "p": .integer(Int64(shared)), "k": .bytes(Array(entry.key.utf8.dropFirst(shared))),
                "v": .link(entry.value), "t": link(child),
            ])
            previous = entry.key
        }
        let first = children.first.flatMap(\.self)
        return CBORValue.map([("l", link(first)), ("e", .array(items))]).encoded
    }
}
