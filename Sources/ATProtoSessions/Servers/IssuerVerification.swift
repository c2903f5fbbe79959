internal import ATPCryptography
package import ATPJSON
internal import ATPNetworking

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The dated proof that a DID's PDS names an issuer, from the fetched DID document, protected resource metadata and
/// authorization server metadata (protocol:R46).
package struct IssuerVerification: Sendable, Equatable {
    package let did: String
    package let pds: String
    package let issuer: String
    /// The authorization server metadata with the endpoints.
    package let metadata: JSONValue
    package let verifiedAt: Date

    /// Whether a fact of this date is still fresh: it is less than ten minutes old (protocol:R10).
    package static func serves(_ date: Date, at now: Date) -> Bool {
        let age = now.timeIntervalSince(date)
        return age >= 0 && age < 600
    }

    package init(did: String, pds: String, issuer: String, metadata: JSONValue, verifiedAt: Date) {
        self.did = did
        self.pds = pds
        self.issuer = issuer
        self.metadata = metadata
        self.verifiedAt = verifiedAt
    }

    package init?(json: JSONValue) {
        guard let did = json["did"]?.string, let pds = json["pds"]?.string,
            let issuer = json["issuer"]?.string, let metadata = json["metadata"],
            let verifiedAt = json["verified_at"]?.integer.flatMap({ Date(recorded: $0) })
        else { return nil }
        self.init(did: did, pds: pds, issuer: issuer, metadata: metadata, verifiedAt: verifiedAt)
    }

    /// The verification for a cache, with an authentication code. The code is needed because others may be
    /// able to write to the cache, and refresh tokens are sent to the endpoint in it.
    package func sealed(by seal: any CacheSeal) -> JSONValue {
        let text = json.text
        let code = Base64URL.encode(seal.code(ofCached: Array(text.utf8)))
        return ["verification": .string(text), "code": .string(code)]
    }

    /// Reads a verification from a cache; nil unless the seal made its code.
    package init?(sealed: JSONValue, by seal: any CacheSeal) {
        guard let text = sealed["verification"]?.string, let code = sealed["code"]?.string,
            let bytes = Base64URL.decode(code), seal.isAuthentic(bytes, ofCached: Array(text.utf8)),
            let json = try? JSONParser.parse(Array(text.utf8))
        else { return nil }
        self.init(json: json)
    }

    package var json: JSONValue {
        [
            "did": .string(did), "pds": .string(pds), "issuer": .string(issuer), "metadata": metadata,
            "verified_at": JSONValue(Int64(verifiedAt.timeIntervalSince1970)),
        ]
    }
}
