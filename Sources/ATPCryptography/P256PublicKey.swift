/// A public key on P-256: the coordinates of a point, 32 bytes each.
package struct P256PublicKey: Sendable, Hashable {
    package let x: [UInt8]
    package let y: [UInt8]

    /// - Throws: ``CryptographyError/invalidPublicKey`` if the point is not on the curve.
    package init(x: [UInt8], y: [UInt8]) throws(CryptographyError) {
        guard x.count == 32, y.count == 32, Self.isOnCurve([4] + x + y) else { throw .invalidPublicKey }
        self.x = x
        self.y = y
    }

    init(uncompressed point: [UInt8]) {
        x = Array(point[1..<33])
        y = Array(point[33..<65])
    }

    /// The point in its uncompressed form, 65 bytes (SEC 1 §2.3.3).
    var uncompressed: [UInt8] { [4] + x + y }

    /// Whether this key made an ES256 signature (r and s, 32 bytes each) of a message.
    package func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        signature.count == 64 && hasMade(signature, of: message)
    }
}
