import ATPCryptography
import Testing

@Suite("AES-GCM") struct AESGCMTests {
    static let key = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"
    static let plaintext = """
        d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525
        b16aedf5aa0de657ba637b39
        """

    @Test(
        "matches the GCM specification's 256-bit cases",
        arguments: [
            (
                String(repeating: "00", count: 32), String(repeating: "00", count: 12), "", "",
                "530f8afbc74536b9a963b4f1c4cb738b"
            ),
            (
                String(repeating: "00", count: 32), String(repeating: "00", count: 12),
                String(repeating: "00", count: 16), "",
                "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"
            ),
            (
                key, "cafebabefacedbaddecaf888", plaintext, "feedfacedeadbeeffeedfacedeadbeefabaddad2",
                """
                522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838
                c5f61e6393ba7a0abcc9f662 76fc6ece0f4e1768cddf8853bb2d551b
                """
            ),
        ]) func vectors(key: String, nonce: String, plaintext: String, data: String, sealed: String) throws
    {
        let key = SecretBytes(hex(key))
        let made = try AESGCM.seal(
            SecretBytes(hex(plaintext)), key: key, nonce: hex(nonce), authenticating: hex(data))
        #expect(made == hex(sealed))
        let opened = try AESGCM.open(made, key: key, nonce: hex(nonce), authenticating: hex(data))
        #expect(opened.bytes == hex(plaintext))
    }

    @Test("opens nothing that was touched in a single bit") func tampering() throws {
        let key = SecretBytes(hex(Self.key))
        let nonce = hex("cafebabefacedbaddecaf888")
        let data: [UInt8] = [1, 2, 3]
        let sealed = try AESGCM.seal(SecretBytes([9, 9, 9]), key: key, nonce: nonce, authenticating: data)
        let refusal = CryptographyError.authenticationFailed
        for bit in 0..<sealed.count * 8 {
            var touched = sealed
            touched[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: refusal) {
                try AESGCM.open(touched, key: key, nonce: nonce, authenticating: data)
            }
        }
        #expect(throws: refusal) { try AESGCM.open(sealed, key: key, nonce: nonce, authenticating: [1, 2]) }
        #expect(throws: refusal) {
            try AESGCM.open(sealed, key: key, nonce: hex("cafebabefacedbaddecaf889"), authenticating: data)
        }
        #expect(throws: refusal) {
            try AESGCM.open(sealed, key: SecretBytes(random: 32), nonce: nonce, authenticating: data)
        }
        #expect(throws: refusal) {
            try AESGCM.open(Array(sealed.dropLast()), key: key, nonce: nonce, authenticating: data)
        }
        #expect(throws: refusal) { try AESGCM.open([1, 2], key: key, nonce: nonce, authenticating: data) }
    }

    @Test("refuses other key and nonce lengths") func lengths() {
        #expect(throws: CryptographyError.invalidParameter("AES-GCM")) {
            try AESGCM.seal(
                SecretBytes([]), key: SecretBytes(random: 16), nonce: [UInt8](repeating: 0, count: 12),
                authenticating: [])
        }
        #expect(throws: CryptographyError.invalidParameter("AES-GCM")) {
            try AESGCM.seal(SecretBytes([]), key: SecretBytes(random: 32), nonce: [1], authenticating: [])
        }
    }
}
