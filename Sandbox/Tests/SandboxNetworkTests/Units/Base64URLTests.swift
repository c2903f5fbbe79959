import Testing

@testable import SandboxNetwork

@Suite("Base64url")
struct Base64URLTests {
    @Test("What is encoded is decoded again, in the alphabet of URLs and without padding")
    func roundTrip() {
        for length in 0...4 {
            let bytes = [UInt8]([0xfb, 0xff, 0xbf, 0xfe].prefix(length))
            let text = Base64URL.encode(bytes)
            #expect(text == ["", "-w", "-_8", "-_-_", "-_-__g"][length])
            #expect(Base64URL.decode(text) == bytes)
        }
    }

    @Test(
        "Padding, the other alphabet and lengths that none has are refused",
        arguments: [
            "-w==", "+w", "/w", "a", "abcde", "é", "a b", "ab\n",
        ])
    func refused(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }
}
