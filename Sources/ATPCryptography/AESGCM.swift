internal import CATPOpenSSL

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
        var sealed = [UInt8](repeating: 0, count: plaintext.count + tagLength)
        let done = unsafe key.withUnsafeBytes { key in
            unsafe plaintext.withUnsafeBytes { plaintext in
                unsafe bskyauth_aes256gcm_seal(
                    key.baseAddress?.assumingMemoryBound(to: UInt8.self), nonce, data, data.count,
                    plaintext.baseAddress?.assumingMemoryBound(to: UInt8.self), plaintext.count, &sealed)
            }
        }
        guard done == 1 else { throw .operationFailed("AES-GCM") }
        return sealed
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
        var plaintext = [UInt8](repeating: 0, count: sealed.count - tagLength)
        let result = unsafe key.withUnsafeBytes { key in
            unsafe bskyauth_aes256gcm_open(
                key.baseAddress?.assumingMemoryBound(to: UInt8.self), nonce, data, data.count, sealed,
                plaintext.count, &plaintext)
        }
        guard result == bskyauth_opened else {
            SecretBytes.clear(&plaintext)
            throw result == bskyauth_not_authentic ? .authenticationFailed : .operationFailed("AES-GCM")
        }
        return SecretBytes(clearing: consume plaintext)
    }

    private static func verify(_ key: SecretBytes, _ nonce: [UInt8]) throws(CryptographyError) {
        guard key.count == keyLength, nonce.count == nonceLength else { throw .invalidParameter("AES-GCM") }
    }
}
