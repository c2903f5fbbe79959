package import Cryptography
internal import JSON

/// The key a session is bound to: P-256, one per session, never shared (RFC 9449 §5, protocol:R55).
package struct DPoPKey: Sendable, CustomStringConvertible {
    /// The SHA-256 thumbprint of the public key in base64url (RFC 7638 §3), which tokens are bound to.
    package let thumbprint: String
    /// The header of every proof by this key, already encoded: a proof then costs one signature.
    let proofHeader: String
    private let key: P256PrivateKey

    /// A fresh random key.
    package init() throws(CryptographyError) {
        self.init(try P256PrivateKey())
    }

    /// Reads what ``privateKeyText()`` made.
    ///
    /// - Throws: ``CryptographyError`` where it is no private key on P-256, or where its parts contradict
    ///   each other.
    package init(privateKeyText text: String) throws(CryptographyError) {
        guard let json = try? JSONParser.parse(text), json["kty"]?.string == "EC",
            json["crv"]?.string == "P-256", let scalar = json["d"]?.string.flatMap(Base64URL.decode),
            let x = json["x"]?.string.flatMap(Base64URL.decode),
            let y = json["y"]?.string.flatMap(Base64URL.decode)
        else { throw .invalidPrivateKey }
        let publicKey = try P256PublicKey(x: x, y: y)
        self.init(try P256PrivateKey(rawRepresentation: SecretBytes(scalar), expecting: publicKey))
    }

    private init(_ key: P256PrivateKey) {
        self.key = key
        thumbprint = Self.thumbprint(of: key.publicKey)
        let header: JSONValue = [
            "typ": "dpop+jwt", "alg": "ES256", "jwk": .object(Self.publicJWK(of: key.publicKey)),
        ]
        proofHeader = JWS.encoded(header)
    }

    /// The private key as a JWK (RFC 7517), for the vault only.
    package func privateKeyText() throws(CryptographyError) -> String {
        var jwk = Self.publicJWK(of: key.publicKey)
        jwk["d"] = .string(Base64URL.encode(try key.rawRepresentation().bytes))
        return JSONValue.object(jwk).text
    }

    /// Signs what a proof says: r and s, 32 bytes each.
    func sign(_ message: [UInt8]) throws(CryptographyError) -> [UInt8] {
        try key.sign(message)
    }

    static func thumbprint(of key: P256PublicKey) -> String {
        Base64URL.encode(SHA256.hash(JSONValue.object(publicJWK(of: key)).text.utf8))
    }

    /// The members that a thumbprint needs, in its order, which are also all that a proof may show.
    private static func publicJWK(of key: P256PublicKey) -> JSONObject {
        [
            "crv": "P-256", "kty": "EC", "x": .string(Base64URL.encode(key.x)),
            "y": .string(Base64URL.encode(key.y)),
        ]
    }

    package var description: String { "<redacted>" }
}
