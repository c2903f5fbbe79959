internal import ATPJSON
package import ATPNetworking
package import ATProtoIdentity
internal import ATProtoRecordProof
package import ATProtoSessions
package import ATProtoXRPC

/// Makes the calls of another client, and answers `com.atproto.repo.getRecord` only with what is proven.
package struct VerifyingXRPCClient: XRPCClient {
    private let client: any XRPCClient
    private let verifier: RecordVerifier
    private let record: RecordReference

    /// - Parameter record: the record that is asked for.
    package init(_ client: any XRPCClient, _ verifier: RecordVerifier, _ record: RecordReference) {
        self.client = client
        self.verifier = verifier
        self.record = record
    }

    package func send(_ request: XRPCRequest, waiting most: Duration?) async throws -> TransportResponse {
        let response = try await client.send(request, waiting: most)
        guard (200..<300).contains(response.status) else { return response }
        let claim = RecordClaim(try await response.body.collect(upTo: RecordClaim.longest))
        let document = try await verifier.document(of: record.repo)
        guard let collection = record.collection, let key = record.key else {
            throw RecordVerificationError.notProven(.path)
        }
        let (proof, _) = try await verifier.record(collection, key, of: document, at: document.pds)
        guard claim.isEqual(to: proof), let cid = proof.cid, let value = proof.record else {
            throw RecordVerificationError.differs(document.pds, document.did)
        }
        let proven: JSONValue = [
            "uri": .string("at://\(document.did)/\(collection)/\(key)"), "cid": .string(cid.description),
            "value": value.json,
        ]
        return response.with(body: Array(proven.text.utf8))
    }

    package func refusal(of request: XRPCRequest, _ error: XRPCError) -> CallRefusal {
        client.refusal(of: request, error)
    }
}
