internal import CATPOpenSSL

// SHA-256, HMAC and HKDF return no errors. `OpenSSL.start` runs before their first use and throws if one of them is missing.
// After that they fail only if memory runs out. Then the process ends, as after every other failed Swift allocation. To go
// on with a digest of zeros would make all keys and all tokens equal.

/// SHA-256 (FIPS 180-4).
package enum SHA256 {
    static let length = 32

    /// The digest that the configured OpenSSL provides. It is fetched once, because fetching takes longer than most hashes.
    nonisolated(unsafe) static let algorithm = unsafe EVP_MD_fetch(nil, "SHA256", nil)

    package static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let message = Array(bytes)
        var digest = [UInt8](repeating: 0, count: length)
        let done = unsafe EVP_Digest(message, message.count, &digest, nil, algorithm, nil)
        precondition(done == 1, "OpenSSL can't compute SHA-256")
        return digest
    }
}

/// HMAC with SHA-256 (RFC 2104).
package enum HMACSHA256 {
    package static func authenticate(key: SecretBytes, message: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: SHA256.length)
        var length = 0
        let done = unsafe key.withUnsafeBytes { key in
            unsafe EVP_Q_mac(
                nil, "HMAC", nil, "SHA256", nil, key.baseAddress, key.count, message, message.count, &code,
                code.count, &length)
        }
        precondition(unsafe done != nil && length == code.count, "OpenSSL can't compute an HMAC")
        return code
    }
}
