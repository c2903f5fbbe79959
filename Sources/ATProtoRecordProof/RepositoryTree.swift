internal import ATPCryptography
internal import ATProtoIdentity

/// A node of a repository's Merkle search tree (atproto.com/specs/repository: MST Structure).
struct TreeNode: Sendable {
    struct Entry: Sendable {
        /// The whole key: `COLLECTION/RKEY`.
        let key: [UInt8]
        /// The record.
        let value: CID
        /// The subtree with the keys between this one and the next.
        let after: CID?
    }

    /// The subtree with the keys before the first entry.
    let before: CID?
    let entries: [Entry]

    private static let mostEntries = 10_000

    /// Reads a block.
    ///
    /// - Parameter paths: the keys that the node may have.
    /// - Throws: ``RecordProofError/tree(_:)``.
    init(_ bytes: [UInt8], paths: TreePaths = .ofRecords) throws(RecordProofError) {
        guard case .map(let members)? = try? DataValue(dagCBOR: bytes), members.map(\.name) == ["e", "l"],
            case .array(let values) = members[0].value
        else { throw .tree("a node has another form") }
        guard values.count <= Self.mostEntries else { throw .tree("a node has more than 10,000 entries") }
        before = try Self.link(members[1].value)
        var entries: [Entry] = []
        for value in values {
            guard case .map(let members) = value, members.map(\.name) == ["k", "p", "t", "v"],
                case .bytes(let suffix) = members[0].value, case .integer(let shared) = members[1].value,
                case .link(let record) = members[3].value
            else { throw .tree("an entry has another form") }
            let previous = entries.last?.key ?? []
            guard shared >= 0, shared <= previous.count else {
                throw .tree("an entry shares more with the previous key than that has")
            }
            let key = previous.prefix(Int(shared)) + suffix
            guard paths == .any || RecordPath.isValid(key) else { throw .path(key) }
            guard entries.isEmpty || previous.lexicographicallyPrecedes(key) else {
                throw .tree("keys are not in order")
            }
            // A tree has one form: an entry shares all that it can.
            guard shared == previous.count || previous[Int(shared)] != suffix.first else {
                throw .tree("an entry shares less with the previous key than it can")
            }
            entries.append(Entry(key: Array(key), value: record, after: try Self.link(members[2].value)))
        }
        self.entries = entries
    }

    /// Whether a block begins as every node does: with a map of two members, of which `e` is the first. Records may begin so, too.
    static func isLikely(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0xa2, 0x61, 0x65]) }

    private static func link(_ value: DataValue) throws(RecordProofError) -> CID? {
        switch value {
        case .null: return nil
        case .link(let link) where link.codec == .dagCBOR: return link
        default: throw .tree("a subtree is not a link to DAG-CBOR")
        }
    }

    /// The layer of a key: half the number of zero bits at the beginning of its SHA-256. 0 is the lowest.
    static func layer(of key: [UInt8]) -> Int {
        var zeros = 0
        for byte in SHA256.hash(key) {
            zeros += byte.leadingZeroBitCount
            if byte != 0 { break }
        }
        return zeros / 2
    }
}

/// The keys that a tree may have.
package enum TreePaths: Sendable {
    /// Paths of records. Every proof wants these.
    case ofRecords
    /// Any bytes, as in the public vectors, whose keys are short.
    case any
}

extension RecordProofError {
    /// A key of a tree is no path of a record. At most 1,000 bytes of it are told, which is longer than any path.
    fileprivate static func path(_ key: ArraySlice<UInt8>) -> RecordProofError {
        .tree("no record can have the path \(String(decoding: key.prefix(1000), as: UTF8.self))")
    }
}

/// Where a node is in the tree, which says what it may have.
struct TreePlace: Sendable {
    /// Nil for the root, whose keys tell its layer.
    var layer: Int?
    /// The keys of the node and below it lie between these two; nil for no limit.
    var after: [UInt8]?
    var before: [UInt8]?

    static let root = TreePlace()
    private static let highestLayer = 128

    /// Checks a node at this place.
    ///
    /// - Returns: the node's layer.
    /// - Throws: ``RecordProofError/tree(_:)``.
    func check(_ node: TreeNode) throws(RecordProofError) -> Int {
        let layers = Set(node.entries.map { TreeNode.layer(of: $0.key) })
        guard layers.count <= 1 else { throw .tree("the keys of a node belong to different layers") }
        guard let found = layers.first ?? layer else {
            // Only the root of an empty repository has no keys and no parent.
            guard node.before == nil else { throw .tree("the root has no keys") }
            return 0
        }
        if let layer {
            guard found == layer else { throw .tree("a node is not one layer below its parent") }
            guard !node.entries.isEmpty || node.before != nil else {
                throw .tree("a node below the root is empty")
            }
        }
        guard found <= Self.highestLayer else { throw .tree("the tree is too high") }
        guard found > 0 || (node.before == nil && node.entries.allSatisfy { $0.after == nil }) else {
            throw .tree("a node of the lowest layer has a subtree")
        }
        if let after, let first = node.entries.first {
            guard after.lexicographicallyPrecedes(first.key) else {
                throw .tree("a key is not above its neighbour")
            }
        }
        if let before, let last = node.entries.last {
            guard last.key.lexicographicallyPrecedes(before) else {
                throw .tree("a key is not below its neighbour")
            }
        }
        return found
    }

    /// The place of the subtree before an entry, or after the last one.
    ///
    /// - Parameter index: the number of the entry that the subtree comes before.
    func below(_ node: TreeNode, at layer: Int, before index: Int) -> TreePlace {
        TreePlace(
            layer: layer - 1, after: index > 0 ? node.entries[index - 1].key : after,
            before: index < node.entries.count ? node.entries[index].key : before)
    }
}

extension TreeNode {
    /// The subtree before an entry; the one after the last entry for the number of entries.
    func subtree(before index: Int) -> CID? { index == 0 ? before : entries[index - 1].after }
}
