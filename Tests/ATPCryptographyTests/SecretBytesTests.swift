import ATPCryptography
import Testing

@Suite("SecretBytes") struct SecretBytesTests {
    @Test("keeps what it was given") func roundTrip() {
        let secret = SecretBytes([1, 2, 3])
        #expect(secret.bytes == [1, 2, 3])
        #expect(secret.count == 3)
        #expect(SecretBytes([]).bytes.isEmpty)
    }

    @Test("is equal by content and length") func equality() {
        #expect(SecretBytes([1, 2]) == SecretBytes([1, 2]))
        #expect(SecretBytes([1, 2]) != SecretBytes([1, 3]))
        #expect(SecretBytes([1, 2]) != SecretBytes([1, 2, 0]))
        #expect(SecretBytes([]) == SecretBytes([]))
    }

    @Test("is random when asked, and different each time") func random() throws {
        let one = try SecretBytes(random: 32)
        let other = try SecretBytes(random: 32)
        #expect(one.count == 32)
        #expect(one != other)
    }

    @Test("never prints its bytes") func redacted() {
        let secret = SecretBytes(Array("hunter2".utf8))
        var dumped = ""
        dump(secret, to: &dumped)
        #expect("\(secret)" == "<redacted>")
        #expect(String(reflecting: [secret]) == "[<redacted>]")
        #expect(!dumped.contains("104"))
        #expect(!dumped.contains("storage"))
    }
}

@Suite("RandomBytes and ConstantTime") struct RandomBytesTests {
    @Test("has the length asked for and no repetition") func generate() throws {
        let values = try (0..<100).map { _ in try RandomBytes.generate(16) }
        #expect(Set(values).count == 100)
        #expect(values.allSatisfy { $0.count == 16 })
        #expect(try RandomBytes.generate(0).isEmpty)
    }

    @Test(
        "fills every byte of what is longer than the system gives at once", arguments: [255, 256, 257, 1000])
    func long(count: Int) throws {
        var untouched = Set(0..<count)
        // A byte is zero by chance in one draw of 256.
        for _ in 0..<40 where !untouched.isEmpty {
            let bytes = try RandomBytes.generate(count)
            #expect(bytes.count == count)
            untouched = untouched.filter { bytes[$0] == 0 }
        }
        #expect(untouched.isEmpty)
    }

    @Test("compares whole values") func equals() {
        #expect(ConstantTime.equals([1, 2, 3], [1, 2, 3]))
        #expect(!ConstantTime.equals([1, 2, 3], [1, 2, 4]))
        #expect(!ConstantTime.equals([1, 2, 3], [1, 2]))
        #expect(ConstantTime.equals([], []))
    }
}
