"""Records that prove themselves: the checks of ATProtoRecordProof."""

from .mutation import Mutation

CBOR = "ATProtoRecordProofTests.DAGCBORTests"
CAR = "ATProtoRecordProofTests.CARTests"
PROOF = "ATProtoRecordProofTests.RecordProofTests"
REPOSITORY = "ATProtoRecordProofTests.RepositoryProofTests"
TREE = "ATProtoRecordProofTests.TreeTests"
LOG = "ATProtoIdentityTests.PLCAuditLogTests"
MEMORY = "BskyAuthCoreTests.RevisionMemoryTests"

MUTATIONS = [
    Mutation(
        "a commit of another account proves a record",
        PROOF,
        "        guard commit.did.utf8.elementsEqual(did.utf8) else { throw .otherRepository(commit.did) }\n",
        "",
    ),
    Mutation(
        "a commit needs no signature",
        PROOF,
        "        guard commit.isSigned(by: key) else { throw .signature }\n",
        "",
    ),
    Mutation(
        "a commit may be from the future",
        PROOF,
        "        guard Double(commit.microseconds) <= latest else {\n",
        "        guard Double(commit.microseconds) <= latest || true else {\n",
    ),
    Mutation(
        "the higher value of s is taken",
        PROOF,
        "        return isLow && hasMade(signature, of: message)\n",
        "        return (isLow || true) && hasMade(signature, of: message)\n",
    ),
    Mutation(
        "a block is not hashed",
        CAR,
        "        guard CID(of: bytes, codec: cid.codec) == cid else { throw InvalidCAR.digest(cid) }\n",
        "",
    ),
    Mutation(
        "a record that is not there is proven",
        PROOF,
        "        guard let found = blocks[cid] else { throw .missingRecord(path) }\n        bytes = found\n",
        "        bytes = blocks[cid]\n",
    ),
    Mutation(
        "the keys of a node may be in any order",
        TREE,
        "            guard entries.isEmpty || previous.lexicographicallyPrecedes(key) else {\n",
        "            guard entries.isEmpty || previous.lexicographicallyPrecedes(key) || true else {\n",
    ),
    Mutation(
        "an entry may share less with the key before it than it can",
        TREE,
        "            guard shared == previous.count || previous[Int(shared)] != suffix.first else {\n",
        "            guard shared == previous.count || previous[Int(shared)] != suffix.first || true else {\n",
    ),
    Mutation(
        "a key may be no path of a record",
        TREE,
        "            guard paths == .any || RecordPath.isValid(key) else { throw .path(key) }\n",
        "",
    ),
    Mutation(
        "a record key may be two dots",
        TREE,
        " && !key.elementsEqual(\"..\".utf8)\n",
        "\n",
    ),
    Mutation(
        "a node may have an identifier of plain bytes",
        TREE,
        "        case .link(let link) where link.codec == .dagCBOR: return link\n",
        "        case .link(let link): return link\n",
    ),
    Mutation(
        "a commit may have an identifier of plain bytes",
        PROOF,
        "        guard cid.codec == .dagCBOR else { throw .commit(\"its identifier is not one of DAG-CBOR\") }\n",
        "",
    ),
    Mutation(
        "a node may have keys of several layers",
        TREE,
        "        guard layers.count <= 1 else { throw .tree(\"the keys of a node belong to different layers\") }\n",
        "",
    ),
    Mutation(
        "a node may be at any layer",
        TREE,
        "            guard found == layer else { throw .tree(\"a node is not one layer below its parent\") }\n",
        "",
    ),
    Mutation(
        "a subtree may have keys of its neighbours",
        TREE,
        "            guard after.lexicographicallyPrecedes(first.key) else {\n",
        "            guard after.lexicographicallyPrecedes(first.key) || true else {\n",
    ),
    Mutation(
        "a number may be longer than it needs to be",
        CBOR,
        "            guard number >= least else { throw .notShortest }\n",
        "",
    ),
    Mutation(
        "the names of a map may be in any order",
        CBOR,
        "            guard isLater else { throw .names }\n",
        "            guard isLater || true else { throw .names }\n",
    ),
    Mutation(
        "a repository may lack a record",
        REPOSITORY,
        "                guard let isValid = reach(entry.value) else {\n",
        "                guard let isValid = reach(entry.value) ?? Optional(true) else {\n",
    ),
    Mutation(
        "an operation that was undone gives a key",
        LOG,
        "            guard !isUndone else { continue }\n",
        "            guard !isUndone || true else { continue }\n",
    ),
    Mutation(
        "an earlier key sets the highest revision",
        MEMORY,
        "        guard signer.past == nil else { return .newest }\n",
        "",
    ),
    Mutation(
        "a blob is not compared with its CID",
        "EndToEndTests.EndToEnd/VerifyListTests",
        "guard found == cid else {",
        "guard found.codec == cid.codec else {",
    ),
    Mutation(
        "records are listed before they are verified",
        "ATProtoRecordProofTests.RepositoryProofTests",
        "        (records, invalidRecords) = try file.walk(commit.data)\n",
        "        if let list { try file.list(commit.data, of: did, list) }\n"
        "        (records, invalidRecords) = try file.walk(commit.data)\n",
    ),
    Mutation(
        "a mention is taken from what is cached",
        "EndToEndTests.EndToEnd/CallFacetTests",
        "resolve(.handle(handle), freshness: .now).did",
        "resolve(.handle(handle), freshness: .cached).did",
    ),
]
