/// AES-256 in Galois/Counter Mode (NIST SP 800-38D) with a 12-byte nonce and a 16-byte tag.
package enum AESGCM {
    package static let keyLength = 32
    package static let nonceLength = 12
    package static let tagLength = 16

    /// Encrypts and authenticates.
    ///
    /// - Parameter data: authenticated along with the plaintext. Opening takes the same data.
    /// - Returns: the ciphertext, then the tag.
    package static func seal(
        _ plaintext: SecretBytes, key: SecretBytes, nonce: [UInt8], authenticating data: [UInt8]
    ) throws(CryptographyError) -> [UInt8] {
        try verify(key, nonce)
        return try encrypt(plaintext, key, nonce, data)
    }

    /// Decrypts the output of ``seal(_:key:nonce:authenticating:)``.
    ///
    /// - Throws: ``CryptographyError/authenticationFailed`` if anything differs. Then the decrypted bytes are overwritten
    ///   and not returned.
    package static func open(
        _ sealed: [UInt8], key: SecretBytes, nonce: [UInt8], authenticating data: [UInt8]
    ) throws(CryptographyError) -> SecretBytes {
        try verify(key, nonce)
        guard sealed.count >= tagLength else { throw .authenticationFailed }
        return try decrypt(sealed, key, nonce, data)
    }

    private static func verify(_ key: SecretBytes, _ nonce: [UInt8]) throws(CryptographyError) {
        guard key.count == keyLength, nonce.count == nonceLength else { throw .invalidParameter("AES-GCM") }
    }
}
