import ArgumentParser
import Foundation
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
            ["--json", "-"], ["a.b.c", "-i"], ["--items", "a.b.c", "x=y"],
            ["--include", "a.b.c", "-q", "--items"],
        ]
        var made = 0
        for words in lists {
            // The parser takes its time to check its own commands in a debug build.
            lazy var parsed = Result { dumped(try BskyAuth.parseAsRoot(names + words)) }
            for line in [names + words, words + names] {
                guard let command = PlainLine(line)?.command else { continue }
                #expect(try dumped(command) == parsed.get(), "\(line)")
                made += 1
            }
        }
        #expect(made > 0, "the parser makes \(names): PlainDecoder lacks the type of a new option")
    }

    private enum Size: String, ExpressibleByArgument { case small, large }

    private struct NewGroup: ParsableArguments {
        @Option var name: String?
        @Flag var loud = false
    }

    /// A command with options that no other file knows.
    private struct NewCommand: OfflineCommand {
        @Flag var check = false
        @Option var file: [String] = []
        @Option var limit: Int?
        @OptionGroup var group: NewGroup
        @Argument var word: String?
        @OptionGroup var global: GlobalOptions

        func run(_ context: CommandContext) async throws {}
    }

    private struct CommandWithDefault: OfflineCommand {
        @Option var count = 5
        @OptionGroup var global: GlobalOptions

        func run(_ context: CommandContext) async throws {}
    }

    private struct CommandWithType: OfflineCommand {
        @Option var size: Size?
        @OptionGroup var global: GlobalOptions

        func run(_ context: CommandContext) async throws {}
    }

    @Test("give a new option its default, or leave the line to the parser, and no file lists it")
    func newOptions() throws {
        let line = try #require(PlainLine(["-q"]))
        for words in [[], ["word"]] {
            let made = try #require(line.make(NewCommand.self, words[...]))
            #expect(dumped(made) == dumped(try NewCommand.parse(words + ["-q"])))
            #expect(made.group.name == nil && made.limit == nil && made.global.quiet)
        }
        #expect(line.make(NewCommand.self, ["a", "b"]) == nil)
        #expect(line.make(CommandWithDefault.self, []) == nil)
        #expect(line.make(CommandWithType.self, []) == nil)
    }

    @Test(
        "are left to the parser where it takes them for something else, or refuses them",
        arguments: [
            "", "switch a b", "switch -x", "switch --", "switch -- -", "accounts foo", "accounts -qv",
            "accounts --check", "accounts --json=true", "accounts help", "call", "call a.b.c --help",
            "call a.b.c -a", "call a.b.c -a -", "call a.b.c -ax", "call a.b.c --account=x",
            "call a.b.c -a -q", "call a.b.c -iq", "call a.b.c --items=true", "switch -i", "accounts --items",
            "accounts --include", "-i call a.b.c", "--items call a.b.c", "call --items",
            "refresh", "vault", "---completion call", "no.such.command",
        ])
    func others(line: String) {
        #expect(PlainLine(line.split(separator: " ").map(String.init))?.command == nil)
    }

    /// What `--experimental-dump-help` says about a command.
    private struct DumpedCommand: Decodable {
        struct Argument: Decodable {
            struct Name: Decodable {
                let kind: String
                let name: String
            }
            let names: [Name]?
        }
        let commandName: String
        let subcommands: [DumpedCommand]?
        let arguments: [Argument]?

        /// The options with their dashes, of the command that the words lead to.
        func options(of words: ArraySlice<String>) throws -> [String] {
            guard let word = words.first else {
                return (arguments ?? []).flatMap { $0.names ?? [] }
                    .map { $0.kind == "long" ? "--\($0.name)" : "-\($0.name)" }
            }
            let next = try #require(subcommands?.first { $0.commandName == word }, "\(word)")
            return try next.options(of: words.dropFirst())
        }
    }

    /// Every way to write an option into a line: without a value, with one in a word of its own, and with one attached.
    private func spellings(of option: String) -> [[String]] {
        [[option]] + ["", "-", "x"].flatMap { [[option, $0], ["\(option)=\($0)"], [option + $0]] }
    }

    @Test(
        "leave every option of their command to the parser, or read it as the parser does",
        arguments: [
            (["accounts", "list"], []), (["accounts", "current"], []), (["switch"], ["bob"]), (["call"], []),
            (["call"], ["a.b.c", "x=y"]),
        ])
    func options(names: [String], words: [String]) throws {
        struct Dump: Decodable { let command: DumpedCommand }
        let dump = try JSONDecoder().decode(Dump.self, from: Data(BskyAuth._dumpHelp().utf8))
        let options = try dump.command.options(of: names[...])
        #expect(options.contains("--no-input") && options.contains("-h"))
        var read: Set<String> = []
        for option in options {
            for spelling in spellings(of: option) {
                for position in 0...words.count {
                    let rest = words[..<position] + spelling + words[position...]
                    for line in position == 0 ? [names + rest, spelling + names + words] : [names + rest] {
                        guard let command = PlainLine(line)?.command else { continue }
                        read.insert(option)
                        #expect(dumped(command) == dumped(try BskyAuth.parseAsRoot(names + rest)), "\(line)")
                    }
                }
            }
        }
        #expect(words.isEmpty && names == ["call"] || !read.isEmpty)
    }
}
