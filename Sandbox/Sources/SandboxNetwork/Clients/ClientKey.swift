/// A public key in the document of a confidential client (RFC 7517 §4).
struct ClientKey: Sendable {
    /// Its `kid`.
    let id: String
    let publicKey: JSONWebKey

    /// Reads a key for ES256. The result is `nil` for a key without a `kid`, a private key, and a key for another use.
    init?(_ json: JSONValue) {
        let operations = json["key_ops"]?.array
        guard let id = json["kid"]?.string, !id.isEmpty, json["d"] == nil, let key = JSONWebKey(json),
            operations?.allSatisfy({ $0 == "verify" }) ?? true, operations?.isEmpty != true,
            ["sig", nil].contains(json["use"]?.string), ["ES256", nil].contains(json["alg"]?.string)
        else { return nil }
        self.id = id
        publicKey = key
    }
}
