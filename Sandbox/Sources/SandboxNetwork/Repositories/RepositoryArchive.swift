import Foundation

/// Writes the CAR files of a repository. This is the one place where a ``RepositoryFault`` acts.
///
/// All but the fault is right: hashes fit, and the commit is signed as the fault says.
struct RepositoryArchive {
    let repository: Repository
    /// The account as it is now.
    let account: Account
    let fault: RepositoryFault?
    /// When the fault was set; now without a fault.
    private let faultDate: Date
    private let now: Date

    init(repository: Repository, account: Account, setting: RepositoryFault.Setting?, now: Date) {
        let frozen = setting.flatMap { $0.fault == .olderRevision ? $0.repository : nil }
        self.repository = frozen ?? repository
        self.account = account
        fault = setting?.fault
        faultDate = setting?.date ?? now
        self.now = now
    }

    /// The commit, and the nodes and the record of one key; or all nodes and records.
    func car(of path: String?) throws(XRPCFailure) -> [UInt8] {
        let (tree, other) = try content(for: path)
        let commit = try commitBlock(data: tree.block.cid)
        // A node that is out of order has no right way down, so all nodes are given then.
        let way = fault == .unsortedKeys ? nil : path
        let nodes = way.map { tree.path(to: $0) } ?? tree.allNodes
        var records: [Block] = []
        for entry in nodes.flatMap(\.entries) where path == nil || entry.key == path {
            if let block = entry.value == other?.cid ? other : repository.record(at: entry.key)?.block {
                records.append(block)
            }
        }
        var blocks = [commit] + nodes.map(\.block) + records
        switch fault {
        case .missingBlock:
            let missing = nodes.count > 1 ? nodes.last?.block : records.first ?? nodes.first?.block
            blocks.removeAll { $0.cid == missing?.cid }
        case .extraBlock:
            blocks.append(Block(CBORValue.map([("fault", .text("extra_block"))]).encoded))
        default: break
        }
        return CARFile.bytes(root: commit.cid, blocks: blocks)
    }

    // MARK: Tree

    /// The tree to prove, and the block of a record that is not the repository's own.
    private func content(for path: String?) throws(XRPCFailure) -> (tree: TreeNode, other: Block?) {
        let tree = repository.tree
        switch fault {
        case .wrongDepth: return (try misplaced(in: tree, for: path), nil)
        case .unsortedKeys:
            guard let unsorted = unsorted(tree, for: path) else { throw impossible }
            return (unsorted, nil)
        case .otherRecord:
            guard let key = path ?? firstKey(of: tree) else { throw impossible }
            let type = key.prefix { $0 != "/" }
            let block = Block(
                CBORValue.map([("$type", .text(String(type))), ("fault", .text("other_record"))]).encoded)
            let entry = TreeNode.Entry(key: key, value: block.cid)
            return (tree.inserting(entry, at: entry.layer), block)
        default: return (tree, nil)
        }
    }

    /// The tree with one key in a layer that is not its own. Every proof of the wanted key shows it.
    private func misplaced(in tree: TreeNode, for path: String?) throws(XRPCFailure) -> TreeNode {
        let entries = tree.allNodes.flatMap(\.entries)
        let lower = entries.filter { $0.layer < tree.layer }
        let level = lower.isEmpty ? tree.layer - 1 : tree.layer
        let candidates = lower.isEmpty ? entries : lower
        // Without lower keys, the tree is one sorted node. A neighbor's way down is that of a missing key.
        let neighbor = lower.isEmpty ? candidates.last { $0.key < path ?? "" } : nil
        let wanted = candidates.first { $0.key == path }
        guard let entry = wanted ?? neighbor ?? candidates.first else { throw impossible }
        let rest = tree.removing(entry.key) ?? TreeNode(layer: tree.layer)
        return rest.inserting(entry, at: level)
    }

    /// The tree with a node out of order, on the way to the wanted key; `nil` when no node has two entries.
    private func unsorted(_ node: TreeNode, for path: String?) -> TreeNode? {
        if node.entries.count > 1 {
            var entries = node.entries
            entries.swapAt(0, 1)
            return TreeNode(layer: node.layer, entries: entries, children: node.children)
        }
        var places = Array(node.children.indices)
        if let path {
            let place = node.place(of: path)
            places = node.hasEntry(path, at: place) ? [] : [place]
        }
        for place in places {
            guard let child = node.children[place], let changed = unsorted(child, for: path) else { continue }
            return node.replacing(child: changed, at: place)
        }
        return nil
    }

    private func firstKey(of tree: TreeNode) -> String? {
        tree.allNodes.flatMap(\.entries).map(\.key).min()
    }

    // MARK: Commit

    private func commitBlock(data: ContentIdentifier) throws(XRPCFailure) -> Block {
        guard let fault else { return repository.commit.block }
        var commit = repository.commit.commit
        commit.data = data
        switch fault {
        case .wrongDID: commit.did = "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa"
        case .futureRevision: commit.revision = TimestampIdentifier.text(at: now + 3600)
        case .olderRevision: commit.revision = TimestampIdentifier.text(at: faultDate - 86_400)
        default: break
        }
        let signed = SignedCommit(commit, signature: try signature(of: commit, fault)).block
        guard fault == .nonCanonical else { return signed }
        // The last member is `version` and its last byte is 3, which is written with a byte for itself here.
        return Block(signed.bytes.dropLast() + [0x18, 0x03])
    }

    private func signature(of commit: Commit, _ fault: RepositoryFault) throws(XRPCFailure) -> [UInt8] {
        let message = commit.unsigned
        switch fault {
        case .wrongKey: return P256.PrivateKey().lowSignature(for: message)
        case .earlierKey:
            guard let key = account.earlierSigningKey else { throw impossible }
            return key.lowSignature(for: message)
        case .highS: return P256.flipped(account.signingKey.lowSignature(for: message))
        case .der:
            guard let der = P256.encoded(account.signingKey.lowSignature(for: message)) else {
                throw impossible
            }
            return der
        default: return account.signingKey.lowSignature(for: message)
        }
    }

    private var impossible: XRPCFailure {
        XRPCFailure(500, "FaultImpossible", "This repository can't have the fault \(fault?.rawValue ?? "")")
    }
}
