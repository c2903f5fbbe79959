internal import ATPCryptography

/// The public key that signs a repository's commits (atproto.com/specs/cryptography).
public struct RepositoryKey: Sendable, Hashable {
    private let key: ECDSAPublicKey

    /// Reads a key as it is after `did:key:` and in a DID document as `Multikey`: `z`, then base58 of the multicodec and the
    /// compressed point. Nil for another text, for a point that is not on its curve, and if the system does not have the curve:
    /// Apple's CryptoKit has no secp256k1.
    public init?(multikey text: some StringProtocol) {
        guard let bytes = Self.multibase(text), bytes.count == 35 else { return nil }
        let point = bytes.dropFirst(2)
        switch (bytes[0], bytes[1]) {
        case (0x80, 0x24): self.init(.p256, point)
        case (0xe7, 0x01): self.init(.k256, point)
        default: return nil
        }
    }

    /// Reads a verification method of a DID document: `Multikey`, or one of the two types of 2019, whose text has no multicodec and may
    /// be of an uncompressed point. Nil as for a multikey.
    public init?(type: String, publicKeyMultibase text: String) {
        switch type {
        case "Multikey": self.init(multikey: text)
        case "EcdsaSecp256r1VerificationKey2019": self.init(.p256, Self.multibase(text)?[...])
        case "EcdsaSecp256k1VerificationKey2019": self.init(.k256, Self.multibase(text)?[...])
        default: return nil
        }
    }

    private init?(_ curve: ECDSAPublicKey.Curve, _ point: ArraySlice<UInt8>?) {
        guard let point, let key = try? ECDSAPublicKey(curve, point: Array(point)) else { return nil }
        self.key = key
    }

    /// Whether the key made a signature of a message: r and s, 32 bytes each, with the lower of both values of s. The other value, and
    /// a signature in DER, are refused: a signature has one form only.
    public func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        key.verifies(signature, of: message)
    }

    private static func multibase(_ text: some StringProtocol) -> [UInt8]? {
        // A key has at most 67 bytes, and the time grows with the square of the length.
        guard text.first == "z", text.utf8.count <= 100 else { return nil }
        return Base58.decode(text.dropFirst())
    }
}

/// Base58 as in Bitcoin (draft-msporny-base58).
enum Base58 {
    private static let digits = Array("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".utf8)

    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        for character in text.utf8 {
            guard let digit = digits.firstIndex(of: character) else { return nil }
            var carry = digit
            for index in bytes.indices.reversed() {
                carry += 58 * Int(bytes[index])
                bytes[index] = UInt8(carry & 0xff)
                carry >>= 8
            }
            if carry > 0 { bytes.insert(UInt8(carry), at: 0) }
        }
        return Array(repeating: 0, count: text.utf8.prefix { $0 == digits[0] }.count) + bytes
    }
}
