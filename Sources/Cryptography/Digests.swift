internal import COpenSSL

/// SHA-256 (FIPS 180-4).
package enum SHA256 {
    /// Looked up once: that takes longer than most hashes.
    private nonisolated(unsafe) static let algorithm = unsafe EVP_MD_fetch(nil, "SHA256", nil)

    package static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let message = Array(bytes)
        var digest = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        let done = unsafe EVP_Digest(message, message.count, &digest, &length, algorithm, nil)
        // Fails only where OpenSSL has no SHA-256 at all; a digest of zeros would make all tokens equal.
        precondition(done == 1 && length == digest.count, "OpenSSL has no SHA-256")
        return digest
    }
}

/// HMAC with SHA-256 (RFC 2104).
package enum HMACSHA256 {
    package static func authenticate(
        key: SecretBytes, message: [UInt8]
    ) throws(CryptographyError) -> [UInt8] {
        guard let code = unsafe message.withUnsafeBytes({ unsafe Self.code(key, $0) }) else {
            throw .operationFailed("HMAC")
        }
        return code
    }

    /// The same for a message that is secret itself.
    static func authenticate(
        key: SecretBytes, message: SecretBytes
    ) throws(CryptographyError) -> [UInt8] {
        guard let code = unsafe message.withUnsafeBytes({ unsafe Self.code(key, $0) }) else {
            throw .operationFailed("HMAC")
        }
        return code
    }

    private static func code(_ key: SecretBytes, _ message: UnsafeRawBufferPointer) -> [UInt8]? {
        var code = [UInt8](repeating: 0, count: 32)
        var length = 0
        let done = unsafe key.withUnsafeBytes { key in
            unsafe EVP_Q_mac(
                nil, "HMAC", nil, "SHA256", nil, key.baseAddress, key.count,
                message.baseAddress?.assumingMemoryBound(to: UInt8.self), message.count, &code, 32, &length)
                != nil
        }
        return done && length == 32 ? code : nil
    }
}
