/// ECDSA signatures with the lower value of s, as the AT Protocol has them (atproto.com/specs/cryptography).
extension P256 {
    /// The order n of the base point.
    private static let order: [UInt8] = [
        0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51,
    ]

    /// The other valid signature of the same message: r and n − s.
    static func flipped(_ signature: [UInt8]) -> [UInt8] {
        var difference = order
        var borrow = 0
        for (place, digit) in zip((0..<size).reversed(), signature.suffix(size).reversed()) {
            let number = Int(order[place]) - Int(digit) - borrow
            borrow = number < 0 ? 1 : 0
            difference[place] = UInt8(number + borrow * 256)
        }
        return signature.prefix(size) + difference
    }
}

extension P256.PrivateKey {
    /// A signature whose s is not greater than n / 2.
    func lowSignature(for message: [UInt8]) -> [UInt8] {
        let signature = signature(for: message)
        let flipped = P256.flipped(signature)
        return flipped.lexicographicallyPrecedes(signature) ? flipped : signature
    }
}

extension P256.PublicKey {
    /// The key in multikey form: `z`, then the P-256 prefix 0x1200 and the compressed point in base58.
    var multikey: String { "z" + Base58.encode([0x80, 0x24] + compressed) }
}
