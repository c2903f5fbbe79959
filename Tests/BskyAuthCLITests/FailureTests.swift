import ATPJSON
import ArgumentParser
import BskyAuthCovers
import Testing

@testable import BskyAuthCLI

@Suite("Failure") struct FailureTests {
    private let keys = [
        "code", "message", "hint", "exit", "retryable", "account", "http", "server_error",
        "retry_at", "cursor",
    ]

    @Test("as JSON has every key, absent ones null", .covers("C14")) func sparse() throws {
        let json = try #require(Failure(.network, "timed_out", "no answer").json["error"]?.object)
        #expect(json.members.map(\.name) == keys)
        for name in ["hint", "account", "http", "server_error", "retry_at", "cursor"] {
            #expect(json[name] == .null, "\(name)")
        }
        #expect(json["exit"] == 12 && json["retryable"] == true)
    }

    @Test("as JSON says what is known, on one line") func whole() throws {
        let failure = Failure(
            .rateLimited, "rate_limited", "slow\ndown \"please\"", hint: "wait",
            account: "@alice.example.com",
            http: 429, serverError: "RateLimitExceeded", retryAt: "2026-11-20T22:03:51Z")
        #expect(
            failure.json.text
                == #"{"error":{"code":"rate_limited","message":"slow\ndown \"please\"","hint":"wait","exit":9,"#
                + #""retryable":true,"account":"@alice.example.com","http":429,"#
                + #""server_error":"RateLimitExceeded","#
                + #""retry_at":"2026-11-20T22:03:51Z","cursor":null}}"#)
    }

    @Test(
        "leads to the vault of the command line",
        arguments: [
            ("bskyauth login HANDLE", "bskyauth --home '/a b' --key-file k login HANDLE"),
            (
                "log in again:  bskyauth login a.test; then: bskyauth refresh",
                "log in again:  bskyauth --home '/a b' --key-file k login a.test; then: "
                    + "bskyauth --home '/a b' --key-file k refresh"
            ),
            ("bskyauth vault init --key-file FILE", "bskyauth --home '/a b' vault init --key-file FILE"),
            ("bskyauth accounts --home /c", "bskyauth --key-file k accounts --home /c"),
            ("bskyauth help login", nil), ("cp my.bskyauth there", nil),
            ("on the machine that has it:  bskyauth vault share", nil),
            (
                "if you don't:  bskyauth login a.test --label 'it'\\''s a bskyauth bot'; bskyauth refresh",
                "if you don't:  bskyauth --home '/a b' --key-file k login a.test --label 'it'\\''s a bskyauth bot'; "
                    + "bskyauth --home '/a b' --key-file k refresh"
            ),
            (
                "bskyauth login a.test --label 'my bskyauth bot'",
                "bskyauth --home '/a b' --key-file k login a.test --label 'my bskyauth bot'"
            ),
        ] as [(String, String?)])
    func vault(hint: String, expected: String?) throws {
        let command = try NamedCommand.parse(["accounts", "--home", "/a b", "--key-file", "k"])
        let failure = Failure(.usage, "usage", "message", hint: hint)
        #expect(failure.repeating(command.global.vaultOptions).hint == expected ?? hint)
        #expect(failure.repeating(VaultOptions()).hint == hint)
        // The command of such a hint is one.
        let words = ["--home", "/a b", "--key-file", "k", "refresh"]
        #expect(try NamedCommand.parse(words) is RefreshCommand)
    }

    @Test("names no key again that did not open the vault, and no descriptor") func wrongKey() throws {
        let command = try NamedCommand.parse(["accounts", "--home", "/a", "--passphrase-file", "p"])
        let failure = Failure(.vaultLocked, "wrong_passphrase", "message", hint: "bskyauth vault unlock")
        #expect(
            failure.repeating(command.global.vaultOptions).hint == "bskyauth --home /a vault unlock")
        for file in ["-", "/dev/fd/63"] {
            let line = ["accounts", "--passphrase-file", file]
            #expect(try NamedCommand.parse(line).global.vaultOptions.key == [])
        }
    }

    @Test(
        "may be tried again unchanged only where time helps",
        arguments: [
            (ExitStatus.failure, 1, false), (.declined, 2, false), (.loginNeeded, 4, false),
            (.vaultLocked, 5, false),
            (.unknownAccount, 6, false), (.vaultDamaged, 7, false), (.scopeMissing, 8, false),
            (.rateLimited, 9, true), (.refused, 10, false), (.serverError, 11, true), (.network, 12, true),
            (.verificationFailed, 13, false), (.usage, 64, false), (.busy, 75, true),
            (.programNotStarted, 126, false), (.programNotFound, 127, false),
            (.interrupted, 130, false),
            (.terminated, 143, false),
        ])
    func retryable(status: ExitStatus, code: Int32, expected: Bool) {
        #expect(status.rawValue == code && status.isRetryable == expected)
    }

    @Test("told once, it keeps its status") func told() {
        let failure = Failure.usage("no")
        #expect(!failure.isReported && failure.told.isReported && failure.told.status == .usage)
    }
}

@Suite("The command line") struct CommandLineTests {
    @Test("is read into commands") func commands() throws {
        let call = try #require(
            try BskyAuth.parseAsRoot([
                "call", "a.b.c", "x=1", "y==2", "-X", "procedure", "-a", "work", "--json",
            ])
                as? CallCommand)
        #expect(call.items == ["x=1", "y==2"] && call.method == .procedure)
        #expect(call.global.account == "work" && call.global.json)
        let login = try #require(
            try BskyAuth.parseAsRoot([
                "login", "alice.example.com", "--scope", "atproto", "--scope", "blob:*/*", "--port",
                "8400-8410",
                "--timeout", "5m", "--switch",
            ]) as? LoginCommand)
        #expect(login.scope == ["atproto", "blob:*/*"] && login.port?.ports == 8400...8410)
        #expect(login.timeout.seconds == 300 && login.makesActive)
        for time in ["1s", "10m"] { _ = try BskyAuth.parseAsRoot(["login", "--timeout", time]) }
        #expect(try BskyAuth.parseAsRoot(["xrpc", "a.b.c"]) is CallCommand)
        #expect(try BskyAuth.parseAsRoot(["accounts"]) is AccountsListCommand)
        #expect((try BskyAuth.parseAsRoot(["switch", "-"]) as? SwitchCommand)?.selector == "-")
        #expect(
            (try BskyAuth.parseAsRoot(["refresh", "--min-ttl", "30m"]) as? RefreshCommand)?.minTtl?.seconds
                == 1800)
    }

    @Test(
        "is refused where it says nothing",
        arguments: [
            ["call"], ["login", "--port", "0"], ["login", "--timeout", "soon"], ["frobnicate"],
            ["login", "--nope"], ["login", "--timeout", "0"], ["login", "--timeout", "601"],
            ["login", "a.test", "--timeout", "11m"], ["login", "--timeout", "1d"],
            ["call", "a.b.c", "-X", "get"], ["switch", "a", "b"],
        ])
    func refused(arguments: [String]) {
        let error = #expect(throws: (any Error).self) { try BskyAuth.parseAsRoot(arguments) }
        if let error { #expect(BskyAuth.exitCode(for: error) != .success) }
    }
}
