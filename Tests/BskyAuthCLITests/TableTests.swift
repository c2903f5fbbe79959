import Testing

@testable import BskyAuthCLI

@Suite("Tables") struct TableTests {
    private func table() -> Table {
        var table = Table(header: ["", "ACCOUNT", "STATE", "PDS"], flexible: [1, 3])
        table.append(cells: [
            .init("*", .good), .init("alice.with.a.long.name.example.com"), .init("expired", .bad),
            .init("pds.example.com"),
        ])
        table.append(["", "仕事仕事仕事仕事仕事", "ok", "b"])
        return table
    }

    @Test("are as wide as they are where nothing limits them") func natural() {
        #expect(table().lines(fitting: nil, isColored: false) == table().lines)
        #expect(
            table().lines[1] == "*  alice.with.a.long.name.example.com  expired  pds.example.com")
        #expect(table().lines(fitting: 200, isColored: false) == table().lines)
    }

    @Test("fit a terminal of any width that has room for two columns", arguments: 11...70)
    func fits(columns: Int) {
        let lines = table().lines(fitting: columns, isColored: false)
        #expect(lines.allSatisfy { $0.terminalWidth <= columns }, "\(lines)")
        #expect(lines[1].hasPrefix("*  alice."))
        // What can't be cut is there whole or not at all.
        let state = lines[0].contains("STATE")
        #expect(lines[1].contains("expired") == state)
        #expect(state == (columns >= 1 + 2 + 8 + 2 + 7))
    }

    @Test("give up the widest column first") func widest() {
        let lines = table().lines(fitting: 50, isColored: false)
        #expect(lines[1] == "*  alice.with.a.long.na…  expired  pds.example.com")
        #expect(lines[2] == "   仕事仕事仕事仕事仕事   ok       b")
    }

    @Test("are left alone where no column may be cut") func rigid() {
        var table = Table(header: ["key", "a long value that has to be read whole"])
        table.append(["other", "x"])
        #expect(table.lines(fitting: 10, isColored: false) == table.lines)
    }

    @Test("are coloured without a change of their widths") func colored() {
        let lines = table().lines(fitting: 50, isColored: true)
        #expect(
            lines[1]
                == "\u{1b}[32m*\u{1b}[0m  alice.with.a.long.na…  \u{1b}[31mexpired\u{1b}[0m  pds.example.com")
        #expect(lines[2] == "   仕事仕事仕事仕事仕事   ok       b")
    }
}
