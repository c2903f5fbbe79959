internal import ATPJSON
package import ATPNetworking
package import ATProtoIdentity
package import ATProtoRecordProof
package import ATProtoSessions
package import ATProtoXRPC

/// Makes the calls of another client, and answers `com.atproto.repo.getRecord` only with what is proven.
package struct VerifyingXRPCClient: XRPCClient {
    private let client: any XRPCClient
    private let verifier: RecordVerifier
    private let record: RecordReference
    private let observe: @Sendable (RecordProof, CommitSigner) -> Void

    /// - Parameters:
    ///   - record: the record that is asked for.
    ///   - observe: is told what was proven.
    package init(
        _ client: any XRPCClient, _ verifier: RecordVerifier, _ record: RecordReference,
        observe: @escaping @Sendable (RecordProof, CommitSigner) -> Void
    ) {
        self.client = client
        self.verifier = verifier
        self.record = record
        self.observe = observe
    }

    package func send(_ request: XRPCRequest, waiting most: Duration?) async throws -> TransportResponse {
        guard let collection = record.collection, let key = record.key else {
            throw RecordVerificationError.notProven(.path)
        }
        var answer = try await self.answer(to: request, waiting: most)
        // An error that says nothing about the record is an answer like any other.
        guard answer.claim != nil else { return answer.response }
        let document = try await verifier.document(of: record.repo)
        var isFirst = true
        let (proof, signer) = try await RecordClaim.agreeing(on: record, by: nil) {
            if !isFirst { answer = try await self.answer(to: request, waiting: most) }
            isFirst = false
            let found = try await verifier.record(collection, key, of: document, at: document.pds)
            return (answer.claim, found.proof, found)
        }
        observe(proof, signer)
        let uri = "at://\(document.did)/\(collection)/\(key)"
        guard let cid = proof.cid else {
            throw RecordVerificationError.absent(uri: uri, revision: proof.commit.revision)
        }
        guard let value = proof.record else { throw RecordVerificationError.invalidRecord(uri: uri) }
        let proven: JSONValue = [
            "uri": .string(uri), "cid": .string(cid.description), "value": value.json,
        ]
        return answer.response.with(body: Array(proven.text.utf8))
    }

    package func refusal(of request: XRPCRequest, _ error: XRPCError) async -> CallRefusal {
        await client.refusal(of: request, error)
    }

    /// The answer of the other client, and what it says of the record; nil if it says nothing.
    private func answer(
        to request: XRPCRequest, waiting most: Duration?
    ) async throws -> (response: TransportResponse, claim: RecordClaim?) {
        let response = try await client.send(request, waiting: most)
        let isSuccess = (200..<300).contains(response.status)
        let body =
            try await isSuccess
            ? response.body.collect(upTo: RecordClaim.longest)
            : response.body.beginning(upTo: XRPCError.longestBody)
        let claim =
            isSuccess
            ? RecordClaim(body)
            : RecordClaim(
                XRPCError(status: response.status, headerFields: response.headerFields, body: body))
        return (response.with(body: body), claim)
    }
}
