internal import ATPJSON
internal import ATProtoIdentity
internal import ATProtoRecordProof
internal import ATProtoSessions
internal import BskyAuthCore
internal import FoundationEssentials

/// The commit of a proof: its revision and its key.
struct CommitReport {
    private let commit: SignedCommit
    private let signer: CommitSigner
    private let finding: RevisionMemory.Finding

    init(_ commit: SignedCommit, _ signer: CommitSigner, _ finding: RevisionMemory.Finding) {
        self.commit = commit
        self.signer = signer
        self.finding = finding
    }

    /// When the commit was made, as it says.
    private var time: String {
        TimeText.rfc3339(Date(timeIntervalSince1970: Double(commit.microseconds) / 1_000_000))
    }

    /// The rows of a table.
    var rows: [[String]] {
        [
            ["revision", "\(commit.revision)  (\(time), as its signer says)"],
            ["key", signer.publicKeyMultibase + (signer.past.map { "  (\($0.words))" } ?? "")],
        ]
    }

    /// Adds the members of a result.
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

    /// What the reader should know of the commit.
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
        case .notRemembered:
            warnings.append(
                "the revision can't be remembered, or what was remembered can't be read, so an older state is not noticed: see FILES in bskyauth(1)"
            )
        }
        if let past = signer.past {
            warnings.append(
                "signed with \(past.words), not with the present key, as the directory of did:plc says")
        }
        return warnings
    }
}

extension PLCAuditLog.SigningKey {
    /// `the key of 2025-03-01 09:00 to 2026-01-04 17:30`, in UTC.
    var words: String {
        func minute(_ time: String) -> String {
            String(time.prefix(16)).replacing("T", with: " ").escapedForTerminal
        }
        return "the key of \(minute(from)) to \(until.map(minute) ?? "now")"
    }
}
