internal import ATPJSON
internal import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoRecordProof
internal import ATProtoSessions
internal import ATProtoXRPC

/// What a server says of a record without a proof: its answer to `com.atproto.repo.getRecord`.
enum RecordClaim: Sendable {
    case record(uri: String?, cid: String?, value: DataValue?)
    case absent
    /// Nothing that can be true.
    case unreadable

    /// The method that is asked.
    static let method = "com.atproto.repo.getRecord"
    /// The longest answer, in bytes.
    static let longest = 4 << 20

    /// Reads an answer that is a success.
    init(_ body: [UInt8]) {
        guard let json = try? JSONParser.parse(body), let value = json["value"] else {
            self = .unreadable
            return
        }
        self = .record(uri: json["uri"]?.string, cid: json["cid"]?.string, value: DataValue(value))
    }

    /// Reads an answer that is an error; nil if it says nothing about the record. The AppView of Bluesky has no name for this error.
    init?(_ error: XRPCError) {
        guard [400, 404].contains(error.status),
            error.name == "RecordNotFound" || error.message?.hasPrefix("Could not locate record") == true
        else { return nil }
        self = .absent
    }

    /// How it differs from a proof; nil if it says the same.
    func difference(from proof: RecordProof, of record: RecordReference) -> RecordDifference? {
        switch (self, proof.cid) {
        case (.absent, nil): return nil
        case (.absent, _?): return .withheld
        case (_, nil): return .invented
        case (.unreadable, _?): return .altered
        case (.record(let uri, let cid, let value), let proven?):
            // What is not valid data has no JSON, so only its identifier can be compared.
            let isSame = proof.record.map { $0 == value } ?? (cid != nil)
            guard isSame, cid == nil || cid == proven.description,
                uri.map({ Self.isAddress($0, of: record, in: proof.commit.did) }) ?? true
            else { return .altered }
            return nil
        }
    }

    /// Whether an address is that of the record, with the DID or as it was asked for.
    private static func isAddress(_ uri: String, of record: RecordReference, in did: String) -> Bool {
        guard let named = try? RecordReference(parsing: uri) else { return false }
        return named.collection == record.collection && named.key == record.key
            && (named.repo == record.repo || named.repo.description == did)
    }

    /// Asks for a claim and for the proof until both say the same: twice at most, because a record that is written between the two
    /// requests is no contradiction.
    ///
    /// - Parameter ask: asks for both. The claim is nil if the server does not say.
    /// - Returns: what was asked for at last.
    /// - Throws: ``RecordVerificationError/differs(_:by:_:)``.
    static func agreeing<Asked>(
        on record: RecordReference, by server: Origin?,
        _ ask: () async throws -> (claim: RecordClaim?, proof: RecordProof, asked: Asked)
    ) async throws -> Asked {
        var isSecond = false
        while true {
            let (claim, proof, asked) = try await ask()
            guard let difference = claim?.difference(from: proof, of: record) else { return asked }
            guard !isSecond else {
                throw RecordVerificationError.differs(difference, by: server, proof.commit.did)
            }
            isSecond = true
        }
    }
}
