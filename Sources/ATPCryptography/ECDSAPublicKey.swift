/// A public key for ECDSA with SHA-256 on a curve of AT Protocol's repositories (atproto.com/specs/cryptography).
package struct ECDSAPublicKey: Sendable, Hashable {
    package enum Curve: Sendable, Hashable {
        /// NIST P-256, also called secp256r1.
        case p256
        /// secp256k1.
        case k256
    }

    let curve: Curve
    /// Compressed, 33 bytes (SEC 1 §2.3.3).
    let point: [UInt8]

    /// - Parameter point: compressed, 33 bytes, or uncompressed, 65 bytes.
    /// - Throws: ``CryptographyError/invalidPublicKey`` if the point is not on the curve, or the system does not have the curve.
    package init(_ curve: Curve, point: [UInt8]) throws(CryptographyError) {
        let isWellFormed =
            (point.count == 33 && (2...3).contains(point[0])) || (point.count == 65 && point[0] == 4)
        guard isWellFormed, Self.isOnCurve(curve, point) else { throw .invalidPublicKey }
        self.curve = curve
        self.point = point.count == 33 ? point : [2 | (point[64] & 1)] + point[1..<33]
    }

    /// Whether this key made a signature: r and s, 32 bytes each, with s at most half of the curve's order. Of the two values of s that
    /// fit, AT Protocol allows the lower one only.
    package func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard signature.count == 64 else { return false }
        let isLow = !Self.half(of: curve).lexicographicallyPrecedes(signature[32...])
        return isLow && hasMade(signature, of: message)
    }

    /// Half of the curve's order, rounded down (SEC 2 §2.4).
    private static func half(of curve: Curve) -> [UInt8] {
        let words: [UInt64] =
            switch curve {
            case .p256:
                [0x7fff_ffff_8000_0000, 0x7fff_ffff_ffff_ffff, 0xde73_7d56_d38b_cf42, 0x79dc_e561_7e31_92a8]
            case .k256:
                [0x7fff_ffff_ffff_ffff, 0xffff_ffff_ffff_ffff, 0x5d57_6e73_57a4_501d, 0xdfe9_2f46_681b_20a0]
            }
        return words.flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) }
        }
    }
}
