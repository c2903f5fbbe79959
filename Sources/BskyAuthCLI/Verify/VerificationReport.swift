internal import ATPJSON
internal import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoRecordProof
internal import ATProtoSessions
internal import BskyAuthCore
internal import FoundationEssentials

/// What a verification has proven, for people and for programs.
protocol VerificationReport {
    var json: JSONValue { get }
    var table: Table { get }
    /// What is proven, in one sentence.
    var sentence: String { get }
    /// What the reader should know besides.
    var warnings: [String] { get }
}

/// A record that is proven to be in a repository, or not to be in it.
struct RecordReport: VerificationReport {
    private let result: VerifyRecordFlow.Result
    private let common: CommitReport

    init(_ result: VerifyRecordFlow.Result) {
        self.result = result
        common = CommitReport(result.proof.commit, result.signer, result.revision)
    }

    private var cid: String? { result.proof.cid?.description }
    /// Whether the record is there but is no data that AT Protocol has.
    private var isInvalid: Bool { cid != nil && result.proof.record == nil }

    var json: JSONValue {
        var json: JSONObject = [
            "schema": "bskyauth.verify/1", "uri": .string(result.uri),
            "result": cid == nil ? "absent" : "proven", "absence": cid == nil ? "proven" : .null,
            "cid": JSONValue(cid), "record": result.proof.record?.json ?? .null,
            "valid_data": cid == nil ? .null : .bool(!isInvalid),
        ]
        common.add(to: &json)
        json["source"] = .string(result.source.description)
        if case .equal(let server) = result.comparison {
            json["compared_with"] = .string(server.description)
        } else {
            json["compared_with"] = .null
        }
        json["proven"] = .string(
            cid == nil
                ? "The repository does not have this record at this revision, which this key signed."
                : "The repository has this record at this revision, which this key signed.")
        json["not_proven"] = .string(Self.limits)
        return .object(json)
    }

    var table: Table {
        var table = Table()
        table.append(["uri", result.uri])
        table.append(["cid", cid ?? "absent"])
        for row in common.rows { table.append(row) }
        table.append(["proof from", result.source.description])
        if case .equal(let server) = result.comparison {
            table.append(["same at", server.description])
        }
        return table
    }

    var sentence: String {
        cid == nil
            ? "proven: the repository does not have this record at this revision"
            : "proven: the repository has this record at this revision"
    }

    var warnings: [String] {
        var warnings = common.warnings
        if isInvalid { warnings.append("the record is proven, but it is not valid data of AT Protocol") }
        if case .unavailable(let server, let error) = result.comparison {
            let failure = ErrorPresenter.failure(for: error)
            warnings.append("not compared with what \(server.host) says: \(failure.message)")
        }
        return warnings
    }

    /// What ends the command, if what is proven is not what was expected.
    func failure(expectsAbsence: Bool) -> Failure? {
        let address = result.uri.shellQuoted
        switch (cid, expectsAbsence) {
        case (nil, false):
            return Failure(
                .unknownAccount, "record_absent",
                "\(result.uri) is proven to be absent at revision \(result.proof.commit.revision)",
                hint: "bskyauth verify \(address) --expect-absent   if it should be")
        case (_?, true):
            return Failure(
                .unknownAccount, "record_present",
                "\(result.uri) is proven to be there at revision \(result.proof.commit.revision)",
                hint: "bskyauth verify \(address)")
        default: return nil
        }
    }

    private static let limits =
        "That the person wrote it: the PDS holds the key. That the revision is the newest, or when it was made. That blobs are intact."
}

/// A repository that was verified.
struct RepositoryReport: VerificationReport {
    private let proof: RepositoryProof
    private let source: String
    private let common: CommitReport

    /// - Parameter source: the server or the file.
    init(
        _ proof: RepositoryProof, _ signer: CommitSigner, from source: String,
        _ revision: RevisionMemory.Finding
    ) {
        self.proof = proof
        self.source = source
        common = CommitReport(proof.commit, signer, revision)
    }

    var json: JSONValue {
        var json: JSONObject = [
            "schema": "bskyauth.verify-repository/1", "did": .string(proof.commit.did), "result": "proven",
            "records": JSONValue(proof.records), "invalid_records": JSONValue(proof.invalidRecords),
            "blocks": JSONValue(proof.blocks), "unreferenced_blocks": JSONValue(proof.unreferencedBlocks),
        ]
        common.add(to: &json)
        json["source"] = .string(source)
        json["proven"] = "The repository has exactly these records at this revision, which this key signed."
        json["not_proven"] = .string(Self.limits)
        return .object(json)
    }

    var table: Table {
        var table = Table()
        table.append(["did", proof.commit.did])
        table.append(["records", String(proof.records)])
        table.append(["blocks", String(proof.blocks)])
        for row in common.rows { table.append(row) }
        table.append(["from", source.escapedForTerminal])
        return table
    }

    var sentence: String { "proven: the repository has exactly these records at this revision" }

    var warnings: [String] {
        var warnings = common.warnings
        if proof.invalidRecords > 0 {
            warnings.append(
                "not valid data of AT Protocol: \(proof.invalidRecords) of \(proof.records) records")
        }
        if proof.unreferencedBlocks > 0 {
            warnings.append("blocks that do not belong to the repository: \(proof.unreferencedBlocks)")
        }
        return warnings
    }

    private static let limits =
        "That the person wrote the records: the PDS holds the key. That the revision is the newest, or when it was made. That blobs are intact."
}

/// The commit of a proof: its revision and its key.
private struct CommitReport {
    let commit: SignedCommit
    let signer: CommitSigner
    let finding: RevisionMemory.Finding

    init(_ commit: SignedCommit, _ signer: CommitSigner, _ finding: RevisionMemory.Finding) {
        self.commit = commit
        self.signer = signer
        self.finding = finding
    }

    /// When the commit was made, as it says.
    private var time: String {
        TimeText.rfc3339(Date(timeIntervalSince1970: Double(commit.microseconds) / 1_000_000))
    }

    var rows: [[String]] {
        [
            ["revision", "\(commit.revision)  (\(time), as its signer says)"],
            ["signed by", signer.publicKeyMultibase + (signer.past.map { "  (\($0.words))" } ?? "")],
        ]
    }

    func add(to json: inout JSONObject) {
        json["revision"] = .string(commit.revision)
        json["revision_time"] = .string(time)
        if case .older(let revision) = finding {
            json["newer_revision"] = .string(revision)
        } else {
            json["newer_revision"] = .null
        }
        json["contradicts_earlier"] = .bool(finding == .contradiction)
        json["key"] = [
            "multibase": .string(signer.publicKeyMultibase), "is_current": .bool(signer.past == nil),
            "from": JSONValue(signer.past?.from), "until": JSONValue(signer.past?.until),
        ]
    }

    var warnings: [String] {
        var warnings: [String] = []
        switch finding {
        case .newest: break
        case .older(let revision):
            warnings.append(
                "this is an older state: revision \(revision) of the repository was verified here before")
        case .contradiction:
            warnings.append(
                "the repository was verified here before with the same revision and other records, so it contradicts itself"
            )
        }
        if let past = signer.past {
            warnings.append(
                "signed with \(past.words), not with the present key, as the directory of did:plc says")
        }
        return warnings
    }
}
