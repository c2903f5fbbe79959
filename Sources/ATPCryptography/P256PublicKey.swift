internal import CATPOpenSSL

/// A public key on P-256: the coordinates of a point, 32 bytes each.
package struct P256PublicKey: Sendable, Hashable {
    package let x: [UInt8]
    package let y: [UInt8]

    /// - Throws: ``CryptographyError/invalidPublicKey`` if the point is not on the curve.
    package init(x: [UInt8], y: [UInt8]) throws(CryptographyError) {
        guard x.count == 32, y.count == 32, let key = unsafe bskyauth_p256_from_point([4] + x + y) else {
            throw .invalidPublicKey
        }
        unsafe EVP_PKEY_free(key)
        self.x = x
        self.y = y
    }

    init(uncompressed point: [UInt8]) {
        x = Array(point[1..<33])
        y = Array(point[33..<65])
    }

    /// Whether this key made an ES256 signature (r and s, 32 bytes each) of a message.
    package func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard signature.count == 64, let der = Self.derSignature(signature),
            let key = unsafe bskyauth_p256_from_point([4] + x + y)
        else { return false }
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
