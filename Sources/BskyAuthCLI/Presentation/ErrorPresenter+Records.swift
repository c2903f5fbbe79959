internal import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoRecordProof
internal import ATProtoSessions
internal import ATProtoXRPC
internal import BskyAuthCore

/// Failures of verifications.
extension ErrorPresenter {
    /// The failure of `bskyauth verify`, with what was to be verified and the command that asks another server.
    ///
    /// - Parameters:
    ///   - command: the command line without `--from`.
    ///   - isFromOther: whether `--from` names another server than the account's own.
    ///   - isVerbose: whether `-v` has shown what the server answered.
    ///   - owner: the account that `--of` names; nil without it.
    static func verification(
        _ error: any Error, of subject: VerifySubject, _ command: String, isFromOther: Bool, isVerbose: Bool,
        owner: ATIdentifier?
    ) -> Failure {
        var failure = self.failure(for: error)
        let elsewhere =
            if isFromOther {
                "ask the account's own server: \(command)"
            } else if isVerbose {
                subject.owner.map(wayToSee) ?? "bskyauth help verify"
            } else {
                "see what it answers: \(command) -v"
            }
        switch error {
        case let error as IdentityError:
            let account = error.subject.shellQuoted
            failure.hint = "see each step: bskyauth resolve \(account) --fresh -v"
            guard case .file(let path) = subject else { break }
            failure.message =
                "\(path.escapedForTerminal) is not verified, because the key of its account is not known: "
                + failure.message
        case RecordVerificationError.notProven(let error):
            failure.message = "\(subject.words) is not proven: \(error)"
            failure.hint = elsewhere
        case RecordVerificationError.pastKey, RecordVerificationError.outlivedKey:
            failure.message = "\(subject.words) is not proven: \(failure.message)"
            failure.hint = elsewhere
        case RecordVerificationError.differs, RecordVerificationError.empty, RecordVerificationError.webPage:
            failure.hint = elsewhere
        case RecordVerificationError.refused(let error, _, _) where error.saysUnknownMethod:
            failure.hint = elsewhere
        case RecordVerificationError.refused(let error, _, _) where error.name == "RepoNotFound":
            failure.hint = isFromOther ? elsewhere : subject.owner.map(wayToSee) ?? failure.hint
        case let error as TransportError:
            if case .tooLarge = error.code.kind { failure.hint = elsewhere }
        default: break
        }
        if case .file = subject, failure.hint == elsewhere {
            failure.hint =
                owner.map {
                    "check what the account's server has: bskyauth verify \($0.description.shellQuoted) --repo"
                } ?? "bskyauth help verify"
        }
        return failure
    }

    private static func wayToSee(_ account: ATIdentifier) -> String {
        "see where it is: bskyauth resolve \(account.description.shellQuoted) --fresh"
    }

    static func failure(_ error: RecordVerificationError) -> Failure {
        switch error {
        case .notProven(let error):
            unproven(code(error), "not proven: \(error)")
        case .pastKey(let did, let signer):
            unproven(
                "past_key",
                "the commit is signed with \(signer.past?.words ?? "an earlier key") of \(did), not with the present key"
            )
        case .outlivedKey(let did, let signer):
            unproven(
                "outlived_key",
                "the commit is signed with \(signer.past?.words ?? "an earlier key") of \(did), and says that it was made later"
            )
        case .differs(let difference, let server, let did):
            switch (difference, server?.host ?? "the answer") {
            case (.invented, let server):
                unproven(
                    "record_invented", "\(server) has a record that the repository of \(did) does not have")
            case (.withheld, let server):
                unproven(
                    "record_withheld",
                    "\(server) says that there is no record, but the repository of \(did) has it")
            case (.altered, let server):
                unproven(
                    "record_altered",
                    "\(server) has another content of the record than the repository of \(did)")
            }
        case .absent(let uri, let revision): absent(uri, revision: revision)
        case .invalidRecord(let uri):
            unproven(
                "record_invalid",
                "\(uri) is proven, but it is not valid data of AT Protocol, so it has no JSON")
        case .empty(let server):
            Failure(
                .network, "malformed_response", "\(server.host) answered with nothing, so there is no proof",
                hint: "run the command again later")
        case .webPage(let server, let nsid):
            Failure(
                .serverError, "web_page",
                "\(server.host) answered \(nsid) with a web page, so there is no proof: it is no server of accounts, or "
                    + "something in front of it answered", hint: "bskyauth help verify")
        case .noKey(let did):
            Failure(
                .network, "no_signing_key",
                "the DID document of \(did) names no key that bskyauth can verify commits with",
                hint: "bskyauth resolve \(did) --fresh --get .document")
        case .refused(let error, let server, let nsid): refused(error, by: server, nsid)
        }
    }

    /// A record that is proven to be absent, where a record is wanted.
    static func absent(_ uri: String, revision: String) -> Failure {
        Failure(
            .unknownAccount, "record_absent", "\(uri) is proven to be absent at revision \(revision)",
            hint: "if it should be absent: bskyauth verify \(uri.shellQuoted) --expect-absent")
    }

    private static func unproven(_ code: String, _ message: String) -> Failure {
        Failure(.verificationFailed, code, message, hint: "bskyauth help verify")
    }

    /// The error code, which names the failed step of the verification.
    private static func code(_ error: RecordProofError) -> String {
        switch error {
        case .car: "proof_car"
        case .path: "proof_path"
        case .missingBlock, .missingRecord: "proof_incomplete"
        case .commit: "proof_commit"
        case .otherRepository: "proof_repository"
        case .signature: "proof_signature"
        case .futureRevision: "proof_revision"
        case .tree: "proof_tree"
        }
    }

    /// A server that has no proof to give, or fails. Nothing is known about the record then.
    private static func refused(_ error: XRPCError, by server: Origin, _ nsid: NSID) -> Failure {
        let what = words(error)
        switch error.name {
        case "RepoNotFound":
            return Failure(
                .refused, "no_repository", "\(server.host) does not have this repository: \(what)",
                hint: "bskyauth help verify", http: error.status,
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
                .refused, "unknown_method", "\(server.host) does not know \(nsid)",
                hint: "bskyauth help verify", http: error.status, serverError: error.name)
        }
        if let failure = redirect(error, of: nsid, by: server, nil) { return failure }
        return refusal(error, what, by: server.host, nil) {
            Failure(
                .refused, "refused", "\(server.host) refused \(nsid): \(what)",
                hint: "bskyauth help verify", http: error.status, serverError: error.name)
        }
    }
}
