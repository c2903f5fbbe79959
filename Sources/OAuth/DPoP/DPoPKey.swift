package import Cryptography
internal import JSON
internal import Synchronization

/// The P-256 key that a session is bound to. Every session has a key of its own (RFC 9449 §5, protocol:R55).
///
/// Reading a key does not check that its two halves belong together, because the vault sealed them together. Call
/// ``verify()`` for a key that comes from elsewhere.
package final class DPoPKey: Sendable, CustomStringConvertible {
    /// What signing a proof needs.
    private struct Signer {
        let key: P256PrivateKey
        /// The encoded header, which is the same for every proof of this key.
        let proofHeader: String
    }

    /// The members of the thumbprint in its order. A proof contains exactly these members too.
    private let publicJWK: JSONObject
    private let scalar: SecretBytes
    private let signer: Mutex<Signer?>

    /// A new random key.
    package init() throws(CryptographyError) {
        let key = try P256PrivateKey()
        publicJWK = Self.jwk(x: key.publicKey.x, y: key.publicKey.y)
        scalar = try key.rawRepresentation()
        signer = Mutex(Self.signer(key, publicJWK))
    }

    /// Reads the text of ``privateKeyText()``.
    ///
    /// - Throws: ``CryptographyError/invalidPrivateKey`` if the text is not a private P-256 key.
    package init(privateKeyText text: String) throws(CryptographyError) {
        guard let json = try? JSONParser.parse(text), json["kty"]?.string == "EC",
            json["crv"]?.string == "P-256", let scalar = json["d"]?.string.flatMap(Base64URL.decode),
            let x = json["x"]?.string.flatMap(Base64URL.decode),
            let y = json["y"]?.string.flatMap(Base64URL.decode),
            [scalar.count, x.count, y.count] == [32, 32, 32]
        else { throw .invalidPrivateKey }
        publicJWK = Self.jwk(x: x, y: y)
        self.scalar = SecretBytes(scalar)
        signer = Mutex(nil)
    }

    /// The SHA-256 thumbprint of the public key in base64url (RFC 7638 §3). Tokens are bound to it.
    package var thumbprint: String { Self.thumbprint(publicJWK) }

    /// Checks that the private key is valid and that the public key belongs to it.
    package func verify() throws(CryptographyError) {
        _ = try P256PrivateKey(rawRepresentation: scalar, expecting: try point)
    }

    /// The private key as a JWK (RFC 7517), for the vault only.
    package func privateKeyText() throws(CryptographyError) -> String {
        var jwk = publicJWK
        jwk["d"] = .string(Base64URL.encode(scalar.bytes))
        return JSONValue.object(jwk).text
    }

    /// Signs claims as a proof, with the public key in the header (RFC 9449 §4.2).
    func sign(_ claims: JSONValue) throws(CryptographyError) -> String {
        let signer = try opened()
        return try JWS.compact(encodedHeader: signer.proofHeader, claims: claims) {
            message throws(CryptographyError) in try signer.key.sign(message)
        }
    }

    package var description: String { "<redacted>" }

    private func opened() throws(CryptographyError) -> Signer {
        if let signer = signer.withLock({ $0 }) { return signer }
        let key = try P256PrivateKey(rawRepresentation: scalar, trusting: try point)
        let made = Self.signer(key, publicJWK)
        signer.withLock { $0 = made }
        return made
    }

    /// The coordinates of the public key.
    private var point: (x: [UInt8], y: [UInt8]) {
        get throws(CryptographyError) {
            guard let x = publicJWK["x"]?.string.flatMap(Base64URL.decode),
                let y = publicJWK["y"]?.string.flatMap(Base64URL.decode)
            else { throw .invalidPrivateKey }
            return (x, y)
        }
    }

    private static func signer(_ key: P256PrivateKey, _ publicJWK: JSONObject) -> Signer {
        let header: JSONValue = ["typ": "dpop+jwt", "alg": "ES256", "jwk": .object(publicJWK)]
        return Signer(key: key, proofHeader: JWS.encoded(header))
    }

    static func thumbprint(_ jwk: JSONObject) -> String {
        Base64URL.encode(SHA256.hash(JSONValue.object(jwk).text.utf8))
    }

    static func jwk(x: [UInt8], y: [UInt8]) -> JSONObject {
        [
            "crv": "P-256", "kty": "EC", "x": .string(Base64URL.encode(x)), "y": .string(Base64URL.encode(y)),
        ]
    }
}
