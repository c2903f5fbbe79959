internal import ATPJSON
internal import ATPNetworking
internal import ATPPlatform
internal import ATProtoRecordProof
internal import ATProtoSessions
internal import BskyAuthCore

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
    private let commit: CommitReport

    init(_ result: VerifyRecordFlow.Result) {
        self.result = result
        commit = CommitReport(result.proof.commit, result.signer, result.revision)
    }

    private var cid: String? { result.proof.cid?.description }
    /// Whether the record is there but is no data that AT Protocol has.
    private var isInvalid: Bool { cid != nil && result.proof.record == nil }

    /// The server whose answer says the same; nil if it did not say.
    private var compared: String? {
        if case .equal(let server) = result.comparison { server.description } else { nil }
    }

    var json: JSONValue {
        var json: JSONObject = [
            "schema": "bskyauth.verify/1", "uri": .string(result.uri),
            "result": cid == nil ? "absent" : "present", "absence": cid == nil ? "proven" : .null,
            "cid": JSONValue(cid), "record": result.proof.record?.json ?? .null,
            "valid_data": cid == nil ? .null : .bool(!isInvalid),
        ]
        commit.add(to: &json)
        json["source"] = .string(result.source.description)
        json["compared_with"] = JSONValue(compared)
        json["proven"] = .string(
            cid == nil
                ? "The repository does not have this record at this revision, which this key signed."
                : "The repository has this record at this revision, which this key signed.")
        json["not_proven"] = .string(
            (cid == nil ? "" : "That the person wrote it: the PDS holds the key. ")
                + "That the revision is the newest, or when it was made."
                + (cid == nil ? "" : " That blobs are intact."))
        return .object(json)
    }

    var table: Table {
        var table = Table()
        table.append(["uri", result.uri])
        table.append(cid.map { ["cid", $0] } ?? ["record", "absent"])
        for row in commit.rows { table.append(row) }
        table.append(["proof from", result.source.description])
        table.append(["compared with", compared ?? "-"])
        return table
    }

    var sentence: String {
        cid == nil
            ? "proven: the repository does not have this record at this revision"
            : "proven: the repository has this record at this revision"
    }

    var warnings: [String] {
        var warnings = commit.warnings
        if isInvalid { warnings.append("the record is proven, but it is not valid data of AT Protocol") }
        if case .unavailable(let server, let error) = result.comparison {
            let failure = ErrorPresenter.failure(for: error)
            warnings.append("not compared with what \(server.host) says: \(failure.message)")
        }
        return warnings
    }

    /// That the record is proven but has no JSON; nil if it has.
    var invalidity: Failure? {
        isInvalid ? ErrorPresenter.failure(.invalidRecord(uri: result.uri)) : nil
    }

    /// What ends the command, if what is proven is not what was expected.
    func failure(expectsAbsence: Bool) -> Failure? {
        let address = result.uri.shellQuoted
        switch (cid, expectsAbsence) {
        case (nil, false):
            return ErrorPresenter.absent(result.uri, revision: result.proof.commit.revision)
        case (_?, true):
            return Failure(
                .unknownAccount, "record_present",
                "\(result.uri) is proven to be there at revision \(result.proof.commit.revision)",
                hint: "see it: bskyauth verify \(address) --get .record")
        default: return nil
        }
    }
}

/// A repository that was verified.
struct RepositoryReport: VerificationReport {
    private let proof: RepositoryProof
    private let source: String
    private let commit: CommitReport

    /// - Parameter source: the server or the file.
    init(
        _ proof: RepositoryProof, _ signer: CommitSigner, from source: String,
        _ revision: RevisionMemory.Finding
    ) {
        self.proof = proof
        self.source = source
        commit = CommitReport(proof.commit, signer, revision)
    }

    var json: JSONValue {
        var json: JSONObject = [
            "schema": "bskyauth.verify-repository/1", "did": .string(proof.commit.did),
            "records": JSONValue(proof.records), "invalid_records": JSONValue(proof.invalidRecords),
            "blocks": JSONValue(proof.blocks), "unreferenced_blocks": JSONValue(proof.unreferencedBlocks),
        ]
        commit.add(to: &json)
        json["source"] = .string(source)
        json["proven"] = "The repository has exactly these records at this revision, which this key signed."
        json["not_proven"] =
            "That the person wrote the records: the PDS holds the key. That the revision is the newest, or when it was made. That blobs are intact."
        return .object(json)
    }

    var table: Table {
        var table = Table()
        table.append(["did", proof.commit.did])
        table.append(["records", String(proof.records)])
        table.append(["blocks", String(proof.blocks)])
        for row in commit.rows { table.append(row) }
        table.append(["from", InputFile.name(of: source).escapedForTerminal])
        return table
    }

    var sentence: String { "proven: the repository has exactly these records at this revision" }

    var warnings: [String] {
        var warnings = commit.warnings
        if proof.invalidRecords > 0 {
            warnings.append(
                "not valid data of AT Protocol: \(proof.invalidRecords) of \(proof.records) records")
        }
        if proof.unreferencedBlocks > 0 {
            warnings.append("blocks that do not belong to the repository: \(proof.unreferencedBlocks)")
        }
        return warnings
    }
}
