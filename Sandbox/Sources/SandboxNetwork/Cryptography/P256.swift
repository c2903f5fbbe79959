import CGnuTLS

/// Keys and signatures on the curve P-256: ECDSA with SHA-256, which is the ES256 of RFC 7518 §3.4.
///
/// Coordinates and the secret number are 32 bytes, most significant first. A signature is r and s, 32 bytes each.
/// Keys are kept as bytes and handed to GnuTLS for each operation, since its own key objects are not `Sendable`.
enum P256 {
    static let size = 32

    struct PublicKey: Sendable {
        let x: [UInt8]
        let y: [UInt8]

        /// `nil` unless the coordinates are a point on the curve.
        init?(x: [UInt8], y: [UInt8]) {
            guard x.count == size, y.count == size else { return nil }
            self.init(onCurve: x, y)
            guard withHandle(gnutls_pubkey_verify_params) >= 0 else { return nil }
        }

        fileprivate init(onCurve x: [UInt8], _ y: [UInt8]) {
            self.x = x
            self.y = y
        }

        /// The point in compressed form (SEC 1 §2.3.3).
        var compressed: [UInt8] {
            [y[size - 1].isMultiple(of: 2) ? 0x02 : 0x03] + x
        }

        func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
            guard let encoded = P256.encoded(signature) else { return false }
            let code = GnuTLS.withDatums(SHA256.digest(of: message), encoded) { datums in
                withHandle {
                    gnutls_pubkey_verify_hash2($0, GNUTLS_SIGN_ECDSA_SHA256, 0, datums, datums + 1)
                }
            }
            return code >= 0
        }

        private func withHandle(_ call: (gnutls_pubkey_t?) -> Int32) -> Int32 {
            var handle: gnutls_pubkey_t?
            GnuTLS.require(gnutls_pubkey_init(&handle))
            defer { gnutls_pubkey_deinit(handle) }
            let code = GnuTLS.withDatums(x, y) {
                gnutls_pubkey_import_ecc_raw(handle, GNUTLS_ECC_CURVE_SECP256R1, $0, $0 + 1)
            }
            return code < 0 ? code : call(handle)
        }
    }

    struct PrivateKey: Sendable {
        let publicKey: PublicKey
        /// The secret number, `d` of a JWK.
        let secret: [UInt8]

        /// Makes a random key.
        init() {
            var handle: gnutls_privkey_t?
            GnuTLS.require(gnutls_privkey_init(&handle))
            defer { gnutls_privkey_deinit(handle) }
            GnuTLS.require(gnutls_privkey_generate(handle, GNUTLS_PK_ECDSA, sandbox_p256_bits, 0))
            var (x, y, secret) = (gnutls_datum_t(), gnutls_datum_t(), gnutls_datum_t())
            GnuTLS.require(gnutls_privkey_export_ecc_raw2(handle, nil, &x, &y, &secret, 0))
            publicKey = PublicKey(onCurve: P256.number(in: x), P256.number(in: y))
            self.secret = P256.number(in: secret)
        }

        func signature(for message: [UInt8]) -> [UInt8] {
            var handle: gnutls_privkey_t?
            GnuTLS.require(gnutls_privkey_init(&handle))
            defer { gnutls_privkey_deinit(handle) }
            let imported = GnuTLS.withDatums(publicKey.x, publicKey.y, secret) {
                gnutls_privkey_import_ecc_raw(handle, GNUTLS_ECC_CURVE_SECP256R1, $0, $0 + 1, $0 + 2)
            }
            GnuTLS.require(imported)
            var (encoded, r, s) = (gnutls_datum_t(), gnutls_datum_t(), gnutls_datum_t())
            let signed = GnuTLS.withDatums(SHA256.digest(of: message)) {
                gnutls_privkey_sign_hash(handle, GNUTLS_DIG_SHA256, 0, $0, &encoded)
            }
            GnuTLS.require(signed)
            defer { sandbox_free(encoded) }
            GnuTLS.require(gnutls_decode_rs_value(&encoded, &r, &s))
            return P256.number(in: r) + P256.number(in: s)
        }
    }

    /// The DER form of a signature, which GnuTLS verifies; `nil` when r or s is zero.
    static func encoded(_ signature: [UInt8]) -> [UInt8]? {
        guard signature.count == 2 * size else { return nil }
        // DER integers have no zeros in front.
        let r = Array(signature.prefix(size).drop { $0 == 0 })
        let s = Array(signature.suffix(size).drop { $0 == 0 })
        var encoded = gnutls_datum_t()
        let code = GnuTLS.withDatums(r, s) { gnutls_encode_rs_value(&encoded, $0, $0 + 1) }
        return r.isEmpty || s.isEmpty || code < 0 ? nil : GnuTLS.take(encoded)
    }

    /// A number that GnuTLS allocated, in 32 bytes: it may have come with a zero more, or with fewer bytes.
    private static func number(in datum: gnutls_datum_t) -> [UInt8] {
        let digits = GnuTLS.take(datum).suffix(size)
        return Array(repeating: 0, count: size - digits.count) + digits
    }
}
