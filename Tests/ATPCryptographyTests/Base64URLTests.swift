import ATPCryptography
import Testing

@Suite("Base64URL") struct Base64URLTests {
    @Test(
        "matches RFC 4648 §10 without its padding",
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"),
        ]) func vectors(plain: String, encoded: String)
    {
        #expect(Base64URL.encode(Array(plain.utf8)) == encoded)
        #expect(Base64URL.decode(encoded) == Array(plain.utf8))
    }

    @Test("uses the URL alphabet") func alphabet() {
        #expect(Base64URL.encode([0xfb, 0xff, 0xbf]) == "-_-_")
        #expect(Base64URL.decode("-_-_") == [0xfb, 0xff, 0xbf])
    }

    @Test("reads back every length") func roundTrip() throws {
        for count in 0..<70 {
            let bytes = try RandomBytes.generate(count)
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
    }

    @Test(
        "refuses what is not the one text of a value",
        arguments: [
            "Zg==", "Zg=", "Z", "Zm9vY", "+/+/", "Zm 9v", "Zm9v\n", "Zh", "Zm9", "Zm9vYh", "é", "Zm9v.",
        ]) func strict(text: String)
    {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test("has a twin with the alphabet of RFC 4648 §4, which refuses this one's") func standard() {
        #expect(UnpaddedBase64.encode([0xfb, 0xff, 0xbf, 0xfe]) == "+/+//g")
        #expect(UnpaddedBase64.decode("+/+//g") == [0xfb, 0xff, 0xbf, 0xfe])
        for text in ["-_-__g", "+/+//g==", "+/+//h", "+/+//"] { #expect(UnpaddedBase64.decode(text) == nil) }
    }
}
