#if !canImport(CryptoKit)
    internal import CATPOpenSSL

    /// A private key of OpenSSL on P-256.
    @safe struct P256SigningKey: ~Copyable, Sendable {
        // The key is not changed after init. OpenSSL allows several threads to use a key that no thread changes.
        private nonisolated(unsafe) let pointer: OpaquePointer
        /// A signing context that is set up once. Each signature uses a copy of the context.
        private nonisolated(unsafe) let prepared: OpaquePointer

        /// A fresh random key.
        init() throws(CryptographyError) {
            guard let pointer = unsafe bskyauth_p256_generate() else { throw .operationFailed("P-256") }
            try unsafe self.init(owning: pointer)
        }

        /// The key of a private scalar of 32 bytes.
        init(_ scalar: SecretBytes) throws(CryptographyError) {
            let made = unsafe scalar.withUnsafeBytes { bytes in
                unsafe bskyauth_p256_from_scalar(
                    Self.group, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
            }
            guard let pointer = unsafe made else { throw .invalidPrivateKey }
            try unsafe self.init(owning: pointer)
        }

        /// The key of a private scalar of 32 bytes and an uncompressed point. It is not checked that they belong together.
        init(_ scalar: SecretBytes, uncompressed point: [UInt8]) throws(CryptographyError) {
            let made = unsafe scalar.withUnsafeBytes { bytes in
                unsafe bskyauth_p256_from_pair(
                    bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), point)
            }
            guard let pointer = unsafe made else { throw .invalidPrivateKey }
            try unsafe self.init(owning: pointer)
        }

        private init(owning pointer: OpaquePointer) throws(CryptographyError) {
            guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil) else {
                unsafe EVP_PKEY_free(pointer)
                throw .operationFailed("P-256")
            }
            guard unsafe EVP_PKEY_sign_init(context) == 1 else {
                unsafe EVP_PKEY_CTX_free(context)
                unsafe EVP_PKEY_free(pointer)
                throw .operationFailed("ES256")
            }
            unsafe self.pointer = unsafe pointer
            unsafe prepared = unsafe context
        }

        deinit {
            unsafe EVP_PKEY_CTX_free(prepared)
            unsafe EVP_PKEY_free(pointer)
        }

        /// The curve. It is made once, because making it takes as long as computing a public key.
        private nonisolated(unsafe) static let group = unsafe EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1)

        func publicKey() throws(CryptographyError) -> P256PublicKey {
            var point = [UInt8](repeating: 0, count: 65)
            guard unsafe bskyauth_p256_point(pointer, &point) == 1 else { throw .operationFailed("P-256") }
            return P256PublicKey(uncompressed: point)
        }

        func scalar() throws(CryptographyError) -> SecretBytes {
            var scalar = [UInt8](repeating: 0, count: 32)
            defer { unsafe OPENSSL_cleanse(&scalar, scalar.count) }
            guard unsafe bskyauth_p256_scalar(pointer, &scalar) == 1 else { throw .operationFailed("P-256") }
            return SecretBytes(scalar)
        }

        func sign(_ message: [UInt8]) throws(CryptographyError) -> [UInt8] {
            let digest = SHA256.hash(message)
            guard let context = unsafe EVP_PKEY_CTX_dup(prepared) else { throw .operationFailed("ES256") }
            defer { unsafe EVP_PKEY_CTX_free(context) }
            var der = [UInt8](repeating: 0, count: 80)
            var length = der.count
            guard unsafe EVP_PKEY_sign(context, &der, &length, digest, digest.count) == 1 else {
                throw .operationFailed("ES256")
            }
            return try Self.joseSignature(fromDER: Array(der.prefix(length)))
        }

        private static func joseSignature(fromDER der: [UInt8]) throws(CryptographyError) -> [UInt8] {
            let decoded = unsafe der.withUnsafeBufferPointer { buffer in
                var start = buffer.baseAddress
                return unsafe d2i_ECDSA_SIG(nil, &start, der.count)
            }
            guard let signature = unsafe decoded else { throw .operationFailed("ES256") }
            defer { unsafe ECDSA_SIG_free(signature) }
            var r = [UInt8](repeating: 0, count: 32)
            var s = [UInt8](repeating: 0, count: 32)
            guard unsafe BN_bn2binpad(ECDSA_SIG_get0_r(signature), &r, 32) == 32,
                unsafe BN_bn2binpad(ECDSA_SIG_get0_s(signature), &s, 32) == 32
            else { throw .operationFailed("ES256") }
            return r + s
        }
    }
#endif
