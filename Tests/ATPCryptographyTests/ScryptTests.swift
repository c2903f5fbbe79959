import ATPCryptography
import Testing

@Suite("scrypt") struct ScryptTests {
    @Test(
        "matches RFC 7914",
        arguments: [
            (
                "", "", Scrypt.Parameters(n: 16, r: 1, p: 1),
                "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
                    + "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"
            ),
            (
                "password", "NaCl", Scrypt.Parameters(n: 1024, r: 8, p: 16),
                "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
                    + "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
            ),
            (
                "pleaseletmein", "SodiumChloride", Scrypt.Parameters(n: 16384, r: 8, p: 1),
                "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
                    + "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887"
            ),
        ]) func scrypt(passphrase: String, salt: String, cost: Scrypt.Parameters, key: String) throws
    {
        let derived = try Scrypt.derive(
            passphrase: SecretBytes(Array(passphrase.utf8)), salt: Array(salt.utf8), cost, count: 64)
        #expect(derived.bytes == hex(key))
    }

    @Test("derives at N = 2^17, past OpenSSL's own memory limit") func largeScrypt() throws {
        let cost = Scrypt.Parameters(n: 1 << 17, r: 8, p: 1)
        let key = try Scrypt.derive(passphrase: SecretBytes([1]), salt: [2], cost, count: 32)
        #expect(key.count == 32)
    }

    @Test(
        "bounds the cost before obeying it",
        arguments: [
            Scrypt.Parameters(n: 0, r: 8, p: 1), Scrypt.Parameters(n: 1, r: 8, p: 1),
            Scrypt.Parameters(n: 1000, r: 8, p: 1), Scrypt.Parameters(n: 16, r: 0, p: 1),
            Scrypt.Parameters(n: 16, r: 8, p: 0), Scrypt.Parameters(n: 1 << 20, r: 16, p: 1),
            Scrypt.Parameters(n: 1 << 63, r: .max, p: .max), Scrypt.Parameters(n: 16, r: .max, p: 1),
        ]) func scryptCost(cost: Scrypt.Parameters)
    {
        #expect(throws: CryptographyError.invalidParameter("scrypt")) {
            try Scrypt.derive(passphrase: SecretBytes([]), salt: [], cost, count: 32)
        }
    }
}
