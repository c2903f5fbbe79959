internal import FoundationEssentials
internal import JSON
internal import Networking

/// The proof, with its date, that a DID's PDS names an issuer: DID document, protected resource metadata and
/// authorization server metadata as they were fetched (protocol:R46).
struct IssuerVerification: Sendable, Equatable {
    let did: String
    let pds: String
    let issuer: String
    /// The authorization server metadata, for the endpoints.
    let metadata: JSONValue
    let verifiedAt: Date

    /// Whether something that was found out then need not be asked again: it was under ten minutes ago (protocol:R10).
    static func serves(_ date: Date, at now: Date) -> Bool {
        let age = now.timeIntervalSince(date)
        return age >= 0 && age < 600
    }

    init(did: String, pds: String, issuer: String, metadata: JSONValue, verifiedAt: Date) {
        self.did = did
        self.pds = pds
        self.issuer = issuer
        self.metadata = metadata
        self.verifiedAt = verifiedAt
    }

    init?(json: JSONValue) {
        guard let did = json["did"]?.string, let pds = json["pds"]?.string,
            let issuer = json["issuer"]?.string, let metadata = json["metadata"],
            let verifiedAt = json["verified_at"]?.integer.flatMap({ Date(recorded: $0) })
        else { return nil }
        self.init(did: did, pds: pds, issuer: issuer, metadata: metadata, verifiedAt: verifiedAt)
    }

    var json: JSONValue {
        [
            "did": .string(did), "pds": .string(pds), "issuer": .string(issuer), "metadata": metadata,
            "verified_at": JSONValue(Int64(verifiedAt.timeIntervalSince1970)),
        ]
    }
}
