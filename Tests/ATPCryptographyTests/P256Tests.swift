import ATPCryptography
import BskyAuthCovers
import BskyAuthTestPrograms
import Foundation
import Testing

@Suite("P-256") struct P256Tests {
    /// RFC 7515 appendix A.3.
    static let d = "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"
    static let x = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"
    static let y = "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"
    static let order = hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")

    private func bytes(_ text: String) throws -> [UInt8] { try #require(Base64URL.decode(text)) }

    @Test("computes the public point of RFC 7515 A.3") func knownKey() throws {
        let key = try P256PrivateKey(rawRepresentation: SecretBytes(bytes(Self.d)))
        #expect(key.publicKey.x == (try bytes(Self.x)))
        #expect(key.publicKey.y == (try bytes(Self.y)))
        #expect(try key.rawRepresentation().bytes == bytes(Self.d))
    }

    @Test("verifies the signature of RFC 7515 A.3, and nothing else", .covers("B17")) func knownSignature()
        throws
    {
        let key = try P256PublicKey(x: bytes(Self.x), y: bytes(Self.y))
        let message = Array(
            ("eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9p"
                + "c19yb290Ijp0cnVlfQ").utf8)
        let signature = try bytes(
            "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q")
        #expect(key.verifies(signature, of: message))
        #expect(!key.verifies(signature, of: message + [0]))
        var other = signature
        other[63] ^= 1
        #expect(!key.verifies(other, of: message))
        #expect(!key.verifies(Array(signature.dropLast()), of: message))
        #expect(!key.verifies([UInt8](repeating: 0, count: 64), of: message))
    }

    @Test("refuses zero, the order, more, and other lengths", .covers("B16")) func invalidScalars() throws {
        var aboveOrder = Self.order
        aboveOrder[31] += 1
        for d in [
            [UInt8](repeating: 0, count: 32), Self.order, aboveOrder, [UInt8](repeating: 0xff, count: 32),
            [], [1], [UInt8](repeating: 1, count: 33),
        ] {
            #expect(throws: CryptographyError.invalidPrivateKey) {
                try P256PrivateKey(rawRepresentation: SecretBytes(d))
            }
        }
        var largest = Self.order
        largest[31] -= 1
        _ = try P256PrivateKey(rawRepresentation: SecretBytes(largest))
    }

    @Test("refuses a public key that is another key's") func mismatch() throws {
        let d = SecretBytes(try bytes(Self.d))
        let publicKey = try P256PublicKey(x: bytes(Self.x), y: bytes(Self.y))
        #expect(
            try P256PrivateKey(rawRepresentation: d, expecting: (publicKey.x, publicKey.y)).publicKey
                == publicKey)
        let other = try P256PrivateKey().publicKey
        for point in [(other.x, other.y), (publicKey.x, other.y), (other.x, publicKey.y), ([], [])] {
            #expect(throws: CryptographyError.keyMismatch) {
                try P256PrivateKey(rawRepresentation: d, expecting: point)
            }
        }
    }

    @Test("takes a pair as it comes, and signs with it") func pair() throws {
        let d = SecretBytes(try bytes(Self.d))
        let (x, y) = (try bytes(Self.x), try bytes(Self.y))
        let key = try P256PrivateKey(rawRepresentation: d, trusting: (x, y))
        #expect(try key.rawRepresentation() == d)
        #expect(key.publicKey == (try P256PublicKey(x: x, y: y)))
        #expect(key.publicKey.verifies(try key.sign([1, 2]), of: [1, 2]))
        for point in [(y, x), (x, Array(y.dropLast())), ([], [])] {
            #expect(throws: CryptographyError.invalidPrivateKey) {
                try P256PrivateKey(rawRepresentation: d, trusting: point)
            }
        }
        #expect(throws: CryptographyError.invalidPrivateKey) {
            try P256PrivateKey(rawRepresentation: SecretBytes([1]), trusting: (x, y))
        }
    }

    @Test("refuses coordinates off the curve") func offCurve() throws {
        var y = try bytes(Self.y)
        y[31] ^= 1
        let x = try bytes(Self.x)
        for (x, y) in [(x, y), (y, x), (x, Array(y.dropLast())), ([], [])] {
            #expect(throws: CryptographyError.invalidPublicKey) { try P256PublicKey(x: x, y: y) }
        }
    }

    @Test("signs a thousand messages with a thousand signatures of 64 bytes", .covers("R54"))
    func distinctSignatures() throws {
        let key = try P256PrivateKey()
        var signatures: Set<[UInt8]> = []
        for _ in 0..<1000 {
            let signature = try key.sign([1, 2, 3])
            #expect(signature.count == 64)
            signatures.insert(signature)
        }
        #expect(signatures.count == 1000)
        #expect(signatures.allSatisfy { key.publicKey.verifies($0, of: [1, 2, 3]) })
    }

    @Test("signs from several tasks at once") func concurrentSigning() async throws {
        let key = try P256PrivateKey()
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in UInt8(0)..<32 {
                group.addTask {
                    let signature = try key.sign([number])
                    return key.publicKey.verifies(signature, of: [number])
                }
            }
            for try await isValid in group { #expect(isValid) }
        }
    }

    @Test("makes a new key each time, and reads it back") func freshKeys() throws {
        let keys = try (0..<20).map { _ in try P256PrivateKey() }
        #expect(Set(keys.map(\.publicKey)).count == 20)
        for key in keys {
            let again = try P256PrivateKey(
                rawRepresentation: key.rawRepresentation(), expecting: (key.publicKey.x, key.publicKey.y))
            #expect(try key.publicKey.verifies(again.sign([5]), of: [5]))
        }
    }

    @Test("never prints the key") func redacted() throws {
        let key = try P256PrivateKey()
        #expect("\(key)" == "<redacted>")
        #expect(String(reflecting: key) == "<redacted>")
    }

    @Test("makes signatures the openssl program accepts", .covers("R54", "B5", "B17")) func opensslAccepts()
        async throws
    {
        let folder = FileManager.default.temporaryDirectory.appending(path: "p256-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let key = try P256PrivateKey()
        let message = Array("signed here, verified there".utf8)
        let signature = try key.sign(message)
        // SubjectPublicKeyInfo of a P-256 key (RFC 5480), the point appended.
        let header = hex("3059301306072a8648ce3d020106082a8648ce3d03010703420004")
        try Data(header + key.publicKey.x + key.publicKey.y).write(to: folder.appending(path: "key.der"))
        try Data(message).write(to: folder.appending(path: "message"))
        try Data(der(signature)).write(to: folder.appending(path: "signature"))

        let arguments = [
            "dgst", "-sha256", "-verify", "key.der", "-keyform", "DER", "-signature", "signature",
        ]
        let result = try await Program.run(
            "/usr/bin/env", ["openssl"] + arguments + ["message"],
            environment: Program.inheritedEnvironment, directory: folder)
        #expect(result.text.contains("Verified OK"))
        #expect(result.status == 0)
    }

    /// r and s as the SEQUENCE of two INTEGERs that openssl reads.
    private func der(_ signature: [UInt8]) -> [UInt8] {
        func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
            var digits = Array(bytes.drop { $0 == 0 })
            if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
            return [2, UInt8(digits.count)] + digits
        }
        let body = integer(signature[0..<32]) + integer(signature[32..<64])
        return [0x30, UInt8(body.count)] + body
    }
}
