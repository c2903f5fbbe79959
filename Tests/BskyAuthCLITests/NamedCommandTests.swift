import ArgumentParser
import BskyAuthCovers
import Testing

@testable import BskyAuthCLI

/// Which command a line names, and that the options of all commands may come before its words.
@Suite("The command a line names") struct NamedCommandTests {
    private func parsed(_ line: String) throws -> any ParsableCommand {
        try NamedCommand.parse(line.split(separator: " ").map(String.init))
    }

    @Test(
        "is the one that the parser of the whole program finds",
        arguments: [
            "accounts", "accounts --json", "accounts --jobs 3 --check", "accounts list -q",
            "accounts show bob",
            "accounts -a list", "switch -", "switch", "call a.b.c d=e -X query -H A:b -- -x", "xrpc a.b.c",
            "login --port 8400-8410 --timeout 10s --scope a --scope b", "vault status --home /x",
            "vault add-key --key-file k", "token --dpop GET https://a.example/b", "refresh --all --jobs 16",
        ])
    func asTheWhole(line: String) throws {
        let whole = try BskyAuth.parseAsRoot(line.split(separator: " ").map(String.init))
        #expect(String(reflecting: try parsed(line)) == String(reflecting: whole))
    }

    @Test(
        "takes what every command takes before its words too",
        arguments: [
            ("-a bob accounts current", "accounts current -a bob"),
            ("--json accounts", "accounts --json"),
            ("--json accounts -a bob current", "accounts current --json -a bob"),
            ("-qv --color never --home=/x vault status", "vault status -qv --color never --home=/x"),
            ("-a call accounts", "accounts -a call"),
            ("--account bob call a.b.c b=c --dry-run", "call --account bob a.b.c b=c --dry-run"),
            ("--json help call", "help --json call"),
        ])
    func optionsFirst(line: String, usual: String) throws {
        #expect(String(reflecting: try parsed(line)) == String(reflecting: try parsed(usual)))
    }

    @Test(
        "is told what is wrong with it as ever",
        arguments: [
            ("--limit-pages 3 call a.b.c", "Unknown option '--limit-pages'"),
            ("accounts nope", "no command is called \"accounts nope\""),
            ("accounts lst", "no command is called \"accounts lst\"; did you mean accounts list?"),
            ("nope", "no command is called \"nope\""),
            ("-a bob nope", "no command is called \"nope\""),
            ("logn alice.test", "no command is called \"logn\"; did you mean login?"),
            ("lgoin alice.test", "no command is called \"lgoin\"; did you mean login?"),
            ("acounts --json", "no command is called \"acounts\"; did you mean accounts?"),
            ("vault -q unlok", "no command is called \"vault unlok\"; did you mean vault unlock?"),
            ("status", "no command is called \"status\"; did you mean accounts --check?"),
            ("ls -q", "no command is called \"ls\"; did you mean accounts?"),
            ("accounts rm bob", "no command is called \"accounts rm\"; did you mean logout?"),
            ("accounts login", "no command is called \"accounts login\"; did you mean login?"),
            ("export bob", "no command is called \"export\"; did you mean accounts export?"),
            ("unlock", "no command is called \"unlock\"; did you mean vault unlock?"),
            ("accounts --limt 5", "Unknown option '--limt'"),
            ("accounts list nope", "Unexpected argument 'nope'"),
            ("-- --json accounts", "2 unexpected arguments: '--json', 'accounts'"),
            ("-a", "Unknown option '-a'"),
            ("--json", "no command is named"),
            ("-a refresh", "no command is named"),
            ("--home logout", "no command is named"),
            ("-a logout --all", "Missing value for '-a <account>'"),
            ("call", "Missing expected argument '<nsid>'"),
            ("--lock-timeout soon accounts", "The value 'soon' is invalid for '--lock-timeout <time>'"),
            ("accounts --jobs 0", "--jobs takes a number from 1 to 64"),
            ("login alice.test --timeout 11m", "--timeout takes a time from 1s to 10m"),
            ("login --timeout 0", "--timeout takes a time from 1s to 10m"),
        ])
    func refused(line: String, message: String) {
        let error = #expect(throws: (any Error).self) { _ = try parsed(line) }
        #expect(error.map { ($0 as? Failure)?.message ?? BskyAuth.message(for: $0) } == message)
    }

    @Test(
        "call has no option for a parameter of the method, and says how it is written",
        arguments: [
            (
                "call a.b.get --limit 5",
                "call has no option --limit; write a parameter of the method as limit=5"
            ),
            (
                "call app.bsky.feed.getTimeline --limt 5",
                "call has no option --limt; write a parameter of the method as limit=5"
            ),
            (
                "call app.bsky.feed.getTimeline --limt=5 x=y",
                "call has no option --limt; write a parameter of the method as limit=5"
            ),
            (
                "xrpc a.b.get --actor",
                "call has no option --actor; write a parameter of the method as actor=VALUE"
            ),
            (
                "call --limit --json a.b.get",
                "call has no option --limit; write a parameter of the method as limit=VALUE"
            ),
            (
                "call a.b.get --text it's",
                #"call has no option --text; write a parameter of the method as 'text=it'\''s'"#
            ),
            ("call a.b.get --dry-rn", "Unknown option '--dry-rn'. Did you mean '--dry-run'?"),
            ("accounts --limit 5", "Unknown option '--limit'"),
        ])
    func parameter(line: String, message: String) {
        let error = #expect(throws: (any Error).self) { _ = try parsed(line) }
        #expect(error.map { ($0 as? Failure)?.message ?? BskyAuth.message(for: $0) } == message)
    }

    @Test("is known for a word of other programs, and this is a command line that is parsed")
    func familiarWords() throws {
        for word in [
            "status", "ls", "list", "me", "auth", "use", "config", "post", "get", "upload", "export",
        ] {
            let command = try #require(FamiliarWord.command(for: word))
            let words = command.split(separator: " ").map(String.init)
            let named = NamedCommand(words)
            #expect(named.type != BskyAuth.self && named.unknownWord == nil, "\(command)")
        }
    }

    @Test(
        "has no password in its error",
        arguments: [
            "login alice.test --app-password abcd-efgh-ijkl-mnop", "login alice.test abcd-efgh-ijkl-mnop",
            "login alice.test --app-password=abcd-efgh-ijkl-mnop", "login a.test --app-password hunter2",
        ])
    func password(line: String) {
        let failure = #expect(throws: Failure.self) { _ = try parsed(line) }
        #expect(failure?.code == "password_in_arguments")
    }

    @Test(
        "names no second account and no second path",
        arguments: [
            "call a.b.c -a x -a y", "call a.b.c -a x --account=x", "-a x accounts -qa y",
            "-a x switch y -a x", "accounts -a=x -a=y",
            "call a.b.c --get .a --get=.b", "exec -a x -a y -- -a", "accounts --get .a --get .a",
        ])
    func twice(line: String) {
        let failure = #expect(throws: Failure.self) { _ = try parsed(line) }
        #expect(failure?.status == .usage && failure?.message.contains("is given twice") == true)
    }

    @Test(
        "keeps the last value of other options",
        arguments: [
            "call a.b.c --host https://a.b --host https://c.d", "exec -a x -- tool -a y --get z --get q",
        ])
    func last(line: String) throws {
        if let call = try parsed(line) as? CallCommand { #expect(call.host == "https://c.d") }
    }

    @Test("takes a value that begins with a dash for no option", arguments: ["-xyza", "--get"])
    func dashedValue(value: String) throws {
        let line = "call a.b.c --cursor \(value) -a x --paginate --get .b"
        let call = try #require(try parsed(line) as? CallCommand)
        #expect(call.global.account == "x" && call.paging.cursor == value)
    }

    @Test(
        "is the one whose help the next step shows",
        arguments: [
            ("login --nope", "bskyauth help login"), ("-q accounts show", "bskyauth help accounts show"),
            ("accounts nope", "bskyauth help accounts"), ("xrpc", "bskyauth help xrpc"),
            ("nope", "bskyauth help"), ("--json", "bskyauth help"), ("help nope", "bskyauth help"),
        ])
    func help(line: String, command: String) throws {
        #expect(NamedCommand(line.split(separator: " ").map(String.init)).help == command)
    }

    @Test(
        "a file with the @ of curl is answered without it",
        arguments: [
            ("call a.b.c --input @photo.png", "--input photo.png"),
            ("call a.b.c record:=@x.json", "--file record:=x.json"),
            ("call a.b.c --file a=@no.txt", "--file NAME=no.txt"),
            ("call com.atproto.repo.uploadBlob @photo.png", "--input photo.png"),
        ])
    func at(line: String, hint: String) throws {
        let words = line.split(separator: " ").map(String.init)
        let call = try #require(try NamedCommand.parse(words) as? CallCommand)
        let failure = #expect(throws: Failure.self) { _ = try call.request(owner: nil) }
        #expect(failure?.hint?.hasSuffix(hint) == true, "\(String(describing: failure))")
    }

    @Test(
        "a word of another program is answered with the help of the command",
        arguments: [
            ("pin bot", "bskyauth help accounts pin"), ("list", "bskyauth help accounts"),
            ("rm x", "bskyauth help logout"), ("upload", "bskyauth help com.atproto.repo.uploadBlob"),
            ("version", "bskyauth --version"), ("config", "bskyauth help environment"),
        ])
    func familiar(line: String, hint: String) {
        let words = line.split(separator: " ").map(String.init)
        let failure = #expect(throws: Failure.self) { _ = try NamedCommand.parse(words) }
        #expect(failure?.hint == hint && failure?.message.contains("did you mean") == true)
    }

    @Test(
        "is a group, whose help is given",
        arguments: [("vault", BskyAuth.helpMessage(for: VaultCommand.self)), ("", BskyAuth.helpMessage())])
    func group(line: String, help: String) {
        let error = #expect(throws: (any Error).self) { _ = try parsed(line) }
        #expect(error.map { BskyAuth.exitCode(for: $0) } == .success)
        #expect(error.map { BskyAuth.fullMessage(for: $0) } == help)
    }

    @Test("has every option of all commands in each of them", .covers("G8")) func everywhere() {
        func leaves(_ command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
            let subcommands = command.configuration.subcommands
            return subcommands.isEmpty ? [command] : subcommands.flatMap(leaves)
        }
        let commands = leaves(BskyAuth.self)
        #expect(commands.count >= 20)
        for command in commands { #expect(command is any ContextCommand.Type, "\(command)") }
    }
}
