#if !canImport(CryptoKit)
    internal import CATPOpenSSL

    extension SHA256 {
        /// The digest that the configured OpenSSL provides. It is fetched once, because fetching takes longer than most
        /// hashes.
        nonisolated(unsafe) private static let algorithm = unsafe EVP_MD_fetch(nil, "SHA256", nil)

        static func digest(_ message: [UInt8]) -> [UInt8] {
            var digest = [UInt8](repeating: 0, count: length)
            let done = unsafe EVP_Digest(message, message.count, &digest, nil, algorithm, nil)
            precondition(done == 1, "OpenSSL can't compute SHA-256")
            return digest
        }
    }

    extension HMACSHA256 {
        static func code(_ key: SecretBytes, _ message: [UInt8]) -> [UInt8] {
            var code = [UInt8](repeating: 0, count: SHA256.length)
            var length = 0
            let done = unsafe key.withUnsafeBytes { key in
                unsafe EVP_Q_mac(
                    nil, "HMAC", nil, "SHA256", nil, key.baseAddress, key.count, message, message.count,
                    &code, code.count, &length)
            }
            precondition(unsafe done != nil && length == code.count, "OpenSSL can't compute an HMAC")
            return code
        }
    }

    extension HKDF {
        func key(_ info: [UInt8], _ count: Int) -> SecretBytes {
            var key = [UInt8](repeating: 0, count: count)
            let done = unsafe secret.withUnsafeBytes { secret in
                unsafe bskyauth_hkdf_sha256(
                    secret.baseAddress?.assumingMemoryBound(to: UInt8.self), secret.count, salt, salt.count,
                    info, info.count, &key, count)
            }
            precondition(done == 1, "OpenSSL can't derive a key of \(count) bytes")
            return SecretBytes(clearing: consume key)
        }
    }
#endif
