internal import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoRecordProof
internal import ATProtoSessions
internal import ATProtoXRPC

/// Failures of verifications.
extension ErrorPresenter {
    /// The failure of `bskyauth verify`, with the command that asks somebody else.
    ///
    /// - Parameters:
    ///   - subject: what was to be verified.
    ///   - isFromOther: whether `--from` names another server than the account's own.
    static func verification(
        _ error: any Error, of subject: VerifySubject, isFromOther: Bool
    ) -> Failure {
        var failure = self.failure(for: error)
        switch error {
        case let error as IdentityError where error.kind == .doesNotExist:
            failure.hint = "check the spelling: bskyauth resolve HANDLE"
        case let error as IdentityError:
            failure.hint = "see each step: bskyauth resolve \(error.subject.shellQuoted) --fresh -v"
        case RecordVerificationError.notProven, RecordVerificationError.differs:
            let command = subject.command
            failure.hint =
                isFromOther
                ? "ask the account's own server: \(command)" : "ask another server: \(command) --from URL"
            if case .file = subject {
                failure.hint = "check what the account's server has: bskyauth verify DID --repo"
            }
        default: break
        }
        return failure
    }

    static func failure(_ error: RecordVerificationError) -> Failure {
        switch error {
        case .notProven(let error): failure(error)
        case .pastKey(let did, let signer):
            Failure(
                .verificationFailed, "past_key",
                "not proven: the commit is signed with \(signer.past?.words ?? "an earlier key") of \(did), not with the present key; --allow-past-keys accepts it",
                hint: "check the present repository: bskyauth verify \(did) --repo")
        case .differs(let server, let did):
            Failure(
                .verificationFailed, "record_differs",
                "\(server.host) says something else of this record than what the repository of \(did) has",
                hint: "bskyauth help verify")
        case .noKey(let did):
            Failure(
                .network, "no_signing_key",
                "the DID document of \(did) names no key that bskyauth can verify commits with",
                hint: "bskyauth resolve \(did) --fresh --get .document.verificationMethod")
        case .refused(let error, let server, let nsid): refused(error, by: server, nsid)
        }
    }

    /// The step that failed has a code of its own.
    private static func failure(_ error: RecordProofError) -> Failure {
        let (code, words): (String, String) =
            switch error {
            case .car(let problem): ("proof_car", "the CAR file is not valid: \(Self.words(problem))")
            case .path: ("proof_path", "no repository can have a record with this address")
            case .missingBlock(let cid): ("proof_incomplete", "the block \(cid) is missing")
            case .commit(let problem): ("proof_commit", "the commit is not valid: \(problem)")
            case .otherRepository(let did):
                ("proof_repository", "the commit is of another repository, \(did.escapedForTerminal)")
            case .signature:
                ("proof_signature", "the commit has no valid signature of the account's key")
            case .futureRevision(let revision):
                (
                    "proof_revision",
                    "the revision \(revision) is more than five minutes ahead of this machine's clock"
                )
            case .tree(let problem): ("proof_tree", "the tree of the repository is not valid: \(problem)")
            }
        return Failure(
            .verificationFailed, code, "not proven: \(words)", hint: "bskyauth help verify")
    }

    private static func words(_ problem: InvalidCAR) -> String {
        switch problem {
        case .cutShort: "it ends too early"
        case .length: "a length in it is not valid"
        case .header: "its header is not that of a CAR file of version 1"
        case .noRoot: "it has no root"
        case .blockSize: "a block is longer than 2 MiB"
        case .identifier: "a block has an identifier that AT Protocol does not use"
        case .digest(let cid): "the content of the block \(cid) is not what its identifier says"
        }
    }

    /// A server that has no proof to give, or fails. Nothing is said about the record then.
    private static func refused(_ error: XRPCError, by server: Origin, _ nsid: NSID) -> Failure {
        let what = words(error)
        switch error.name {
        case "RepoNotFound":
            return Failure(
                .unknownAccount, "no_repository", "\(server.host) does not have this repository: \(what)",
                hint: "see where it is: bskyauth resolve HANDLE --fresh", http: error.status,
                serverError: error.name)
        case "RepoDeactivated":
            return Failure(
                .refused, "account_deactivated", "the account is deactivated: \(what)",
                hint: "run the command again when the account is active", http: error.status,
                serverError: error.name)
        case "RepoTakendown", "RepoSuspended":
            return Failure(
                .refused, "account_taken_down", "\(server.host) has taken the account down: \(what)",
                hint: "ask the operator of \(server.host)", http: error.status, serverError: error.name)
        default: break
        }
        if error.saysUnknownMethod {
            return Failure(
                .refused, "unknown_method", "\(server.host) gives no proofs: it does not know \(nsid)",
                hint: "ask the account's own server: leave out --from", http: error.status,
                serverError: error.name)
        }
        return refusal(error, what, by: server.host, nil) {
            Failure(
                .refused, "refused", "\(server.host) refused \(nsid): \(what)",
                hint: "bskyauth help verify", http: error.status, serverError: error.name)
        }
    }
}

extension PLCAuditLog.SigningKey {
    /// `the key of 2025-03-01 to 2026-01-04`.
    var words: String {
        let (from, until) = (from.prefix(10), until?.prefix(10))
        return
            "the key of \(String(from).escapedForTerminal) to \(until.map { String($0).escapedForTerminal } ?? "now")"
    }
}
