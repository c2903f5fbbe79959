import ArgumentParser
import Testing

@testable import BskyAuthCLI

@Suite("Commands of words alone") struct WordCommandTests {
    /// Everything in a value, as text.
    private func dumped(_ value: Any) -> String {
        var text = ""
        dump(value, to: &text)
        return text
    }

    @Test(
        "are what the parser makes of the same words, to the last member",
        arguments: [
            SwitchCommand.self, AccountsListCommand.self, AccountsCurrentCommand.self, CallCommand.self,
        ] as [any WordCommand.Type])
    func same(type: any WordCommand.Type) throws {
        let lists = [
            [], ["-"], ["alice.test"], [""], ["help"], ["a", "b"], ["app.bsky.feed.getTimeline"],
            ["app.bsky.feed.getTimeline", "limit:=1", "text=a=b", "x==y", "A:b", "@", "-", "", " ", "é"],
        ]
        var made = 0
        for words in lists {
            guard let command = NamedCommand.made(of: words, as: type) else { continue }
            #expect(dumped(command) == dumped(try type.parseAsRoot(words)), "\(words)")
            made += 1
        }
        #expect(made > 0)
    }

    @Test("are the parser's where it takes them for something else, or refuses them")
    func others() {
        let lines: [(any ParsableCommand.Type, [String])] = [
            (SwitchCommand.self, ["a", "b"]), (SwitchCommand.self, ["-q"]), (SwitchCommand.self, ["--"]),
            (AccountsListCommand.self, ["a"]), (AccountsListCommand.self, ["--json"]), (CallCommand.self, []),
            (CallCommand.self, ["a.b.c", "--help"]), (CallCommand.self, ["a.b.c", "-a", "x"]),
            (RefreshCommand.self, []), (BskyAuth.self, []),
        ]
        for (type, words) in lines {
            #expect(NamedCommand.made(of: words, as: type) == nil, "\(type) \(words)")
        }
    }

    @Test("are made of the lines that people write most")
    func lines() throws {
        for line in [
            "switch -", "accounts", "accounts list", "accounts current", "call a.b.c x=y", "xrpc a.b.c",
        ] {
            let words = line.split(separator: " ").map(String.init)
            #expect(try NamedCommand.parse(words) is any WordCommand, "\(line)")
        }
    }
}
