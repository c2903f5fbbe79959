import Testing

@testable import SandboxNetwork

/// Constants of the specifications: what the sandbox verifies must not depend on what it signs itself.
@Suite("cryptography")
struct CryptographyTests {
    /// RFC 6979 A.2.5, the message "sample" with SHA-256.
    private static let x = "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
    private static let y = "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299"
    private static let r = "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
    private static let s = "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"
    /// The order of the curve's base point.
    private static let order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
    private static let zero = String(repeating: "0", count: 64)

    @Test("verifies the signature of RFC 6979") func verifies() throws {
        let key = try #require(P256.PublicKey(x: bytes(Self.x), y: bytes(Self.y)))
        #expect(key.isValid(bytes(Self.r + Self.s), for: Array("sample".utf8)))
        #expect(!key.isValid(bytes(Self.r + Self.s), for: Array("Sample".utf8)))
        #expect(!key.isValid(bytes(Self.s + Self.r), for: Array("sample".utf8)))
        #expect(key.compressed == bytes("03" + Self.x))
    }

    @Test(
        "refuses signatures with numbers out of range, or of another length",
        arguments: [
            zero + s, r + zero, order + s, r + order, zero + zero, "", r, r + s + "00", "00" + r + s,
        ])
    func badSignature(signature: String) throws {
        let key = try #require(P256.PublicKey(x: bytes(Self.x), y: bytes(Self.y)))
        #expect(!key.isValid(bytes(signature), for: Array("sample".utf8)))
    }

    @Test(
        "refuses a public key that is no point on the curve",
        arguments: [
            (x, x), (y, x), (zero, zero), (x, zero), ("00" + x, y), (String(x.dropFirst(2)), y),
            // The coordinates are less than the field's prime.
            ("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff", y),
        ])
    func badPoint(x: String, y: String) {
        #expect(P256.PublicKey(x: bytes(x), y: bytes(y)) == nil)
    }

    @Test("makes keys and signatures of full length, also when a number starts with zeros") func signs() {
        let key = P256.PrivateKey()
        #expect(P256.PublicKey(x: key.publicKey.x, y: key.publicKey.y) != nil)
        for number in 0..<600 {
            let message = Array("\(number)".utf8)
            let signature = key.signature(for: message)
            #expect(signature.count == 64 && key.publicKey.isValid(signature, for: message))
            #expect(!P256.PrivateKey().publicKey.isValid(signature, for: message))
        }
    }

    @Test("SHA-256 of FIPS 180-2, whole and in pieces") func digest() {
        let expected = bytes("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(SHA256.digest(of: "abc".utf8) == expected)
        let hash = SHA256()
        for piece in ["a", "", "bc"] { Array(piece.utf8).withUnsafeBytes { hash.update($0) } }
        #expect(hash.digest() == expected)
    }

    @Test("HMAC with SHA-256 of RFC 4231, case 2") func code() {
        let key = HMACKey(Array("Jefe".utf8))
        let message = Array("what do ya want for nothing?".utf8)
        let expected = bytes("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(key.code(for: message) == expected)
        #expect(key.isValid(expected, for: message))
        #expect(!key.isValid(expected.dropLast() + [0x42], for: message))
        #expect(!key.isValid(expected.dropLast(), for: message))
        #expect(HMACKey().code(for: message) != HMACKey().code(for: message))
    }

    private func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.compactMap(\.hexDigitValue).map(UInt8.init)
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
