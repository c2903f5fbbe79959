package import ATPCryptography
internal import ATPJSON
internal import Synchronization

/// The P-256 key that a session is bound to. Every session has a key of its own (RFC 9449 §5, protocol:R55).
///
/// Reading a key does not check that its two halves belong together, because the vault sealed them together. Call
/// ``verify()`` for a key that comes from elsewhere.
package final class DPoPKey: Sendable, CustomStringConvertible {
    private let pair: KeyPair
    /// The encoded header, which is the same for every proof of this key; nil before the first proof.
    private let proofHeader = Mutex<String?>(nil)

    /// A new random key.
    package init() throws(CryptographyError) {
        pair = try KeyPair()
    }

    /// Reads the text of ``privateKeyText()``.
    ///
    /// - Throws: ``CryptographyError/invalidPrivateKey`` if the text is not a private P-256 key.
    package init(privateKeyText text: String) throws(CryptographyError) {
        pair = try KeyPair(privateKeyText: text)
    }

    /// The SHA-256 thumbprint of the public key in base64url (RFC 7638 §3). Tokens are bound to it.
    package var thumbprint: String { pair.publicKey.thumbprint }

    /// Checks that the private key is valid and that the public key belongs to it.
    package func verify() throws(CryptographyError) {
        try pair.verify()
    }

    /// The private key as a JWK (RFC 7517), for the vault only.
    package func privateKeyText() -> String { pair.privateKeyText() }

    /// Signs claims as a proof, with the public key in the header (RFC 9449 §4.2). The key in the header has exactly the
    /// members of the thumbprint.
    func sign(_ claims: JSONValue) throws(CryptographyError) -> String {
        let header = proofHeader.withLock { header -> String in
            let encoded = header ?? Self.proofHeader(pair.publicKey)
            header = encoded
            return encoded
        }
        return try JWS.compact(encodedHeader: header, claims: claims) {
            message throws(CryptographyError) in try pair.sign(message)
        }
    }

    private static func proofHeader(_ key: PublicJWK) -> String {
        JWS.encoded(["typ": "dpop+jwt", "alg": "ES256", "jwk": .object(key.members)])
    }

    package var description: String { "<redacted>" }
}
