internal import ATPNetworking
internal import ATProtoIdentity

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Why bytes do not prove what a repository has. The case is the step that failed.
public enum RecordProofError: Error, Sendable, Hashable {
    /// The CAR file can't be read.
    case car(InvalidCAR)
    /// The path is not `COLLECTION/RKEY`, an NSID and a record key, so no repository can have it.
    case path
    /// The commit or a node of the tree is not there.
    case missingBlock(CID)
    /// A record of the tree is not there. The text is its `COLLECTION/RKEY`.
    case missingRecord(String)
    /// The commit has another form. The text says which.
    case commit(String)
    /// The commit is of another account's repository, whose DID this is.
    case otherRepository(String)
    /// The key did not sign the commit.
    case signature
    /// The commit is from the future: its revision is more than five minutes ahead.
    case futureRevision(String)
    /// The tree has another form. The text says what is wrong, and may quote the repository without change.
    case tree(String)
}

/// Proves by a signed commit that a repository has a record, or does not have it (atproto.com/specs/sync: `com.atproto.sync.getRecord`).
///
/// Proven is that the repository had the record, or did not have it, at the revision that its key signed. Who holds the key can
/// sign everything, so it is not proven that the person wrote the record, that the revision is the newest, or when it was made.
public struct RecordProof: Sendable, Hashable {
    /// The commit that was verified.
    public let commit: SignedCommit
    /// The record's identifier; nil if the repository does not have the record.
    public let cid: CID?
    /// The bytes of the record; nil if the repository does not have it.
    public let bytes: [UInt8]?

    /// The record, which each access decodes; nil if the repository does not have it, and if what it has is not valid data.
    public var record: DataValue? {
        guard let bytes, cid?.codec == .dagCBOR, let value = try? DataValue(dagCBOR: bytes),
            value.isValidRecord
        else { return nil }
        return value
    }

    /// Verifies the CAR file of one record.
    ///
    /// - Parameters:
    ///   - car: the answer of `com.atproto.sync.getRecord`. Blocks may come in any order, twice, and besides those that are needed.
    ///   - did: the account's DID, which the commit must name.
    ///   - path: `COLLECTION/RKEY`. It is compared byte by byte.
    ///   - key: the key that the DID document names as `#atproto`.
    ///   - now: the time.
    public init(
        car: [UInt8], of did: String, path: String, signedBy key: RepositoryKey, now: Date
    ) throws(RecordProofError) {
        guard RecordPath.isValid(path.utf8) else { throw .path }
        let (root, blocks) = try Self.blocks(of: car)
        let commit = try Self.commit(root, in: blocks, of: did, signedBy: key, now: now)
        self.commit = commit
        cid = try Self.find(Array(path.utf8), below: commit.data, in: blocks)
        guard let cid else {
            bytes = nil
            return
        }
        guard let found = blocks[cid] else { throw .missingRecord(path) }
        bytes = found
    }

    private static func blocks(
        of car: [UInt8]
    ) throws(RecordProofError) -> (root: CID, blocks: [CID: [UInt8]]) {
        do {
            var reader = try CARReader(CARBytes(car))
            var blocks: [CID: [UInt8]] = [:]
            while let block = try reader.next() { blocks[block.cid] = block.bytes }
            guard let root = reader.roots.first else { throw InvalidCAR.noRoot }
            return (root, blocks)
        } catch let error as InvalidCAR { throw .car(error) } catch { throw .car(.cutShort) }
    }

    /// Reads and verifies a commit.
    static func commit(
        _ cid: CID, in blocks: [CID: [UInt8]], of did: String, signedBy key: RepositoryKey, now: Date
    ) throws(RecordProofError) -> SignedCommit {
        guard let bytes = blocks[cid] else { throw .missingBlock(cid) }
        let commit = try SignedCommit(bytes, of: cid)
        guard commit.did.utf8.elementsEqual(did.utf8) else { throw .otherRepository(commit.did) }
        guard commit.isSigned(by: key) else { throw .signature }
        let latest = (now.timeIntervalSince1970 + 300) * 1_000_000
        guard Double(commit.microseconds) <= latest else {
            throw .futureRevision(commit.revision)
        }
        return commit
    }

    /// Looks a key up; nil if the tree proves that it is not there.
    package static func find(
        _ key: [UInt8], below root: CID, in blocks: [CID: [UInt8]], paths: TreePaths = .ofRecords
    ) throws(RecordProofError) -> CID? {
        var (cid, place) = (root, TreePlace.root)
        while true {
            guard let bytes = blocks[cid] else { throw .missingBlock(cid) }
            let node = try TreeNode(bytes, paths: paths)
            let layer = try place.check(node)
            if let entry = node.entries.first(where: { $0.key == key }) { return entry.value }
            let index =
                node.entries.firstIndex { key.lexicographicallyPrecedes($0.key) } ?? node.entries.count
            guard let next = node.subtree(before: index) else { return nil }
            place = place.below(node, at: layer, before: index)
            cid = next
        }
    }
}

extension RecordProofError: CustomStringConvertible, LocalizedError {
    /// Why nothing is proven, in plain English. It is bounded and safe to display, whatever the repository has.
    public var description: String {
        switch self {
        case .car(let problem): problem.description
        case .path: "no repository can have a record with this address"
        case .missingBlock(let cid): "the block \(cid) is missing"
        case .missingRecord(let path): "the block of the record \(UntrustedText.harmless(path)) is missing"
        case .commit(let problem): "the commit is not valid: \(UntrustedText.harmless(problem))"
        case .otherRepository(let did):
            "the commit is of another repository, \(UntrustedText.harmless(did))"
        case .signature: "the commit has no valid signature of the account's key"
        case .futureRevision(let revision):
            "the revision \(UntrustedText.harmless(revision)) is more than five minutes ahead of this machine's clock"
        case .tree(let problem): "the tree of the repository is not valid: \(UntrustedText.harmless(problem))"
        }
    }

    /// The description, for `localizedDescription`.
    public var errorDescription: String? { description }
}
