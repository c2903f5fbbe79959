internal import COpenSSL

/// SHA-256 (FIPS 180-4).
package enum SHA256 {
    /// Looked up once: that takes longer than most hashes.
    private nonisolated(unsafe) static let algorithm = unsafe EVP_MD_fetch(nil, "SHA256", nil)

    static var isThere: Bool { unsafe algorithm != nil }

    package static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let message = Array(bytes)
        var digest = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        let done = unsafe EVP_Digest(message, message.count, &digest, &length, algorithm, nil)
        // A digest of zeros would make all tokens equal; `OpenSSL.isUsable` tells before.
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

    /// Not where OpenSSL is older than 3.0.1, which can't copy what has no key yet.
    static var isThere: Bool {
        guard let prepared = unsafe prepared, let copy = unsafe EVP_MAC_CTX_dup(prepared) else {
            return false
        }
        unsafe EVP_MAC_CTX_free(copy)
        return true
    }

    private static func code(_ key: SecretBytes, _ message: UnsafeRawBufferPointer) -> [UInt8]? {
        guard let prepared = unsafe prepared, let context = unsafe EVP_MAC_CTX_dup(prepared) else {
            return nil
        }
        defer { unsafe EVP_MAC_CTX_free(context) }
        var code = [UInt8](repeating: 0, count: 32)
        var length = 0
        let keyed = unsafe key.withUnsafeBytes { key in
            unsafe EVP_MAC_init(context, key.baseAddress?.assumingMemoryBound(to: UInt8.self), key.count, nil)
                == 1
        }
        guard keyed,
            unsafe EVP_MAC_update(
                context, message.baseAddress?.assumingMemoryBound(to: UInt8.self), message.count) == 1,
            unsafe EVP_MAC_final(context, &code, &length, code.count) == 1
        else { return nil }
        return length == code.count ? code : nil
    }

    /// Looked up once, with its digest.
    private nonisolated(unsafe) static let prepared = unsafe bskyauth_hmac_sha256()
}
