/// The content of a commit before it is signed (atproto.com/specs/repository, "Commit objects").
struct Commit: Sendable {
    var did: String
    /// The top of the tree.
    var data: ContentIdentifier
    var revision: String

    /// The bytes that are signed: the commit without `sig`, in DAG-CBOR.
    var unsigned: [UInt8] { CBORValue.map(members).encoded }

    func signed(by key: P256.PrivateKey) -> SignedCommit {
        SignedCommit(self, signature: key.lowSignature(for: unsigned))
    }

    fileprivate var members: [(name: String, value: CBORValue)] {
        [
            ("did", .text(did)), ("version", .integer(3)), ("data", .link(data)), ("rev", .text(revision)),
            ("prev", .null),
        ]
    }
}

/// A commit with its block.
struct SignedCommit: Sendable {
    let commit: Commit
    let block: Block

    init(_ commit: Commit, signature: [UInt8]) {
        self.commit = commit
        block = Block(CBORValue.map(commit.members + [("sig", .bytes(signature))]).encoded)
    }

    /// The member `commit` in the answer to a write.
    var summary: JSONValue { ["cid": .string(block.cid.text), "rev": .string(commit.revision)] }
}
