#if !canImport(CryptoKit)
    internal import CATPOpenSSL

    extension AESGCM {
        static func encrypt(
            _ plaintext: SecretBytes, _ key: SecretBytes, _ nonce: [UInt8], _ data: [UInt8]
        ) throws(CryptographyError) -> [UInt8] {
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

        static func decrypt(
            _ sealed: [UInt8], _ key: SecretBytes, _ nonce: [UInt8], _ data: [UInt8]
        ) throws(CryptographyError) -> SecretBytes {
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
    }
#endif
