import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

@Suite("Ends a login that nobody finishes", .serialized, .fewAtOnce)
struct LoginWaitTests {
    private static let terminal = [
        Program.python,
        Paths.repository.appending(path: "Tests/EndToEndSupport/controlling_terminal.py").path,
    ]

    @Test("gives up when the browser is closed", .covers("R32"))
    func closedBrowser() async throws {
        let sandbox = try Sandbox()
        let home = try Home(sandbox)
        for reader in Reader.allCases {
            try await home.expect(
                Refusal(75, "login_timed_out", says: "nothing was saved"),
                of: ["login", "alice.test", "--timeout", "1s"], for: reader, browser: "close")
        }
        #expect(try await Journal(sandbox).requests(to: Fault.token).isEmpty)
        #expect(try await home.listing().isEmpty)
    }

    @Test("names the account as it was named in what to do next")
    func nextStep() async throws {
        let home = try Home(try Sandbox())
        let result = try await home.expect(
            Refusal(75, "login_timed_out", says: "nothing was saved"),
            of: ["login", "alice.test", "--label", "ci", "--timeout", "1s"], for: .person,
            browser: "close")
        #expect(
            result.errors.contains("\n  bskyauth login alice.test --label ci\n"), "\(result.errors)")
    }

    @Test(
        "says that the browser can't be started, and waits",
        arguments: ["/nonexistent/browser --new", "'open quote", "/etc/passwd %s"])
    func noBrowser(command: String) async throws {
        let home = try Home(try Sandbox())
        let result = try await home.expect(
            Refusal(75, "login_timed_out", says: "nothing was saved"),
            of: ["login", "alice.test", "--timeout", "1s", "--browser", command], for: .person)
        #expect(result.errors.contains("open the URL"), "\(result.errors)")
        #expect(result.errors.contains("/oauth/authorize?"))
    }

    @Test("says that the browser command failed, and waits")
    func browserFails() async throws {
        let home = try Home(try Sandbox())
        let result = try await home.expect(
            Refusal(75, "login_timed_out", says: "nothing was saved"),
            of: ["login", "alice.test", "--timeout", "2s", "--browser", "sh -c 'exit 3'"], for: .person)
        #expect(
            result.errors.contains("sh failed with exit status 3; if no page opened, open the URL yourself"),
            "\(result.errors)")
    }

    @Test(
        "shows the URL, alone on its line, however quiet it is to be",
        arguments: [["-q"], ["-q", "--json"]])
    func quietURL(flags: [String]) async throws {
        let home = try Home(try Sandbox())
        let result = try await home.attempt(
            ["login", "alice.test", "--no-browser", "--timeout", "1s"] + flags)
        #expect(result.status == 75 && result.output.isEmpty, "\(result.errors)")
        let lines = result.errors.split(separator: "\n")
        let urls = lines.filter { $0.hasPrefix("http") && $0.contains("/oauth/authorize?") }
        #expect(urls.count == 1, "\(result.errors)")
        #expect(!result.errors.contains("sign in at"))
    }

    @Test("takes no pasted URL with another state", arguments: Reader.allCases)
    func pastedState(reader: Reader) async throws {
        let sandbox = try Sandbox()
        let home = try Home(sandbox)
        let pasted = "http://127.0.0.1:1/callback?iss=\(sandbox.address)&state=c2V2ZW50ZWVu&code=cod-00"
        let shown = home.directory.appending(path: "shown")
        try await home.expect(
            Refusal(2, "declined", says: "nothing was saved"),
            of: ["login", "alice.test", "--no-browser"], for: reader,
            inside: Self.terminal + ["paste the URL", pasted, "belongs to another login", "n", "--"],
            environment: ["BSKYAUTH_NO_INPUT": "0", "BSKYAUTH_TEST_TERMINAL": shown.path])
        #expect(try String(contentsOf: shown, encoding: .utf8).contains("paste the URL"))
        #expect(try await Journal(sandbox).requests(to: Fault.token).isEmpty)
    }

    @Test("takes no for an answer", arguments: Reader.allCases)
    func declinedAtThePrompt(reader: Reader) async throws {
        let sandbox = try Sandbox()
        let home = try Home(sandbox)
        try await home.expect(
            Refusal(2, "declined", says: "nothing was saved"), of: ["login", "alice.test", "--no-browser"],
            for: reader, inside: Self.terminal + ["paste the URL", "n", "--"],
            environment: ["BSKYAUTH_NO_INPUT": "0"])
        #expect(try await Journal(sandbox).requests(to: Fault.token).isEmpty)
    }

    @Test(
        "asks for the URL after a browser command was started, because that is no page that was seen",
        arguments: ["true", "sh -c 'exit 1'", "sh -c 'exec sleep 3'"], [false, true])
    func startedBrowser(command: String, overSSH: Bool) async throws {
        let home = try Home(try Sandbox())
        let shown = home.directory.appending(path: "shown")
        try await home.expect(
            Refusal(2, "declined", says: "nothing was saved"),
            of: ["login", "alice.test", "--browser", command], for: .person,
            inside: Self.terminal + ["paste the URL", "n", "--"],
            environment: [
                "BSKYAUTH_NO_INPUT": "0", "BSKYAUTH_TEST_TERMINAL": shown.path,
                "SSH_CONNECTION": overSSH ? "192.0.2.1 50000 192.0.2.2 22" : nil,
            ])
    }

    @Test("gives up on a vault whose passphrase nobody knows after three tries")
    func passphraseAsked() async throws {
        let sandbox = try Sandbox(["--auto-approve"])
        let home = try Home(sandbox, key: ["BSKYAUTH_PASSPHRASE": "correct horse"])
        try await home.signIn()
        let question = "Passphrase of the vault"
        let shown = home.directory.appending(path: "shown")
        let tries = ["wrong one", "wrong two", "wrong three"]
        try await home.expect(
            Refusal(5, "wrong_passphrase", says: "wrong passphrase for the vault"), of: ["accounts"],
            for: .person,
            inside: Self.terminal + tries.flatMap { [question, $0] } + ["--"],
            environment: [
                "BSKYAUTH_NO_INPUT": "0", "BSKYAUTH_PASSPHRASE": nil, "BSKYAUTH_TEST_TERMINAL": shown.path,
            ], secrets: tries)
        let text = try String(contentsOf: shown, encoding: .utf8)
        #expect(tries.allSatisfy { !text.contains($0) }, "echoed: \(text)")
        #expect(text.components(separatedBy: question).count == 4)
    }
}
