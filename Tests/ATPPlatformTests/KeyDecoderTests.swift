import ATPPlatform
import Testing

@Suite("Keys") struct KeyDecoderTests {
    private func keys(_ text: String) -> [Key] {
        var decoder = KeyDecoder()
        return decoder.keys(in: Array(text.utf8))
    }

    @Test(
        "are made of what the terminal sends",
        arguments: [
            ("a", [Key.character("a")]), ("仕é😀", [.character("仕"), .character("é"), .character("😀")]),
            ("\r", [.enter]), ("\n", [.enter]), ("\u{7f}", [.erase]), ("\u{8}", [.erase]),
            ("\u{4}", [.endOfInput]), ("\u{1b}[A", [.up]), ("\u{1b}[B", [.down]),
            ("\u{1b}OA", [.up]), ("\u{1b}OB\u{1b}[Aj", [.down, .up, .character("j")]),
            // Keys that the program does not obey: right, delete, shift-up, Alt-x, a function key, Ctrl-X.
            ("\u{1b}[C\u{1b}[3~\u{1b}[1;2A\u{1b}x\u{1b}OP\u{18}", []),
        ])
    func decoded(text: String, expected: [Key]) {
        #expect(keys(text) == expected)
    }

    @Test("are the same however the bytes are divided") func divided() {
        let text = "a\u{1b}[Bé\u{1b}OA仕\r"
        var decoder = KeyDecoder()
        #expect(Array(text.utf8).flatMap { decoder.keys(in: [$0]) } == keys(text))
        #expect(!decoder.isWaiting)
    }

    @Test("the escape key is what nothing follows") func escape() {
        var decoder = KeyDecoder()
        #expect(decoder.keys(in: [0x1b]).isEmpty && decoder.isWaiting)
        #expect(decoder.rest() == .escape)
        #expect(!decoder.isWaiting)
        // Half a sequence is no key.
        #expect(decoder.keys(in: [0x1b, 0x5b]).isEmpty && decoder.rest() == nil)
        #expect(decoder.keys(in: [0x61]) == [.character("a")])
    }

    @Test(
        "bytes that are no text are no keys",
        arguments: [[0xff], [0x80, 0x80], [0xc3, 0x28], [0xc0, 0x80]])
    func garbage(bytes: [UInt8]) {
        var decoder = KeyDecoder()
        #expect(decoder.keys(in: bytes + [0x61]).last == .character("a"))
    }
}
