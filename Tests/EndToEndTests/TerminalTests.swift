import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Glibc
import Testing

extension EndToEnd {
    @Suite("At a terminal")
    struct TerminalTests {
        private static let first = "New passphrase (at least 8 characters): "
        private static let retry = "New passphrase: "
        private static let again = "Repeat the passphrase: "
        private static let prompt = "Passphrase of the vault: "
        private static let paste = "type n to cancel: "

        @Test("the first login asks for a passphrase twice and shows neither")
        func newPassphrase() async throws {
            let home = try Home(try Sandbox(), key: [:])
            let login = try await home.runAtTerminal(
                "login", "alice.test",
                steps: [
                    .typeHidden("correct horse", at: Self.first),
                    .typeHidden("correct horse", at: Self.again),
                ])
            #expect(login.status == 0, "\(login.screen)")
            #expect(login.echoed == [false, false] && login.echo)
            #expect(!login.screen.contains("horse"))
            let call = try await home.runAtTerminal(
                "call", "com.atproto.server.getSession",
                steps: [.typeHidden("correct horse", at: Self.prompt)])
            #expect(call.status == 0, "\(call.screen)")
            #expect(call.screen.contains("alice.test") && !call.screen.contains("horse"))
        }

        @Test("passphrases that are short or differ are asked for again, and make no vault the third time")
        func correctedPassphrase() async throws {
            let sandbox = try Sandbox()
            let home = try Home(sandbox, key: [:])
            let wrong: [TerminalStep] = [
                .typeHidden("sieben7", at: Self.first), .typeHidden("first horse", at: Self.retry),
                .typeHidden("other horse", at: Self.again),
            ]
            let refused = try await home.runAtTerminal(
                "login", "alice.test", steps: wrong + [.typeHidden("sieben7", at: Self.retry)])
            #expect(refused.status == 5 && refused.stepsLeft == 0 && refused.echo, "\(refused.screen)")
            #expect(try home.vaultContent().isEmpty)
            // The account was looked up first, and the user was not asked to sign in.
            #expect(try await !sandbox.requests().contains { $0.path.hasPrefix("/oauth/") })
            let login = try await home.runAtTerminal(
                "login", "alice.test",
                steps: wrong + [
                    .typeHidden("zwölf Öl", at: Self.retry), .typeHidden("zwölf Öl", at: Self.again),
                ])
            #expect(login.status == 0, "\(login.screen)")
            #expect(login.screen.contains("the two passphrases are different"))
            #expect(login.screen.contains("needs at least 8 characters"))
            #expect(!login.screen.contains("horse") && !login.screen.contains("sieben7"))
        }

        @Test("a new vault takes no short passphrase from anywhere, and one that has it opens as before")
        func shortPassphrase() async throws {
            let home = try Home(try Sandbox(), key: ["BSKYAUTH_PASSPHRASE": "1234567"])
            let refused = try await home.run("login", "alice.test", "--json")
            #expect(refused.status == 5 && refused.errorLine?.code == "short_passphrase", "\(refused.errors)")
            #expect(try home.vaultContent().isEmpty)
        }

        @Test("a wrong passphrase may be corrected, and is refused the third time")
        func wrongPassphrase() async throws {
            let home = try Home(try Sandbox(), key: [:])
            try await home.logIn("alice.test", environment: ["BSKYAUTH_PASSPHRASE": "right one"])
            let refused = try await home.runAtTerminal(
                "accounts",
                steps: (1...3).map { .typeHidden("wrong \($0)", at: Self.prompt) })
            #expect(refused.status == 5, "\(refused.screen)")
            #expect(refused.stepsLeft == 0 && refused.echo)
            #expect(refused.screen.contains("run the same command again"), "\(refused.screen)")
            #expect(!refused.screen.contains("command line"), "\(refused.screen)")
            let corrected = try await home.runAtTerminal(
                "accounts",
                steps: [.typeHidden("wrong", at: Self.prompt), .typeHidden("right one", at: Self.prompt)])
            #expect(corrected.status == 0 && corrected.screen.contains("alice.test"))
        }

        @Test("the URL that the browser ended on finishes a login when it is pasted", .covers("C2"))
        func pastedRedirect() async throws {
            let home = try Home(try Sandbox())
            let login = try await home.runAtTerminal(
                "login", "alice.test", "--no-browser", steps: [.pasteRedirect(at: Self.paste)])
            #expect(login.status == 0, "\(login.screen)")
            try await home.succeed("call", "com.atproto.server.getSession")
        }

        @Test(
            "the URL can be pasted also if a browser command was started that shows no page", .covers("C2"),
            arguments: [["SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22"], ["WSL_DISTRO_NAME": "Debian"], [:]])
        func pastedAfterBrowser(environment: [String: String]) async throws {
            let home = try Home(try Sandbox())
            let login = try await home.runAtTerminal(
                "login", "alice.test", "--browser", "sh -c 'exit 1'",
                steps: [.pasteRedirect(at: Self.paste)], environment: environment)
            #expect(login.status == 0, "\(login.screen)")
            try await home.succeed("call", "com.atproto.server.getSession")
        }

        @Test("the browser finishes a login while the paste prompt waits")
        func browserFirst() async throws {
            let home = try Home(try Sandbox())
            let login = try await home.runAtTerminal(
                "login", "alice.test", steps: [], environment: ["SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22"])
            #expect(login.status == 0 && login.echo, "\(login.screen)")
        }

        @Test("an n at the paste prompt declines and saves nothing", .covers("13.8"))
        func declined() async throws {
            let home = try Home(try Sandbox())
            let login = try await home.runAtTerminal(
                "login", "alice.test", "--no-browser", steps: [.type("n", at: Self.paste)])
            #expect(login.status == 2, "\(login.screen)")
            #expect(try await home.accounts().isEmpty)
        }

        @Test("what is pasted wrongly is asked for again, and finishes no login")
        func foreignRedirect() async throws {
            let sandbox = try Sandbox()
            let home = try Home(sandbox)
            let url = "http://127.0.0.1:1/callback?state=AAAA&iss=\(sandbox.address)&code=cod-0"
            let login = try await home.runAtTerminal(
                "login", "alice.test", "--no-browser",
                steps: [
                    .type(url, at: Self.paste), .type("alice.test", at: Self.paste),
                    .pasteRedirect(at: Self.paste),
                ])
            #expect(login.status == 0, "\(login.screen)")
            #expect(login.screen.contains("that URL belongs to another login"), "\(login.screen)")
            #expect(login.screen.contains("that is not the whole URL"), "\(login.screen)")
            #expect(try await sandbox.requests().filter { $0.path == "/oauth/token" }.count == 1)
        }

        @Test("the end of the time is told on a line of its own")
        func timedOut() async throws {
            let home = try Home(try Sandbox())
            let login = try await home.runAtTerminal(
                "login", "alice.test", "--no-browser", "--timeout", "1s", steps: [])
            #expect(login.status == 75, "\(login.screen)")
            let lines = try #require(login.displays.last)
            #expect(lines.contains { $0.hasPrefix("bskyauth: the login was not finished") }, "\(lines)")
        }

        @Test("over SSH the command that forwards the port has the address and the port of the connection")
        func forwarding() async throws {
            let home = try Home(try Sandbox())
            for (port, target) in [("22", " 10.0.0.2"), ("2222", " -p 2222 10.0.0.2")] {
                let login = try await home.runAtTerminal(
                    "login", "alice.test", "--no-browser", steps: [.type("n", at: Self.paste)],
                    environment: ["SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 \(port)"])
                let line = login.screen.split(whereSeparator: \.isNewline).first {
                    $0.hasPrefix("  ssh -N -L ")
                }
                #expect(line?.hasSuffix(target) == true, "\(login.screen)")
            }
        }

        @Test("Ctrl-C while a login waits ends by SIGINT, with no account and the terminal as it was")
        func interruptedLogin() async throws {
            let home = try Home(try Sandbox())
            let login = try await home.runAtTerminal(
                "login", "alice.test", "--no-browser", steps: [.interrupt(at: Self.paste)])
            #expect(login.signal == SIGINT, "\(login.screen)")
            #expect(login.echo)
            #expect(try await home.accounts().isEmpty)
        }

        @Test("Ctrl-C at a passphrase ends by SIGINT and turns the echo on again")
        func interruptedPassphrase() async throws {
            let home = try Home(try Sandbox(), key: [:])
            let login = try await home.runAtTerminal(
                "login", "alice.test", steps: [.interrupt(at: Self.first, hidden: true)])
            #expect(login.signal == SIGINT, "\(login.screen)")
            #expect(login.echoed == [false] && login.echo)
            #expect(try home.vaultContent().isEmpty)
        }

        @Test("Ctrl-Z at a passphrase asks again where nobody could bring the command back")
        func stoppedPassphrase() async throws {
            let home = try Home(try Sandbox(), key: [:])
            let login = try await home.runAtTerminal(
                "login", "alice.test",
                steps: [
                    .press("correct\u{1a}", at: Self.first),
                    .typeHidden("correct horse", at: Self.first),
                    .typeHidden("correct horse", at: Self.again),
                ])
            #expect(login.status == 0, "\(login.screen)")
            #expect(login.echo)
        }

        /// A shell with job control, to which the program is a job.
        private static let jobs = """
            set -m
            "$0" accounts
            stty -a; echo "first: $?"
            fg
            echo "last: $?"
            """

        @Test("Ctrl-Z at a passphrase stops the command, and fg asks again")
        func stoppedJob() async throws {
            let home = try Home(try Sandbox(), key: [:])
            try await home.logIn("alice.test", environment: ["BSKYAUTH_PASSPHRASE": "right one"])
            let shell = try await home.runAtTerminal(
                "/bin/bash", ["-c", Self.jobs, Paths.program],
                steps: [
                    .press("right\u{1a}", at: Self.prompt),
                    .typeHidden("right one", at: Self.prompt),
                ])
            #expect(shell.stepsLeft == 0 && shell.screen.contains("last: 0"), "\(shell.screen)")
            #expect(shell.screen.contains("alice.test") && !shell.screen.contains("right"))
            // What stty says of the terminal while the command is stopped.
            #expect(shell.screen.contains(" echo ") && !shell.screen.contains("-echo "))
            #expect(shell.restored)
        }

        @Test("logging out of everything asks first")
        func logoutAll() async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test")
            let no = try await home.runAtTerminal("logout", "--all", steps: [.type("no", at: "[y/N] ")])
            #expect(no.status == 2)
            #expect(try await home.accounts().count == 1)
            let unasked = try await home.run("logout", "--all")
            #expect(unasked.status == 64)
            let refusal = "log out of @alice.test? to confirm, add --yes\n  bskyauth logout --all --yes\n"
            #expect(unasked.errors.hasSuffix("bskyauth: \(refusal)"), "\(unasked.errors)")
            let yes = try await home.runAtTerminal("logout", "--all", steps: [.type("y", at: "[y/N] ")])
            #expect(yes.status == 0)
            #expect(try await home.accounts().isEmpty)
        }

        @Test("logging out without a name asks whether the active account is meant, also with --yes")
        func logoutUnnamed() async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test")
            let no = try await home.runAtTerminal("logout", "--yes", steps: [.type("n", at: "[y/N] ")])
            #expect(no.status == 2 && no.screen.contains("Log out of @alice.test?"), "\(no.screen)")
            #expect(try await home.accounts().count == 1)
            let yes = try await home.runAtTerminal("logout", steps: [.type("y", at: "[y/N] ")])
            #expect(yes.status == 0)
            #expect(try await home.accounts().isEmpty)
        }

        @Test("what a terminal would obey is escaped in JSON, and keeps other text off it", .covers("X5"))
        func controls() async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test")
            let nsid = "com.atproto.server.getSession"
            for (body, status) in [(#"{\"a\":\"\u009b2J\u007f\"}"#, Int32(0)), (#"a\u009b2J"#, 64)] {
                try await home.sandbox.setFaults(
                    #"[{"match":{"path":"/xrpc/\#(nsid)"},"action":{"raw_body":"\#(body)"}}]"#)
                let call = try await home.runAtTerminal("call", nsid, steps: [])
                #expect(call.status == status, "\(call.screen.debugDescription)")
                #expect(!call.screen.contains("\u{9b}") && !call.screen.contains("\u{7f}"))
                #expect(call.screen.contains(#""a": "\u009b2J\u007f""#) == (status == 0))
            }
        }

        @Test("an answer is indented for a person, and binary is kept off the terminal", .covers("X5"))
        func shown() async throws {
            let home = try Home(try Sandbox())
            let alice = try await home.logIn("alice.test")
            let call = try await home.runAtTerminal("call", "com.atproto.server.getSession", steps: [])
            #expect(call.screen.contains("\r\n  \"handle\": \"alice.test\""))
            let upload = try await home.succeed(
                "call", "com.atproto.repo.uploadBlob", "--input", "-", "--content-type", "image/png",
                input: Data([0x1b, 0x5b, 0x32, 0x4a]))
            let blob = upload.json?["blob"] as? [String: Any]
            let cid = try #require((blob?["ref"] as? [String: Any])?["$link"] as? String)
            let binary = try await home.runAtTerminal(
                "call", "com.atproto.sync.getBlob", "did=\(alice.did)", "cid=\(cid)", steps: [])
            #expect(binary.status == 64)
            #expect(binary.screen.contains("-o FILE") && !binary.screen.contains("\u{1b}[2J"))
        }
    }
}
