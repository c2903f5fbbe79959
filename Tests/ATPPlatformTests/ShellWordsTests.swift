import ATPPlatform
import Testing

@Suite("Shell words") struct ShellWordsTests {
    @Test(
        "splits as a shell would",
        arguments: [
            ("firefox", ["firefox"]),
            ("  firefox \t -P  x ", ["firefox", "-P", "x"]),
            (#"open -a "Google Chrome""#, ["open", "-a", "Google Chrome"]),
            ("a 'b c'd", ["a", "b cd"]),
            ("a '' \"\"", ["a", "", ""]),
            (#"a\ b c"#, ["a b", "c"]),
            (#""a\"b\\c\d""#, [#"a"b\c\d"#]),
            (#"'a\b'"#, [#"a\b"#]),
            ("a $HOME `id` $(id) *;b|c", ["a", "$HOME", "`id`", "$(id)", "*;b|c"]),
        ])
    func words(_ command: String, _ words: [String]) {
        #expect(ShellWords.split(command) == words)
    }

    @Test(
        "refuses what is not finished and what has no word",
        arguments: ["", "  ", "'a", "\"a", "a\\", "\"\\"])
    func unfinished(_ command: String) {
        #expect(ShellWords.split(command) == nil)
    }
}
