import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Glibc
import Testing

extension EndToEnd {
    @Suite("Remembering the vault")
    struct VaultRememberTests {
        private static let key = ["BSKYAUTH_PASSPHRASE": "old horse"]

        /// A vault of one account that a passphrase opens.
        private func home() async throws -> Home {
            let home = try Home(try Sandbox(), key: [:])
            try await home.logIn("alice.test", environment: Self.key)
            return home
        }

        private func remember(_ home: Home, in session: [String: String]) async throws -> Program.Result {
            try await home.run("vault", "remember", "--json", environment: session.merging(Self.key) { $1 })
        }

        private func id(of home: Home) async throws -> String {
            try #require(try await home.succeed("vault", "status", "--json").json?["id"] as? String)
        }

        private func keys(of home: Home) async throws -> [String] {
            let slots = try await home.succeed("vault", "status", "--json").json?["slots"] as? [[String: Any]]
            return try #require(slots).compactMap { $0["label"] as? String }
        }

        @Test(
            "the keyring of the desktop opens a vault that it remembers, until it forgets it", .covers("B21"))
        func remembered() async throws {
            let home = try await home()
            let session = try await DesktopSession(home)
            for _ in 1...2 {
                let remembered = try await remember(home, in: session.environment)
                #expect(remembered.status == 0, "\(remembered.errors)")
                #expect(remembered.json?["change"] as? String == "remembered")
            }
            #expect(try await keys(of: home) == ["passphrase", "desktop keyring"])
            try await home.succeed("accounts", environment: session.environment)
            let status = try await home.succeed("vault", "status", "--json", environment: session.environment)
            #expect(status.json?["unlocked_by"] as? String == "desktop-keyring")
            let shown = try await home.succeed("vault", "status", environment: session.environment)
            #expect(shown.text.contains("remembered by the keyring of your desktop session"))
            try await home.succeed("vault", "verify", environment: session.environment)

            let forgotten = try await home.succeed(
                "vault", "forget", "--json", environment: session.environment)
            #expect(forgotten.json?["was_remembered"] as? Bool == true)
            #expect(forgotten.json?["erased"] as? Bool == true)
            let locked = try await home.run("accounts", "--json", environment: session.environment)
            #expect(locked.status == 5 && locked.errorLine?.code == "vault_locked")
            #expect(try await keys(of: home) == ["passphrase"])
            let again = try await home.succeed("vault", "forget", "--json", environment: session.environment)
            #expect(again.json?["was_remembered"] as? Bool == false)
            #expect(again.json?["erased"] as? Bool == false)
        }

        @Test("its secret is in no argument and no environment of any process", .covers("B21"))
        func hidden() async throws {
            let home = try await home()
            let session = try await DesktopSession(home)
            let log = home.directory.appending(path: "log").path
            let environment = home.environment.merging(session.environment) { $1 }
            func trace(_ arguments: String..., key: [String: String] = [:]) async throws -> String {
                let result = try await Program.run(
                    "/usr/bin/strace",
                    ["-f", "-qq", "-v", "-s", "100000", "-e", "trace=execve", "-o", log, Paths.program]
                        + arguments,
                    environment: environment.merging(key) { $1 }, directory: home.directory)
                #expect(result.status == 0, "\(result.errors)")
                let calls = try String(contentsOfFile: log, encoding: .utf8)
                // The first call is that of the program itself, which gets the passphrase.
                return calls.split(separator: "\n").dropFirst().joined(separator: "\n")
            }
            var calls = try await trace("vault", "remember", key: Self.key)
            let secret = try await session.secretTool("lookup", vault: try await id(of: home)).text
            #expect(secret.count == 43)
            calls += try await trace("accounts")
            calls += try await trace("vault", "forget")
            for verb in ["store", "lookup", "clear"] { #expect(calls.contains(#""\#(verb)""#), "\(calls)") }
            #expect(!calls.contains(secret) && !calls.contains("old horse"))
            #expect(try !home.vaultContent().values.contains { $0.range(of: Data(secret.utf8)) != nil })
        }

        @Test("a secret that does not open the vault is as none, and the user is asked")
        func stale() async throws {
            let home = try await home()
            let session = try await DesktopSession(home)
            #expect(try await remember(home, in: session.environment).status == 0)
            let vault = try await id(of: home)
            for wrong in [String(repeating: "A", count: 43), "not a key", String(repeating: "A", count: 99)] {
                let stored = try await session.secretTool("store", "--label=x", vault: vault, input: wrong)
                #expect(stored.status == 0, "\(stored.errors)")
                let locked = try await home.run("accounts", "-v", environment: session.environment)
                #expect(
                    locked.status == 5 && locked.errors.contains("the desktop keyring "), "\(locked.errors)")
                #expect(!locked.errors.contains(wrong))
            }
            let asked = try await home.runAtTerminal(
                "accounts", steps: [.typeHidden("old horse", at: "Passphrase of the vault: ")],
                environment: session.environment)
            #expect(asked.status == 0 && asked.screen.contains("alice.test"), "\(asked.screen)")
        }

        @Test("it opens nothing for a command that changes keys, and these say what it still opens")
        func changes() async throws {
            let home = try await home()
            let session = try await DesktopSession(home)
            #expect(try await remember(home, in: session.environment).status == 0)
            let file = home.directory.appending(path: "new")
            try Data("old horse\n".utf8).write(to: file)
            let passwd = ["vault", "passwd", "--new-passphrase-file", file.path]
            for command in [passwd, ["vault", "remember"], ["vault", "remove-key", "passphrase"]] {
                let locked = try await home.run(command + ["--json"], environment: session.environment)
                #expect(locked.status == 5 && locked.errorLine?.code == "vault_locked", "\(locked.errors)")
            }
            let named = session.environment.merging(Self.key) { $1 }
            let still = "the desktop keyring still opens the vault"
            let changed = try await home.run(passwd, environment: named)
            #expect(changed.status == 0 && changed.errors.contains(still), "\(changed.errors)")
            let last = try await home.run("vault", "remove-key", "passphrase", "--json", environment: named)
            #expect(last.status == 64 && last.errorLine?.code == "last_key", "\(last.errors)")
            try await home.succeed("accounts", environment: session.environment)
            let rekeyed = try await home.run("vault", "rekey", "--yes", environment: named)
            #expect(rekeyed.status == 0, "\(rekeyed.errors)")
            #expect(rekeyed.errors.contains("the desktop keyring no longer opens the vault"))
            #expect(try await home.run("accounts", environment: session.environment).status == 5)
            #expect(try await remember(home, in: session.environment).status == 0)
            try await home.succeed("accounts", environment: session.environment)
            let removed = try await home.run("vault", "remove-key", "desktop keyring", environment: named)
            #expect(
                removed.status == 0 && removed.errors.contains("bskyauth vault forget"), "\(removed.errors)")
            #expect(try await home.run("accounts", environment: session.environment).status == 5)
            let forgotten = try await home.succeed(
                "vault", "forget", "--json", environment: session.environment)
            #expect(forgotten.json?["was_remembered"] as? Bool == false)
            #expect(forgotten.json?["erased"] as? Bool == true)
        }

        // MARK: Stand-ins for secret-tool

        /// The environment of a session with a stand-in for secret-tool, a shell script.
        private func standIn(_ home: Home, _ script: String) throws -> [String: String] {
            let tool = try home.folder("bin").appending(path: "secret-tool")
            try Data("#!/bin/sh\n\(script)\n".utf8).write(to: tool)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: tool.path)
            return [
                "PATH": "\(home.directory.path)/bin:/usr/bin:/bin",
                "DBUS_SESSION_BUS_ADDRESS": "unix:path=/none",
                "BSKYAUTH_NO_INPUT": "0",
            ]
        }

        /// Keeps one secret in a file, and gives it with a line break at its end. After this, only `lookup` goes on.
        private static let store = #"""
            kept="$HOME/kept"; case "$1" in
            store) cat >"$kept"; exit;; clear) rm -f "$kept"; exit;; lookup) [ -e "$kept" ] && cat "$kept" && echo;; esac
            """#

        @Test("a secret may come back with a line break at its end, and what does not come back is not kept")
        func readBack() async throws {
            let home = try await home()
            let before = try home.vaultContent()
            for lookup in ["exit 1", "echo; exit 0", "cat $HOME/kept; echo; echo"] {
                let session = try standIn(home, "[ $1 = lookup ] && { \(lookup); exit; }\n\(Self.store)")
                let result = try await remember(home, in: session)
                #expect(result.status == 1 && result.errorLine?.code == "keyring_failed", "\(result.errors)")
                #expect(
                    result.errors.contains("waiting for the keyring of your desktop session, at most 2 min"))
                #expect(try home.vaultContent() == before)
                // Nothing stays in the keyring either.
                #expect(!FileManager.default.fileExists(atPath: home.directory.appending(path: "kept").path))
            }
            let session = try standIn(home, Self.store)
            #expect(try await remember(home, in: session).status == 0)
            try await home.succeed("accounts", environment: session)
        }

        @Test("a keyring that never answers is left after a while, and its program is ended")
        func hanging() async throws {
            let home = try await home()
            let pids = home.directory.appending(path: "pids")
            let session = try standIn(
                home,
                #"\#(Self.store); [ -e \#(pids.path) ] || exit 0; echo $$ >>\#(pids.path); exec sleep 100000"#
            )
            #expect(try await remember(home, in: session).status == 0)
            try Data().write(to: pids)
            let start = ContinuousClock.now
            #expect(try await home.run("accounts", environment: session).status == 5)
            #expect(start.duration(to: .now) < .seconds(60))
            let text = try String(contentsOf: pids, encoding: .utf8)
            let pid = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
            #expect(kill(pid, 0) == -1 && errno == ESRCH)
        }

        @Test(
            "the keyring is asked only if the vault has a key there, no key is named and questions are allowed"
        )
        func unasked() async throws {
            let home = try await home()
            let asked = home.directory.appending(path: "asked").path
            let session = try standIn(home, #"\#(Self.store); echo >\#(asked)"#)
            func isAsked(_ more: [String: String] = [:], _ arguments: String...) async throws -> Bool {
                _ = try await home.run(["accounts"] + arguments, environment: session.merging(more) { $1 })
                defer { try? FileManager.default.removeItem(atPath: asked) }
                return FileManager.default.fileExists(atPath: asked)
            }
            #expect(try await !isAsked())
            #expect(try await remember(home, in: session).status == 0)
            try FileManager.default.removeItem(atPath: asked)
            #expect(try await isAsked())
            for more in [
                Self.key, ["BSKYAUTH_KEY_FILE": "/nonexistent/key"], ["BSKYAUTH_NO_INPUT": "1"],
                ["CI": "true"],
                ["DBUS_SESSION_BUS_ADDRESS": ""],
            ] {
                #expect(try await !isAsked(more), "\(more)")
            }
            #expect(try await !isAsked([:], "--no-input"))
            #expect(try await !isAsked([:], "--passphrase-file", "/nonexistent/passphrase"))
        }

        @Test("without a keyring that is said with another way, and nothing is changed")
        func missing() async throws {
            let home = try await home()
            let before = try home.vaultContent()
            let failing = try standIn(home, "exit 1")
            for (more, code) in [
                (["PATH": "/nonexistent"], "no_secret_tool"),
                (["DBUS_SESSION_BUS_ADDRESS": ""], "no_session_bus"),
                ([:], "keyring_failed"),
            ] {
                let result = try await remember(home, in: failing.merging(more) { $1 })
                #expect(result.status == 1 && result.errorLine?.code == code, "\(result.errors)")
                #expect(result.errorLine?.hint?.contains("BSKYAUTH_PASSPHRASE_COMMAND='pass show") == true)
            }
            #expect(try home.vaultContent() == before)
        }
    }
}
