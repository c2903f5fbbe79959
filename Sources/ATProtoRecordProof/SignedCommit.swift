internal import ATProtoIdentity

/// The signed root of a repository (atproto.com/specs/repository: Commit Objects).
public struct SignedCommit: Sendable, Hashable {
    /// The DID of the account, as the commit says.
    public let did: String
    /// The revision: a TID, which grows with each commit.
    public let revision: String
    /// The root of the repository's tree.
    public let data: CID
    /// What the revision says.
    private let tid: TID
    private let signature: [UInt8]
    /// The signed bytes: the commit without its signature.
    private let unsigned: [UInt8]

    /// Reads the commit of a CAR file, which is its first root, to learn whose repository it is and which key signed it. Nothing else of
    /// the file is verified: ``RecordProof`` and ``RepositoryProof`` do that.
    ///
    /// - Throws: ``RecordProofError``, or the error of the source.
    public init<Source: CARSource>(car source: Source) throws {
        do {
            var reader = try CARReader(source)
            guard let root = reader.roots.first else { throw InvalidCAR.noRoot }
            while let block = try reader.next() {
                if block.cid == root {
                    try self.init(block.bytes, of: root)
                    return
                }
            }
            throw RecordProofError.missingBlock(root)
        } catch let error as InvalidCAR { throw RecordProofError.car(error) }
    }

    /// Reads a block that is a commit of version 3, with its identifier.
    ///
    /// - Throws: ``RecordProofError/commit(_:)``.
    init(_ bytes: [UInt8], of cid: CID) throws(RecordProofError) {
        guard cid.codec == .dagCBOR else { throw .commit("its identifier is not one of DAG-CBOR") }
        try self.init(bytes)
    }

    /// Reads the bytes of a commit of version 3.
    ///
    /// - Throws: ``RecordProofError/commit(_:)``.
    package init(_ bytes: [UInt8]) throws(RecordProofError) {
        let value: DataValue
        do { value = try DataValue(dagCBOR: bytes) } catch { throw .commit("it is not DAG-CBOR") }
        guard case .map(let members) = value,
            Set(members.map(\.name)) == ["did", "version", "data", "rev", "prev", "sig"]
        else { throw .commit("it has other members than a commit") }
        guard value["version"] == .integer(3) else { throw .commit("its version is not 3") }
        guard case .text(let did)? = value["did"], case .text(let revision)? = value["rev"],
            case .link(let data)? = value["data"], case .bytes(let signature)? = value["sig"]
        else { throw .commit("a member has another kind of value") }
        guard data.codec == .dagCBOR else { throw .commit("its data is not a link to DAG-CBOR") }
        switch value["prev"] {
        case .null?: break
        case .link(let previous)? where previous.codec == .dagCBOR: break
        default: throw .commit("its prev is not a link to DAG-CBOR")
        }
        guard let tid = TID(revision) else { throw .commit("its revision is not a TID") }
        self.tid = tid
        self.did = did
        self.revision = revision
        self.data = data
        self.signature = signature
        unsigned = DataValue.map(members.filter { $0.name != "sig" }).dagCBOR
    }

    /// Whether a key signed the commit.
    public func isSigned(by key: RepositoryKey) -> Bool { key.verifies(signature, of: unsigned) }
}

extension SignedCommit {
    /// When the commit was made, as its revision says, in microseconds since 1970. Whoever holds the key can claim any time.
    public var microseconds: UInt64 { tid.microseconds }
}
