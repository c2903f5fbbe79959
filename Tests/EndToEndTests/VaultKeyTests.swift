import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    @Suite("Keys of the vault")
    struct VaultKeyTests {
        private static let passphrase = "tr0ub4dor & 3"

        @Test("a passphrase opens the vault from every place it may be kept in")
        func sources() async throws {
            let home = try Home(try Sandbox(), key: [:])
            let file = home.directory.appending(path: "passphrase")
            try Data((Self.passphrase + "\nignored\n").utf8).write(to: file)
            let alice = try await home.logIn(
                "alice.test", environment: ["BSKYAUTH_PASSPHRASE": Self.passphrase])
            for environment in [
                ["BSKYAUTH_PASSPHRASE": Self.passphrase], ["BSKYAUTH_PASSPHRASE_FILE": file.path],
                ["BSKYAUTH_PASSPHRASE_COMMAND": "cat '\(file.path)'"],
            ] {
                let current = try await home.run("accounts", "current", "--json", environment: environment)
                #expect(current.status == 0, "\(current.errors)")
                #expect((current.json?["account"] as? [String: Any])?["id"] as? String == alice.id)
            }
            try await home.succeed("accounts", "--passphrase-file", file.path)
        }

        @Test("a passphrase file that others can read is taken with one warning")
        func openFile() async throws {
            let home = try Home(try Sandbox(), key: [:])
            let file = home.directory.appending(path: "passphrase")
            try Data(Self.passphrase.utf8).write(to: file)
            for (mode, warnings) in [(0o644, 1), (0o600, 0), (0o400, 0), (0o440, 1)] {
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
                let login = try await home.run("login", "alice.test", "--passphrase-file", file.path)
                #expect(login.status == 0, "\(login.errors)")
                let hint = "chmod 600 \(file.path)"
                #expect(login.errors.components(separatedBy: hint).count == warnings + 1, "\(login.errors)")
            }
        }

        @Test("a vault that only a key file opens asks nobody for a passphrase")
        func keyFileOnly() async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test")
            let list = try await home.runAtTerminal(
                "accounts", steps: [], environment: ["BSKYAUTH_KEY_FILE": ""])
            #expect(list.status == 5)
            #expect(!list.screen.contains("Passphrase") && list.screen.contains("bskyauth vault status"))
        }

        @Test("the command line comes before the environment")
        func precedence() async throws {
            let home = try Home(try Sandbox(), key: ["BSKYAUTH_PASSPHRASE": "wrong"])
            let file = home.directory.appending(path: "passphrase")
            try Data(Self.passphrase.utf8).write(to: file)
            try await home.logIn("alice.test", "--passphrase-file", file.path)
            try await home.succeed("accounts", "--passphrase-file", file.path)
            let wrong = try await home.run("accounts", "--json")
            #expect(wrong.status == 5)
            #expect(wrong.output.isEmpty)
            #expect(wrong.errorLine?.retryable == false)
        }

        @Test("two keys on one level are a contradiction")
        func contradiction() async throws {
            let sandbox = try Sandbox()
            let home = try Home(sandbox, key: [:])
            let file = home.directory.appending(path: "passphrase")
            try Data(Self.passphrase.utf8).write(to: file)
            let key = home.directory.appending(path: "key").path
            for environment in [
                ["BSKYAUTH_PASSPHRASE": "a", "BSKYAUTH_PASSPHRASE_FILE": file.path],
                ["BSKYAUTH_KEY_FILE": key, "BSKYAUTH_PASSPHRASE_COMMAND": "cat \(file.path)"],
            ] {
                #expect(try await home.run("login", "alice.test", environment: environment).status == 64)
            }
            let flags = try await home.run(
                "login", "alice.test", "--key-file", key, "--passphrase-file", file.path)
            #expect(flags.status == 64)
            #expect(try home.vaultContent().isEmpty)
            #expect(!FileManager.default.fileExists(atPath: key))
            #expect(try await sandbox.requests().isEmpty)
        }

        @Test("without a key and without anybody to ask a login fails before it asks a server")
        func noKey() async throws {
            let sandbox = try Sandbox()
            let home = try Home(sandbox, key: [:])
            let login = try await home.run("login", "alice.test", "--json")
            #expect(login.status == 5)
            #expect(login.errorLine?.hint?.contains("BSKYAUTH_PASSPHRASE_FILE") == true)
            #expect(try await sandbox.requests().isEmpty)
            let empty = try await home.run("login", "alice.test", environment: ["BSKYAUTH_PASSPHRASE": ""])
            #expect(empty.status == 5)
            let failing = try await home.run(
                "login", "alice.test", environment: ["BSKYAUTH_PASSPHRASE_COMMAND": "false"])
            #expect(failing.status == 5)
            #expect(try home.vaultContent().isEmpty)
        }

        @Test(
            "the browser gets the environment without the passphrase, and no token anywhere",
            .covers("B21", "C9"))
        func browserEnvironment() async throws {
            let home = try Home(try Sandbox(), key: ["BSKYAUTH_PASSPHRASE": Self.passphrase])
            let dump = home.directory.appending(path: "dump.json")
            // The second login replaces a session whose tokens the program has at hand.
            for _ in 1...2 {
                try await home.logIn("alice.test", environment: ["BSKYAUTH_TEST_DUMP": dump.path])
                let text = try String(contentsOf: dump, encoding: .utf8)
                let started = try #require(
                    try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
                var expected = home.environment
                expected["BSKYAUTH_PASSPHRASE"] = nil
                expected["BSKYAUTH_TEST_DUMP"] = dump.path
                var environment = try #require(started["environment"] as? [String: String])
                // A version manager of the test machine's python has its own ideas of these.
                environment = environment.filter { expected[$0.key] != nil || $0.key.hasPrefix("BSKYAUTH") }
                environment["PATH"] = expected["PATH"]
                #expect(environment == expected)
                for secret in [Self.passphrase, "eyJ", "ref-", "tok-", "cod-"] {
                    #expect(!text.contains(secret))
                }
            }
        }

        @Test("standard output holds data and nothing else")
        func dataOnly() async throws {
            let home = try Home(try Sandbox())
            for arguments in [
                ["login", "alice.test"], ["switch", "alice.test"], ["refresh"],
                ["accounts", "rename", "alice.test", "a"],
                ["logout", "a"], ["accounts"],
            ] {
                let result = try await home.run(arguments)
                #expect(result.status == 0, "\(result.errors)")
                #expect(result.output.isEmpty, "\(arguments): \(result.text)")
                let quiet = try await home.run(arguments + ["--quiet"])
                // Where to sign in is said all the same, alone on its line.
                let said = quiet.errors.split(separator: "\n").filter { !$0.hasPrefix("http://127.0.0.1:") }
                if quiet.status == 0 { #expect(said.isEmpty, "\(quiet.errors)") }
            }
            for arguments in [
                ["login", "alice.test", "--json"], ["accounts", "--json"],
                ["logout", "alice.test", "--json"],
            ] {
                let result = try await home.run(arguments)
                #expect(result.json != nil)
                #expect(result.text.filter { $0 == "\n" }.count == 1)
            }
        }
    }
}
