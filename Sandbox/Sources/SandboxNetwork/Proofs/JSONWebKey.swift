/// A public P-256 key in JWK form (RFC 7517, RFC 7518 §6.2.1).
struct JSONWebKey: Sendable {
    private let publicKey: P256.PublicKey

    init(_ publicKey: P256.PublicKey) {
        self.publicKey = publicKey
    }

    /// Reads a JWK; `nil` unless it is a well-formed P-256 point.
    init?(_ json: JSONValue) {
        guard json["kty"]?.string == "EC", json["crv"]?.string == "P-256",
            let x = json["x"]?.string.flatMap({ Base64URL.decode($0) }),
            let y = json["y"]?.string.flatMap({ Base64URL.decode($0) }),
            let key = P256.PublicKey(x: x, y: y)
        else { return nil }
        self.init(key)
    }

    private var x: String { Base64URL.encode(publicKey.x) }
    private var y: String { Base64URL.encode(publicKey.y) }

    /// The JWK thumbprint, SHA-256 (RFC 7638 §3).
    var thumbprint: String {
        let canonical = #"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#
        return Base64URL.encode(SHA256.digest(of: canonical.utf8))
    }

    /// Members as the reference server's jwks document has them (case 003).
    func published(keyID: String) -> JSONValue {
        [
            "kty": "EC", "kid": .string(keyID), "key_ops": ["verify", "encrypt", "wrapKey"],
            "crv": "P-256", "x": .string(x), "y": .string(y),
        ]
    }

    func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        publicKey.isValid(signature, for: message)
    }
}
