/// A private key on P-256 that signs with ES256 (RFC 7518 §3.4).
package final class P256PrivateKey: Sendable, CustomStringConvertible {
    private let key: P256SigningKey
    package let publicKey: P256PublicKey

    private init(_ key: consuming P256SigningKey) throws(CryptographyError) {
        publicKey = try key.publicKey()
        self.key = key
    }

    /// A fresh random key.
    package convenience init() throws(CryptographyError) {
        try self.init(P256SigningKey())
    }

    /// The key of a private scalar.
    ///
    /// - Throws: ``CryptographyError/invalidPrivateKey`` unless it is 32 bytes, above zero and below the order.
    package convenience init(rawRepresentation scalar: SecretBytes) throws(CryptographyError) {
        guard scalar.count == 32 else { throw .invalidPrivateKey }
        try self.init(P256SigningKey(scalar))
    }

    /// The key of a private scalar and the coordinates of its public key. Checks that they belong together.
    ///
    /// - Throws: ``CryptographyError/keyMismatch`` if they do not belong together.
    package convenience init(
        rawRepresentation scalar: SecretBytes, expecting point: (x: [UInt8], y: [UInt8])
    ) throws(CryptographyError) {
        try self.init(rawRepresentation: scalar)
        guard publicKey.x == point.x, publicKey.y == point.y else { throw .keyMismatch }
    }

    /// The key of a private scalar and the coordinates of its public key, without checking that they belong together.
    /// This is for a pair that was checked when it was stored: computing the point again takes as long as a signature.
    /// CryptoKit computes it anyway, so there a pair that does not belong together is refused.
    ///
    /// - Throws: ``CryptographyError/invalidPrivateKey`` if a length is wrong or the point is not on the curve.
    package convenience init(
        rawRepresentation scalar: SecretBytes, trusting point: (x: [UInt8], y: [UInt8])
    ) throws(CryptographyError) {
        guard [scalar.count, point.x.count, point.y.count] == [32, 32, 32] else { throw .invalidPrivateKey }
        try self.init(P256SigningKey(scalar, uncompressed: [4] + point.x + point.y))
    }

    /// The private scalar, 32 bytes.
    package func rawRepresentation() throws(CryptographyError) -> SecretBytes { try key.scalar() }

    /// Signs the SHA-256 digest of a message.
    ///
    /// - Returns: r and s, 32 bytes each (RFC 7518 §3.4).
    package func sign(_ message: [UInt8]) throws(CryptographyError) -> [UInt8] { try key.sign(message) }

    package var description: String { "<redacted>" }
}
