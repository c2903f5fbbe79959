package import ATPNetworking
package import ATProtoIdentity
package import ATProtoRecordProof
package import ATProtoSessions
internal import ATProtoXRPC

/// Verifies one record, and compares it with what a server says of it.
package struct VerifyRecordFlow: Sendable {
    /// A record that a repository has or does not have, which is proven.
    package struct Result: Sendable {
        /// The AT-URI of the record, with the DID.
        package let uri: String
        package let proof: RecordProof
        package let signer: CommitSigner
        /// The server that gave the proof.
        package let source: Origin
        package let comparison: Comparison
        package let revision: RevisionMemory.Finding
    }

    /// What `com.atproto.repo.getRecord` of a server says of the record.
    package enum Comparison: Sendable {
        /// The same as the proof.
        case equal(Origin)
        /// The server does not say.
        case unavailable(Origin, any Error)
    }

    private typealias Proven = (proof: RecordProof, signer: CommitSigner)

    private let verifier: RecordVerifier
    private let revisions: RevisionMemory

    /// - Parameter allowsPastKeys: whether a key that the DID had earlier may have signed.
    package init(_ network: NetworkEnvironment, revisions: RevisionMemory, allowsPastKeys: Bool) {
        verifier = RecordVerifier(network, allowsPastKeys: allowsPastKeys)
        self.revisions = revisions
    }

    /// - Parameters:
    ///   - record: the record, with its collection and its key.
    ///   - server: the server to ask; nil for the account's own server. If it can't give proofs, the proof comes from the account's
    ///     server.
    ///   - step: is told what is done next, before each request.
    package func run(
        _ record: RecordReference, from server: Origin?, step: (String) -> Void
    ) async throws -> Result {
        step("looking up \(record.repo)")
        let document = try await verifier.document(of: record.repo)
        guard let collection = record.collection, let key = record.key else {
            throw RecordVerificationError.notProven(.path)
        }
        let asked = server ?? document.pds
        let (found, source, comparison) = try await RecordClaim.agreeing(on: record, by: asked) {
            () async throws -> (RecordClaim?, RecordProof, (Proven, Origin, Comparison)) in
            let (found, source) = try await proof(collection, key, document, asked, step)
            step("comparing with \(asked.host)")
            do {
                let claim = try await claim(collection, key, document.did, asked)
                return (claim, found.proof, (found, source, .equal(asked)))
            } catch {
                // Without a proof and without an answer, nothing of the server was checked.
                guard source == asked, !Task.isCancelled else { throw error }
                return (nil, found.proof, (found, source, .unavailable(asked, error)))
            }
        }
        return Result(
            uri: "at://\(document.did)/\(collection)/\(key)", proof: found.proof, signer: found.signer,
            source: source, comparison: comparison,
            revision: revisions.note(found.proof.commit, signedBy: found.signer))
    }

    /// The proof, from the server that is asked or else from the account's own.
    private func proof(
        _ collection: String, _ key: String, _ document: DIDDocument, _ asked: Origin,
        _ step: (String) -> Void
    ) async throws -> (found: Proven, source: Origin) {
        step("asking \(asked.host) for the proof")
        do {
            return (try await verifier.record(collection, key, of: document, at: asked), asked)
        } catch RecordVerificationError.refused(let error, _, _)
            where asked != document.pds && error.saysNoProofs
        {
            step("asking \(document.pds.host) for the proof")
            return (
                try await verifier.record(collection, key, of: document, at: document.pds), document.pds
            )
        }
    }

    /// What a server says of the record without a proof.
    private func claim(
        _ collection: String, _ key: String, _ did: DID, _ server: Origin
    ) async throws -> RecordClaim {
        let call = XRPCRequest(
            .query, try NSID(validating: RecordClaim.method),
            parameters: ["repo": did.description, "collection": collection, "rkey": key])
        do {
            let answer = try await verifier.answer(to: call, from: server)
            return RecordClaim(try await answer.body.collect(upTo: RecordClaim.longest))
        } catch RecordVerificationError.refused(let error, let server, let nsid) {
            if let claim = RecordClaim(error) { return claim }
            throw RecordVerificationError.refused(error, by: server, nsid)
        }
    }
}

extension XRPCError {
    /// Whether a server has no proofs of a repository, as an app view.
    fileprivate var saysNoProofs: Bool { saysUnknownMethod || status == 404 || name == "RepoNotFound" }
}
