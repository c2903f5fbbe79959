internal import ATPNetworking
internal import ATProtoIdentity
public import ATProtoRecordProof

extension ATProtoClient {
    /// Proves that a repository has a record, or that it does not have it.
    ///
    /// The DID is looked up anew, its server is asked for the proof (`com.atproto.sync.getRecord`), and the proof is verified with
    /// the key that the DID names now. Nothing of an account is sent. `RecordProof` says what is proven and what is not.
    ///
    /// - Parameters:
    ///   - uri: the AT-URI of a record of any account.
    ///   - server: the server to ask for the proof, as `https://relay.example.com`; nil for the account's own server.
    /// - Returns: the proof. Its `record` is nil if the record is proven to be absent, and if it is not valid data.
    /// - Throws: ``ATProtoFailure/Code/notProven`` if there was a proof and it failed.
    public func verifiedRecord(
        _ uri: String, from server: String? = nil
    ) async throws(ATProtoFailure) -> RecordProof {
        guard let record = try? RecordReference(parsing: uri), let collection = record.collection,
            let key = record.key
        else {
            throw ATProtoFailure(
                .invalidArgument, "\(UntrustedText.harmless(uri)) is no AT-URI of a record")
        }
        do {
            let verifier = RecordVerifier(network)
            let document = try await verifier.document(of: record.repo)
            let asked = if let server { try Origin(address: server) } else { document.pds }
            return try await verifier.record(collection, key, of: document, at: asked).proof
        } catch { throw ATProtoFailure(error) }
    }
}
