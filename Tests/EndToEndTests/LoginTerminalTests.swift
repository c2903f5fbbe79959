import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    @Suite("A login and what it asks")
    struct LoginTerminalTests {
        @Test("a misspelt account costs no passphrase, no vault and no key file", .covers("K3"))
        func misspelt() async throws {
            let sandbox = try Sandbox()
            let asked = try await Home(sandbox, key: [:]).runAtTerminal("login", "nosuch.test", steps: [])
            #expect(asked.status == 6 && asked.screen.contains("nosuch.test does not exist"))
            #expect(!asked.screen.contains("New passphrase"))
            let home = try Home(sandbox)
            #expect(try await home.run("login", "nosuch.test").status == 6)
            #expect(try await home.run("login", "nosuch.test", "--app-password").status == 6)
            #expect(try home.vaultContent().isEmpty)
            let key = try #require(home.environment["BSKYAUTH_KEY_FILE"])
            #expect(!FileManager.default.fileExists(atPath: key))
            try await home.logIn("alice.test")
            let protected = try Home(sandbox, key: [:])
            try await protected.logIn("alice.test", environment: ["BSKYAUTH_PASSPHRASE": "right one"])
            let second = try await protected.runAtTerminal("login", "nosuch.test", steps: [])
            #expect(
                second.status == 6 && !second.screen.contains("Passphrase of the vault: "), "\(second.screen)"
            )
        }

        @Test("the first login names the vault and the key file that it makes")
        func namedKeyFile() async throws {
            let home = try Home(try Sandbox(["--auto-approve"]))
            let login = try await home.run(
                "login", "alice.test", environment: ["BSKYAUTH_BROWSER": "curl -sSL -o /dev/null"])
            let key = try #require(home.environment["BSKYAUTH_KEY_FILE"])
            #expect(login.status == 0 && login.errors.contains("created its key file \(key);"))
        }

        @Test("what may be the main password is sent only after a question, and from a pipe with a warning")
        func mainPassword() async throws {
            let password = "correct horse battery"
            let sandbox = try Sandbox()
            let home = try Home(sandbox)
            let login = ["login", "alice.test", "--app-password"]
            func answer(_ text: String) async throws -> TerminalResult {
                try await home.runAtTerminal(
                    Paths.program, login,
                    steps: [.typeHidden(password, at: "App password: "), .type(text, at: "[y/N] ")])
            }
            let declined = try await answer("n")
            #expect(declined.status == 2, "\(declined.screen)")
            func sent() async throws -> Int {
                try await sandbox.requests().count { $0.path.hasSuffix("createSession") }
            }
            #expect(try await sent() == 0)
            // The sandbox does not know this password, and says so.
            _ = try await answer("y")
            #expect(try await sent() == 1)
            let piped = try await home.run(login, input: Data("\(password)\n".utf8))
            #expect(try await sent() == 2 && piped.errors.contains("warning: this does not look like"))
        }

        @Test("a server that is slow is named after three seconds")
        func slowServer() async throws {
            let home = try Home(try Sandbox())
            try await home.sandbox.setFaults(
                Faults.list([
                    Faults.one(
                        matching: #"{"path":"/xrpc/com.atproto.identity.resolveHandle"}"#, times: 1,
                        Faults.lateness("4s"))
                ]))
            let resolve = try await home.runAtTerminal(
                "resolve", "alice.test", steps: [], environment: ["TERM": "xterm"])
            #expect(
                resolve.status == 0 && resolve.screen.contains("waiting for 127.0.0.1"), "\(resolve.screen)")
        }
    }
}
