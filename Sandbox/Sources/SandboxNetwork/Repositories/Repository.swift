import Foundation

/// The repository of one account: its records, their tree and the signed commit.
///
/// It is a value, so a copy keeps the state of its time.
struct Repository: Sendable {
    struct Record: Sendable {
        let did: String
        let collection: String
        let key: String
        let value: JSONValue
        let block: Block
        let indexed: Date
        /// After the commit before the record, and before the record's own.
        let revision: String

        var uri: String { "at://\(did)/\(path)" }
        /// The key in the tree.
        var path: String { "\(collection)/\(key)" }
        var cid: String { block.cid.text }
    }

    /// By collection and record key.
    private(set) var records: [String: [String: Record]] = [:]
    private(set) var tree = TreeNode()
    private(set) var commit: SignedCommit

    /// Makes an empty repository.
    init(did: String, revision: String, key: P256.PrivateKey) {
        commit = Commit(did: did, data: tree.block.cid, revision: revision).signed(by: key)
    }

    /// Stores a record and replaces an older one of its key.
    mutating func put(_ record: Record) {
        records[record.collection, default: [:]][record.key] = record
        let entry = TreeNode.Entry(key: record.path, value: record.block.cid)
        tree = tree.inserting(entry, at: entry.layer)
    }

    mutating func delete(collection: String, key: String) {
        guard let record = records[collection]?.removeValue(forKey: key) else { return }
        if records[collection]?.isEmpty == true { records[collection] = nil }
        tree = (tree.removing(record.path) ?? TreeNode()).trimmed
    }

    /// Commits the present records.
    mutating func sign(revision: String, key: P256.PrivateKey) {
        commit = Commit(did: commit.commit.did, data: tree.block.cid, revision: revision).signed(by: key)
    }

    /// The record of a key in the tree.
    func record(at path: String) -> Record? {
        let parts = path.split(separator: "/", maxSplits: 1).map(String.init)
        return parts.count == 2 ? records[parts[0]]?[parts[1]] : nil
    }
}
