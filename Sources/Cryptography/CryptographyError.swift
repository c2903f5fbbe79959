/// Why a cryptographic operation failed: which one, and nothing about its secrets.
package enum CryptographyError: Error, Sendable, Hashable {
    /// The ciphertext, its tag, its nonce, its associated data or the key is not what was sealed.
    case authenticationFailed
    /// A private scalar that is zero, too large or not 32 bytes.
    case invalidPrivateKey
    /// A point that is not on the curve.
    case invalidPublicKey
    /// A public key that does not belong to the private one.
    case keyMismatch
    /// Parameters outside of what is allowed.
    case invalidParameter(String)
    /// OpenSSL refused an operation that should work: its name.
    case operationFailed(String)
    /// The operating system gave no random bytes.
    case noRandomBytes
}
