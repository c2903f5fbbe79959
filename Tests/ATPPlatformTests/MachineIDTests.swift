import ATPPlatform
import Testing

@Suite("Machine id") struct MachineIDTests {
    @Test func readsWhatMachineIDSays() throws {
        let id = try #require(MachineID("0123456789abcdef0123456789abcdef\n".utf8))
        #expect(
            id.bytes == [
                0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd,
                0xef,
            ])
        #expect(MachineID("0123456789abcdef0123456789abcdef".utf8) == id)
    }

    @Test(arguments: [
        "", "\n", "uninitialized\n", "0123456789abcdef0123456789abcde\n",
        "0123456789abcdef0123456789abcdef0\n", "0123456789abcdeg0123456789abcdef\n",
    ])
    func takesNothingElse(_ text: String) {
        #expect(MachineID(text.utf8) == nil)
    }
}
