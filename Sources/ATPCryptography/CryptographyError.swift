/// Why a cryptographic operation failed. The error names the operation and holds no secrets.
package enum CryptographyError: Error, Sendable, Hashable {
    /// The ciphertext, its tag, its nonce, its associated data or the key differs from what was sealed.
    case authenticationFailed
    /// A private scalar that is zero, too large or not 32 bytes.
    case invalidPrivateKey
    /// A point that is not on the curve.
    case invalidPublicKey
    /// A public key that does not belong to the private key.
    case keyMismatch
    /// Parameters outside the allowed range, with the name of the operation.
    case invalidParameter(String)
    /// OpenSSL or CryptoKit refused an operation that should work, with the name of the operation.
    case operationFailed(String)
    /// OpenSSL's configuration file can't be read.
    case unreadableConfiguration
    /// The operating system provided no random bytes.
    case noRandomBytes
}
