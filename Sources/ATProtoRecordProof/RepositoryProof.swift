#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A whole repository that was verified: its commit, every node of its tree, and every record.
///
/// Memory is bounded by the blocks that look like nodes of the tree, which are refused above 1 GiB, and 48 bytes for each block, or up
/// to twice that while their list grows. The length of the file does not matter.
public struct RepositoryProof: Sendable, Hashable {
    /// The commit that was verified.
    public let commit: SignedCommit
    /// How many records the tree has.
    public let records: Int
    /// How many of them are not maps in strict DAG-CBOR. Types and blobs in them are not looked at.
    public let invalidRecords: Int
    /// How many different blocks the file has.
    public let blocks: Int
    /// How many of them are neither the commit, nor of its tree, nor one of its records.
    public let unreferencedBlocks: Int

    /// Verifies the CAR file of a repository.
    ///
    /// - Parameters:
    ///   - source: the answer of `com.atproto.sync.getRepo`. Its first root is the commit.
    ///   - did: the account's DID, which the commit must name.
    ///   - key: the key that the DID document names as `#atproto`.
    ///   - now: the time.
    ///   - progress: is told how many blocks were read, after each 1,000.
    ///   - list: receives every record in the order of the paths, after everything was verified. Nil lists none, which takes less
    ///     time.
    /// - Throws: ``RecordProofError``, or the error of the source or of `list`.
    public init<Source: CARSource>(
        car source: Source, of did: String, signedBy key: RepositoryKey, now: Date,
        progress: (_ blocks: Int) -> Void = { _ in }, list: ((ListedRecord) throws -> Void)? = nil
    ) throws {
        var file = RepositoryBlocks(keepsBlobs: list != nil)
        let root: CID
        do { root = try file.read(source, progress) } catch let error as InvalidCAR {
            throw RecordProofError.car(error)
        }
        commit = try RecordProof.commit(root, in: file.nodes, of: did, signedBy: key, now: now)
        blocks = file.found.count
        file.reach(root)
        (records, invalidRecords) = try file.walk(commit.data)
        unreferencedBlocks = file.found.count { !$0.isReached }
        if let list { try file.list(commit.data, of: did, list) }
    }
}

/// A record that a repository is proven to have.
public struct ListedRecord: Sendable, Hashable {
    /// The address: `at://DID/COLLECTION/RKEY`.
    public let uri: String
    /// The identifier of the record.
    public let cid: CID
    /// The identifiers of the blobs that the record links to, in their order. A blob is intact if its bytes have this identifier.
    public let blobs: [CID]
}

/// The blocks of a repository's file.
private struct RepositoryBlocks {
    /// A block that was read. Of most blocks, this is all that is kept.
    struct Found {
        let cid: CID
        var isValid: Bool
        var isReached = false
    }

    /// The memory that a node takes besides its bytes.
    private static let overhead = 160

    /// In the order of their identifiers, each once, when the file was read.
    private(set) var found: [Found] = []
    /// The commit, and the blocks that look like nodes of the tree.
    private(set) var nodes: [CID: [UInt8]] = [:]
    /// The blobs that a block links to; nil if they are not wanted.
    private var blobs: [CID: [CID]]?

    init(keepsBlobs: Bool) { blobs = keepsBlobs ? [:] : nil }

    /// Reads the whole file.
    ///
    /// - Returns: its first root.
    mutating func read<Source: CARSource>(_ source: Source, _ progress: (Int) -> Void) throws -> CID {
        var reader = try CARReader(source)
        var (room, read, limit) = (1 << 30, 0, 65_536)
        guard let root = reader.roots.first else { throw InvalidCAR.noRoot }
        while let block = try reader.next() {
            if block.cid == root || TreeNode.isLikely(block.bytes), nodes[block.cid] == nil {
                nodes[block.cid] = block.bytes
                room -= block.bytes.count + Self.overhead
                guard room >= 0 else {
                    throw RecordProofError.tree("its nodes or blob lists have more than 1 GiB")
                }
            }
            let isValid = block.cid.codec == .dagCBOR && DAGCBORReader.isRecord(block.bytes[...])
            found.append(Found(cid: block.cid, isValid: isValid))
            if isValid, blobs?[block.cid] == nil,
                let links = try Self.blobs(in: block.bytes, isWanted: blobs != nil)
            {
                blobs?[block.cid] = links
                room -= links.count * CID.length + Self.overhead
                guard room >= 0 else {
                    throw RecordProofError.tree("its nodes or blob lists have more than 1 GiB")
                }
            }
            read += 1
            if read % 1000 == 0 { progress(read) }
            if found.count == limit {
                removeRepeated()
                limit = max(limit, 2 * found.count)
            }
        }
        removeRepeated()
        return root
    }

    /// The blobs that a valid block links to; nil if there are none.
    private static func blobs(in block: [UInt8], isWanted: Bool) throws -> [CID]? {
        guard isWanted else { return nil }
        let links = try DataValue(dagCBOR: block).blobs
        return links.isEmpty ? nil : links
    }

    /// Sorts the blocks, and leaves each of them once.
    private mutating func removeRepeated() {
        found.sort { $0.cid < $1.cid }
        var last: CID?
        found.removeAll { block in
            defer { last = block.cid }
            return block.cid == last
        }
    }

    /// The place of a block in ``found``; nil if the file does not have it.
    private func index(of cid: CID) -> Int? {
        var (low, high) = (0, found.count)
        while low < high {
            let middle = (low + high) / 2
            if found[middle].cid < cid { low = middle + 1 } else { high = middle }
        }
        return low < found.count && found[low].cid == cid ? low : nil
    }

    /// Notes that the commit leads to a block.
    ///
    /// - Returns: whether the block is valid data; nil if the file does not have it.
    @discardableResult
    mutating func reach(_ cid: CID) -> Bool? {
        guard let index = index(of: cid) else { return nil }
        found[index].isReached = true
        return found[index].isValid
    }

    /// Checks every node below a root.
    ///
    /// - Returns: how many records there are, and how many of them are not valid data.
    mutating func walk(_ root: CID) throws(RecordProofError) -> (records: Int, invalid: Int) {
        var (records, invalid) = (0, 0)
        var open: [(cid: CID, place: TreePlace)] = [(root, .root)]
        while let (cid, place) = open.popLast() {
            guard let bytes = nodes[cid] else {
                guard index(of: cid) == nil else { throw .tree("a node has another form") }
                throw .missingBlock(cid)
            }
            reach(cid)
            let node = try TreeNode(bytes)
            let layer = try place.check(node)
            for entry in node.entries {
                guard let isValid = reach(entry.value) else {
                    throw .missingRecord(String(decoding: entry.key, as: UTF8.self))
                }
                records += 1
                if !isValid { invalid += 1 }
            }
            for index in 0...node.entries.count {
                guard let subtree = node.subtree(before: index) else { continue }
                open.append((subtree, place.below(node, at: layer, before: index)))
            }
        }
        return (records, invalid)
    }

    /// Lists the records below a root, after ``walk(_:)`` has checked it.
    func list(_ root: CID, of did: String, _ tell: (ListedRecord) throws -> Void) throws {
        enum Step { case node(CID), record(TreeNode.Entry) }
        var open = [Step.node(root)]
        while let step = open.popLast() {
            switch step {
            case .record(let entry):
                let path = String(decoding: entry.key, as: UTF8.self)
                try tell(
                    ListedRecord(
                        uri: "at://\(did)/\(path)", cid: entry.value, blobs: blobs?[entry.value] ?? []))
            case .node(let cid):
                guard let bytes = nodes[cid] else { throw RecordProofError.missingBlock(cid) }
                let node = try TreeNode(bytes)
                for entry in node.entries.reversed() {
                    if let after = entry.after { open.append(.node(after)) }
                    open.append(.record(entry))
                }
                if let before = node.before { open.append(.node(before)) }
            }
        }
    }
}

extension DataValue {
    /// The blobs that a value names, in their order: links, and in the records of 2023 maps of `cid` and `mimeType` with the CID as text
    /// (atproto.com/specs/data-model, "Blob Type").
    fileprivate var blobs: [CID] {
        switch self {
        case .link(let link): return link.codec == .raw ? [link] : []
        case .array(let values): return values.flatMap(\.blobs)
        case .map(let members):
            if members.count == 2, members.contains(where: { $0.name == "mimeType" }),
                case .text(let text)? = members.first(where: { $0.name == "cid" })?.value,
                let cid = CID(text), cid.codec == .raw
            {
                return [cid]
            }
            return members.flatMap(\.value.blobs)
        default: return []
        }
    }
}
