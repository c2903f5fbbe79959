internal import ATPJSON
internal import ATPPlatform
internal import ATProtoRecordProof

extension VerifyCommand {
    /// The longest blob, in bytes. Servers take less.
    private static let longestBlob = 1 << 30

    /// Checks a blob against the CID that the subject is. This needs no server.
    func verify(blob path: String, _ console: Console) throws {
        guard !repo, !list, !expectAbsent, !allowPastKeys, from == nil, of == nil else {
            throw Failure.usage("--blob compares a file with a CID, and takes no option about repositories")
        }
        guard let cid = CID(subject) else {
            throw Failure.usage("--blob takes the CID of a blob, not \"\(subject.escapedForTerminal)\"")
        }
        guard cid.codec == .raw else {
            throw Failure.usage("\(cid) is the CID of a record, and a blob has one that begins with bafkrei")
        }
        let bytes: [UInt8]
        do { bytes = try InputFile.read(path, limit: Self.longestBlob + 1) } catch {
            throw Failure.unreadable(path, error, hint: "bskyauth verify \(cid) --blob FILE")
        }
        guard bytes.count <= Self.longestBlob else { throw Failure.usage("a blob has at most 1 GiB") }
        let found = CID(of: bytes, codec: .raw)
        guard found == cid else {
            throw Failure(
                .verificationFailed, "blob_differs",
                "\(InputFile.name(of: path).escapedForTerminal) is not the blob \(cid): its bytes have the CID \(found)",
                hint:
                    "fetch it again: bskyauth call com.atproto.sync.getBlob did=DID cid=\(cid) --anonymous --host PDS -o FILE"
            )
        }
        try write(BlobReport(cid: cid, size: bytes.count, source: path), nil, to: console)
    }
}

/// A file that is the blob with a CID.
private struct BlobReport: VerificationReport {
    let cid: CID
    let size: Int
    let source: String

    var json: JSONValue {
        [
            "schema": "bskyauth.verify-blob/1", "cid": .string(cid.description), "size": JSONValue(size),
            "source": .string(source),
        ]
    }

    var table: Table {
        var table = Table()
        table.append(["cid", cid.description])
        table.append(["size", String(size)])
        table.append(["from", InputFile.name(of: source).escapedForTerminal])
        return table
    }

    var sentence: String { "proven: the file is the blob with this CID" }
    var warnings: [String] { [] }
}
