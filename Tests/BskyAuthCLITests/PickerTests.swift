import ATPPlatform
import Testing

@testable import BskyAuthCLI

@Suite("Picker") struct PickerTests {
    private func picker(_ choices: [String] = ["alice", "bob", "carol"], first: Int = 0) -> Picker {
        Picker(choices, question: "which?", first: first)
    }

    /// What the keys decide, the last of them being Enter.
    private func chosen(_ keys: [Key], of picker: Picker) -> Picker.Outcome? {
        var picker = picker
        for key in keys { if let outcome = picker.press(key) { return outcome } }
        return picker.press(.enter)
    }

    private func typed(_ text: String) -> [Key] { text.map(Key.character) }

    @Test("arrows, j and k move the mark, around the ends too") func moving() {
        #expect(chosen([], of: picker()) == .chosen(0))
        #expect(chosen([], of: picker(first: 2)) == .chosen(2))
        #expect(chosen([.down], of: picker()) == .chosen(1))
        #expect(chosen(typed("jj"), of: picker()) == .chosen(2))
        #expect(chosen([.down, .down, .down], of: picker()) == .chosen(0))
        #expect(chosen([.up], of: picker()) == .chosen(2))
        #expect(chosen(typed("jjk"), of: picker()) == .chosen(1))
    }

    @Test("a number goes to its choice, of one digit or more") func numbers() {
        let many = picker((1...25).map { "account \($0)" })
        #expect(chosen(typed("2"), of: many) == .chosen(1))
        #expect(chosen(typed("12"), of: many) == .chosen(11))
        // 99 is none, so the second 9 begins again.
        #expect(chosen(typed("99"), of: many) == .chosen(8))
        #expect(chosen(typed("0"), of: many) == .chosen(0))
        #expect(chosen(typed("1") + [.down] + typed("2"), of: many) == .chosen(1))
        #expect(chosen(typed("7"), of: picker()) == .chosen(0))
    }

    @Test("a slash begins a search, in which letters and digits are letters and digits") func searching() {
        #expect(chosen(typed("/ca"), of: picker()) == .chosen(2))
        #expect(chosen(typed("/BOB"), of: picker()) == .chosen(1))
        let jk = picker(["a1", "jk", "b2"])
        #expect(chosen(typed("/jk"), of: jk) == .chosen(1))
        #expect(chosen(typed("/2"), of: jk) == .chosen(2))
        #expect(chosen(typed("/仕事"), of: picker(["alice", "仕事"])) == .chosen(1))
        // o: bob and carol.
        #expect(chosen(typed("/o") + [.down], of: picker()) == .chosen(2))
        #expect(chosen(typed("/ox") + [.erase, .up], of: picker()) == .chosen(2))
    }

    @Test("Enter takes nothing where nothing is found, and Escape shows all again before it leaves")
    func nothingFound() {
        var picker = picker()
        for key in typed("/zzz") + [.down, .enter] { #expect(picker.press(key) == nil) }
        #expect(picker.lines(.usual).contains("  none"))
        #expect(picker.press(.escape) == nil && picker.filter == nil)
        #expect(picker.press(.escape) == .left)
        #expect(chosen([.endOfInput], of: self.picker()) == .left)
    }

    @Test("erasing the slash ends the search") func erasing() {
        var picker = picker()
        for key in typed("/b") + [.erase, .erase] { #expect(picker.press(key) == nil) }
        #expect(picker.filter == nil)
    }

    @Test("shows the question, the numbered choices and the keys") func lines() {
        var picker = picker(first: 1)
        let lines = picker.lines(.usual)
        #expect(lines.dropLast() == ["which?", "  1  alice", "> 2  bob", "  3  carol"])
        #expect(lines.last?.contains("Enter chooses, Esc cancels") == true)
        for key in typed("/o") { _ = picker.press(key) }
        #expect(picker.lines(.usual).dropLast() == ["which?", "> 2  bob", "  3  carol"])
        #expect(picker.lines(.usual).last?.hasPrefix("/o ") == true)
        #expect(picker.plainLines == ["which?", "  1  alice", "  2  bob", "  3  carol"])
    }

    @Test(
        "fits any terminal, with the marked choice in sight",
        arguments: [1, 2, 4, 5, 10, 24], [1, 2, 12, 80])
    func fits(rows: Int, columns: Int) {
        let choices = (1...100).map { "仕事 account number \($0)" }
        for first in [0, 1, 50, 98, 99] {
            let lines = picker(choices, first: first).lines(TerminalSize(columns: columns, rows: rows))
            #expect(lines.count <= max(3, rows - 1))
            #expect(lines.allSatisfy { $0.terminalWidth < columns })
            let marked = lines.first { $0.hasPrefix(">") }
            #expect(columns < 12 || marked?.contains("\(first + 1)  ") == true)
        }
    }

    @Test("what is typed into a search is harmless") func harmless() {
        var picker = picker()
        for key in typed("/\u{202e}\u{9b}x") { _ = picker.press(key) }
        #expect(picker.filter == "\u{fffd}\u{fffd}x")
    }
}
