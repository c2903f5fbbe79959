import ArgumentParser
import Testing

@testable import BskyAuthCLI

@Suite("Lines of words and common options") struct PlainLineTests {
    /// Everything in a value, as text.
    private func dumped(_ value: Any) -> String {
        var text = ""
        dump(value, to: &text)
        return text
    }

    @Test(
        "are what the parser makes of them, to the last member",
        arguments: [
            ["switch"], ["accounts"], ["accounts", "list"], ["accounts", "current"], ["call"], ["xrpc"],
        ])
    func same(names: [String]) throws {
        let lists = [
            [], ["-"], ["alice.test"], [""], ["help"], ["a", "b"], ["app.bsky.feed.getTimeline"],
            ["app.bsky.feed.getTimeline", "limit:=1", "text=a=b", "x==y", "A:b", "@", "-", "", " ", "é"],
            ["-a", "bob"], ["--account", "bob", "--json", "-q"], ["-v", "--no-input"], ["-a", "", "-a", "x"],
            ["-q", "-q", "--quiet", "--verbose"], ["a.b.c", "-a", "bob", "x=y", "--json", "z"],
            ["--json", "-"],
        ]
        var made = 0
        for words in lists {
            for line in [names + words, words + names] {
                guard let command = PlainLine(line)?.command else { continue }
                #expect(dumped(command) == dumped(try BskyAuth.parseAsRoot(names + words)), "\(line)")
                made += 1
            }
        }
        #expect(made > 0)
    }

    @Test(
        "are left to the parser where it takes them for something else, or refuses them",
        arguments: [
            "", "switch a b", "switch -x", "switch --", "switch -- -", "accounts foo", "accounts -qv",
            "accounts --check", "accounts --json=true", "accounts help", "call", "call a.b.c --help",
            "call a.b.c -a", "call a.b.c -a -", "call a.b.c -ax", "call a.b.c --account=x",
            "call a.b.c -a -q",
            "refresh", "vault", "---completion call", "no.such.command",
        ])
    func others(line: String) {
        #expect(PlainLine(line.split(separator: " ").map(String.init))?.command == nil)
    }
}
