import Crypto

/// A public P-256 key in JWK form (RFC 7517, RFC 7518 §6.2.1).
struct JSONWebKey: Sendable {
    let publicKey: P256.Signing.PublicKey
    private let x: String
    private let y: String

    init(_ publicKey: P256.Signing.PublicKey) {
        let point = publicKey.rawRepresentation
        self.publicKey = publicKey
        x = Base64URL.encode(point.prefix(32))
        y = Base64URL.encode(point.suffix(32))
    }

    /// Reads a JWK; `nil` unless it is a well-formed P-256 point.
    init?(_ json: JSONValue) {
        guard json["kty"]?.string == "EC", json["crv"]?.string == "P-256",
            let x = json["x"]?.string.flatMap({ Base64URL.decode($0) }), x.count == 32,
            let y = json["y"]?.string.flatMap({ Base64URL.decode($0) }), y.count == 32,
            let key = try? P256.Signing.PublicKey(rawRepresentation: x + y)
        else { return nil }
        self.init(key)
    }

    /// The JWK thumbprint, SHA-256 (RFC 7638 §3).
    var thumbprint: String {
        let canonical = #"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#
        return Base64URL.encode(SHA256.hash(data: Array(canonical.utf8)))
    }

    /// Members as the reference server's jwks document has them (case 003).
    func published(keyID: String) -> JSONValue {
        [
            "kty": "EC", "kid": .string(keyID), "key_ops": ["verify", "encrypt", "wrapKey"],
            "crv": "P-256", "x": .string(x), "y": .string(y),
        ]
    }

    func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        guard signature.count == 64,
            let ecdsa = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
        else { return false }
        return publicKey.isValidSignature(ecdsa, for: message)
    }
}
