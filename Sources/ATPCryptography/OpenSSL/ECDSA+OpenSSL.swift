#if !canImport(CryptoKit)
    internal import CATPOpenSSL

    extension ECDSAPublicKey {
        static func isOnCurve(_ curve: Curve, _ point: [UInt8]) -> Bool {
            OpenSSLECDSA.isOnCurve(curve, point)
        }

        func hasMade(_ signature: [UInt8], of message: [UInt8]) -> Bool {
            OpenSSLECDSA.verifies(signature, of: message, curve, point)
        }
    }

    /// ECDSA with SHA-256 by OpenSSL.
    enum OpenSSLECDSA {
        private static func key(_ curve: ECDSAPublicKey.Curve, _ point: [UInt8]) -> OpaquePointer? {
            let group = curve == .p256 ? "P-256" : "secp256k1"
            return unsafe bskyauth_ec_from_point(group, point, point.count)
        }

        static func isOnCurve(_ curve: ECDSAPublicKey.Curve, _ point: [UInt8]) -> Bool {
            guard let key = unsafe key(curve, point) else { return false }
            unsafe EVP_PKEY_free(key)
            return true
        }

        /// - Parameters:
        ///   - signature: r and s, 64 bytes.
        ///   - point: compressed, 33 bytes, or uncompressed, 65 bytes.
        static func verifies(
            _ signature: [UInt8], of message: [UInt8], _ curve: ECDSAPublicKey.Curve, _ point: [UInt8]
        ) -> Bool {
            guard let der = derSignature(signature), let key = unsafe key(curve, point) else { return false }
            defer { unsafe EVP_PKEY_free(key) }
            guard let context = unsafe EVP_MD_CTX_new() else { return false }
            defer { unsafe EVP_MD_CTX_free(context) }
            guard unsafe EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1 else { return false }
            return unsafe EVP_DigestVerify(context, der, der.count, message, message.count) == 1
        }

        private static func derSignature(_ signature: [UInt8]) -> [UInt8]? {
            guard let value = unsafe ECDSA_SIG_new() else { return nil }
            defer { unsafe ECDSA_SIG_free(value) }
            let r = unsafe BN_bin2bn(Array(signature[0..<32]), 32, nil)
            let s = unsafe BN_bin2bn(Array(signature[32..<64]), 32, nil)
            guard unsafe ECDSA_SIG_set0(value, r, s) == 1 else {
                unsafe BN_free(r)
                unsafe BN_free(s)
                return nil
            }
            var der = [UInt8](repeating: 0, count: 80)
            let length = unsafe der.withUnsafeMutableBufferPointer { buffer in
                var start = buffer.baseAddress
                return unsafe i2d_ECDSA_SIG(value, &start)
            }
            return length > 0 ? Array(der.prefix(Int(length))) : nil
        }
    }
#endif
