internal import ATPJSON
package import ATPNetworking
package import ATProtoIdentity
package import ATProtoRecordProof
package import ATProtoSessions
internal import ATProtoXRPC

/// Verifies one record, and compares it with what a server says of it.
package struct VerifyRecordFlow: Sendable {
    /// A record that a repository has or does not have, which is proven.
    package struct Result: Sendable {
        /// The account, and its server as its document names it.
        package let document: DIDDocument
        /// The AT-URI of the record, with the DID.
        package let uri: String
        package let proof: RecordProof
        package let signer: CommitSigner
        /// Who gave the proof.
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

    private let verifier: RecordVerifier
    private let revisions: RevisionMemory

    /// - Parameter allowsPastKeys: whether a key that the DID had earlier may have signed.
    package init(_ network: NetworkEnvironment, revisions: RevisionMemory, allowsPastKeys: Bool) {
        verifier = RecordVerifier(network, allowsPastKeys: allowsPastKeys)
        self.revisions = revisions
    }

    /// - Parameters:
    ///   - record: the record, with its collection and its key.
    ///   - server: who is asked; nil for the account's own server. The proof comes from the account's server if this one can't
    ///     give proofs.
    ///   - step: is told whom is asked, before each request.
    package func run(
        _ record: RecordReference, from server: Origin?, step: (String) -> Void
    ) async throws -> Result {
        step("looking up \(record.repo)")
        let document = try await verifier.document(of: record.repo)
        guard let collection = record.collection, let key = record.key else {
            throw RecordVerificationError.notProven(.path)
        }
        let asked = server ?? document.pds
        // A record that is written between two requests is no contradiction, so one is looked at twice.
        for isLast in [false, true] {
            let (found, source) = try await proof(collection, key, document, asked, step)
            step("comparing with \(asked.host)")
            let answer = await claim(collection, key, document.did, asked)
            if case .failure(let error) = answer, source != asked { throw error }
            switch answer {
            case .success(let claim):
                guard claim.isEqual(to: found.proof) else {
                    if isLast { break }
                    continue
                }
                return result(document, collection, key, found, source, .equal(asked))
            case .failure(let error):
                return result(document, collection, key, found, source, .unavailable(asked, error))
            }
        }
        throw RecordVerificationError.differs(asked, document.did)
    }

    private func result(
        _ document: DIDDocument, _ collection: NSID, _ key: String,
        _ found: (proof: RecordProof, signer: CommitSigner), _ source: Origin, _ comparison: Comparison
    ) -> Result {
        Result(
            document: document, uri: "at://\(document.did)/\(collection)/\(key)", proof: found.proof,
            signer: found.signer, source: source, comparison: comparison,
            revision: revisions.note(found.proof.commit))
    }

    /// The proof, from the server that is asked or else from the account's own.
    private func proof(
        _ collection: NSID, _ key: String, _ document: DIDDocument, _ asked: Origin, _ step: (String) -> Void
    ) async throws -> (found: (proof: RecordProof, signer: CommitSigner), source: Origin) {
        step("asking \(asked.host) for the proof")
        do {
            return (try await verifier.record(collection, key, of: document, at: asked), asked)
        } catch RecordVerificationError.refused(let error, _, _)
            where asked != document.pds && (error.saysUnknownMethod || error.status == 404)
        {
            step("asking \(document.pds.host) for the proof")
            return (
                try await verifier.record(collection, key, of: document, at: document.pds), document.pds
            )
        }
    }

    /// What a server says of the record without a proof.
    private func claim(
        _ collection: NSID, _ key: String, _ did: DID, _ server: Origin
    ) async -> Swift.Result<RecordClaim, any Error> {
        do {
            let call = XRPCRequest(
                .query, try NSID(validating: RecordClaim.method),
                parameters: [
                    "repo": did.description, "collection": collection.description, "rkey": key,
                ])
            let answer = try await verifier.answer(to: call, from: server)
            return .success(RecordClaim(try await answer.body.collect(upTo: RecordClaim.longest)))
        } catch RecordVerificationError.refused(let error, _, _) where error.name == "RecordNotFound" {
            return .success(.absent)
        } catch { return .failure(error) }
    }
}

/// What an answer of `com.atproto.repo.getRecord` claims.
enum RecordClaim: Sendable {
    case record(cid: String?, value: DataValue?)
    case absent
    /// Nothing that can be true.
    case unreadable

    /// The method that claims.
    static let method = "com.atproto.repo.getRecord"
    /// The longest answer, in bytes.
    static let longest = 4 << 20

    init(_ body: [UInt8]) {
        guard let json = try? JSONParser.parse(body), let value = json["value"] else {
            self = .unreadable
            return
        }
        self = .record(cid: json["cid"]?.string, value: DataValue(value))
    }

    /// Whether it says the same as a proof. A record that is not valid data has no JSON, so only its identifier is compared.
    func isEqual(to proof: RecordProof) -> Bool {
        switch self {
        case .record(let cid, let value):
            guard let proven = proof.cid, cid == nil || cid == proven.description else { return false }
            return proof.record == nil || value == proof.record
        case .absent: return proof.cid == nil
        case .unreadable: return false
        }
    }
}
