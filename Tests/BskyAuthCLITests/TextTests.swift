import BskyAuthTestPrograms
import Foundation
import Testing

@testable import BskyAuthCLI

@Suite("Text for people") struct TextTests {
    @Test(
        "is harmless for a terminal",
        arguments: [
            ("plain äöü 仕事 😀", "plain äöü 仕事 😀"), ("\u{1b}[31mred", "\u{fffd}[31mred"),
            ("a\nb\r\tc\u{0}", "a\u{fffd}b\u{fffd}\u{fffd}c\u{fffd}"),
            ("a\u{202e}b\u{2066}", "a\u{fffd}b\u{fffd}"),
            ("a\u{2028}b\u{85}\u{9b}", "a\u{fffd}b\u{fffd}\u{fffd}"),
            ("\u{200b}\u{feff}\u{e000}", "\u{fffd}\u{fffd}\u{fffd}"),
            ("", ""),
        ])
    func shown(text: String, expected: String) {
        #expect(text.escapedForTerminal == expected)
    }

    @Test("and bounded") func bounded() {
        let text = String(repeating: "x", count: 500)
        #expect(text.escapedForTerminal == text)
        #expect((text + "y").escapedForTerminal == text + "…")
    }

    @Test(
        "is one word for a shell",
        arguments: [
            ("work", "work"), ("a.b/c:d@e%f+g=h,i_j-k", "a.b/c:d@e%f+g=h,i_j-k"), ("", "''"),
            ("a b", "'a b'"),
            ("it's", "'it'\\''s'"), ("'", "''\\'''"), ("$(rm -rf ~)", "'$(rm -rf ~)'"), ("a;b", "'a;b'"),
            ("`x`", "'`x`'"), ("*", "'*'"), ("blob:*/*", "'blob:*/*'"), ("~", "'~'"), ("a\"b", "'a\"b'"),
        ])
    func shellQuoted(text: String, expected: String) {
        #expect(text.shellQuoted == expected)
    }

    @Test(
        "a shell reads the quoted word back as it was",
        arguments: ["it's", "''", "a'b'c", "$HOME", "\\", "a\nb", "!x"])
    func shellReadsBack(text: String) async throws {
        let result = try await Program.run(
            "/bin/sh", ["-c", "printf %s \(text.shellQuoted)"], environment: [:])
        #expect(result.output == Data(text.utf8))
    }

    @Test(
        "has the width that a terminal gives it",
        arguments: [
            ("", 0), ("abc", 3), ("äö", 2), ("e\u{301}", 1), ("仕事", 4), ("한글", 4), ("Ａ", 2), ("😀x", 3),
        ])
    func width(text: String, columns: Int) {
        #expect(text.terminalWidth == columns)
    }

    @Test(
        "is cut to a width, with a mark",
        arguments: [
            ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("abc", 1, "…"), ("abc", 0, ""), ("", 0, ""),
            ("仕事", 4, "仕事"), ("仕事x", 4, "仕…"), ("仕事x", 3, "仕…"), ("仕事x", 2, "…"),
            ("e\u{301}e\u{301}e", 2, "e\u{301}…"),
        ])
    func fitted(text: String, columns: Int, expected: String) {
        #expect(text.fitted(to: columns) == expected)
    }

    @Test("columns line up whatever is in them") func table() {
        var table = Table(header: ["", "NAME", "LABEL"])
        table.append(["*", "alice.example.com", "仕事"])
        table.append(["", "b", "-"])
        table.append([])
        #expect(
            table.lines == [
                "   NAME               LABEL", "*  alice.example.com  仕事", "   b                  -", "",
            ])
    }

    @Test("wide characters take two columns") func wideTable() {
        var table = Table(header: ["A", "B"])
        table.append(["仕事", "x"])
        #expect(table.lines == ["A     B", "仕事  x"])
    }

    @Test(
        "times are relative",
        arguments: [
            (0, "in 0 s"), (59, "in 59 s"), (60, "in 1 min"), (59.7, "in 1 min"), (3599, "in 1 h"),
            (3600, "in 1 h"), (28_799, "in 8 h"), (28_790, "in 8 h"), (26_000, "in 7 h"),
            (172_799, "in 2 days"),
            (172_800, "in 2 days"), (1_209_600, "in 14 days"), (-1, "1 s ago"), (-80, "1 min ago"),
            (-100, "2 min ago"),
        ])
    func relative(seconds: Double, expected: String) {
        let now = Date(timeIntervalSince1970: 1_795_212_231)
        #expect(TimeText.relative(now.addingTimeInterval(seconds), to: now) == expected)
    }

    @Test(
        "a time that a person chose is repeated whole",
        arguments: [(5400, "1 h 30 min"), (90, "1 min 30 s"), (3600, "1 h"), (86400, "24 h"), (0, "0 s")])
    func exact(seconds: Double, expected: String) {
        #expect(TimeText.exact(seconds) == expected)
    }

    @Test("and RFC 3339 for programs") func rfc3339() {
        #expect(TimeText.rfc3339(Date(timeIntervalSince1970: 1_795_212_231.9)) == "2026-11-20T22:03:51Z")
    }
}
