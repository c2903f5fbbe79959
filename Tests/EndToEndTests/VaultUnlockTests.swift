import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    @Suite("Unlocking the vault")
    struct VaultUnlockTests {
        private static let prompt = "Passphrase of the vault: "
        private static let key = ["BSKYAUTH_PASSPHRASE": "warhorse"]

        /// Runs the program in a login session of its own, to whose keyring the user's is not linked.
        private static let session = """
            import ctypes, os, sys
            assert ctypes.CDLL(None).syscall(250, 1, None) > 0
            os.execv(sys.argv[1], sys.argv[1:])
            """

        static let isPossible: Bool = {
            // There it is not left out unseen.
            if ProcessInfo.processInfo.environment["CI"] != nil { return true }
            do {
                let keys = try String(contentsOfFile: "/proc/keys", encoding: .utf8)
                let probe = try Program.Server(
                    Program.python,
                    [
                        "-c",
                        "import ctypes; print(ctypes.CDLL(None).syscall(250, 0, -4, 1), flush=True)",
                    ],
                    environment: Program.inheritedEnvironment)
                return !keys.isEmpty && !probe.announcement.hasPrefix("-")
            } catch {
                return false
            }
        }()

        /// Locks a vault whose header is damaged, and puts it right again. In a user namespace, which has a keyring of
        /// its own: every vault of the user is locked.
        private static let lockDamaged = """
            cp "$BSKYAUTH_HOME/vault.json" whole && BSKYAUTH_PASSPHRASE=warhorse "$0" vault unlock -q || exit 90
            "$0" accounts -q >/dev/null || exit 91
            echo >>"$BSKYAUTH_HOME/vault.json"
            "$0" vault lock; [ $? = 7 ] || exit 92
            cp whole "$BSKYAUTH_HOME/vault.json"
            "$0" accounts -q
            """

        @Test(
            "a vault whose header is damaged is locked all the same",
            .enabled(if: isPossible, "the kernel keeps no keys here"))
        func damaged() async throws {
            let home = try Home(try Sandbox(), key: [:])
            try await home.logIn("alice.test", environment: Self.key)
            let result = try await Program.run(
                "/usr/bin/env",
                ["unshare", "--user", "--map-root-user", "sh", "-c", Self.lockDamaged, Paths.program],
                environment: home.environment, directory: home.directory)
            #expect(result.status == 5, "\(result.errors)")
            #expect(result.errors.contains("all your vaults were locked: 1 was unlocked"), "\(result.errors)")
        }

        @Test(
            "a vault whose time is over says so, and a person is told before the passphrase is asked for",
            .enabled(if: isPossible && Later.isPossible, "there are no kernel keys or no faketime here"))
        func timeOver() async throws {
            let home = try Home(try Sandbox(), key: [:])
            try await home.logIn("alice.test", environment: Self.key)
            try await home.succeed("vault", "unlock", "--ttl", "1h", environment: Self.key)
            let later = try await home.run("accounts", "--json", environment: Later.by(seconds: 7300))
            #expect(later.status == 5 && later.errorLine?.code == "vault_locked", "\(later.errors)")
            let words = "the time of vault unlock was over 1 h ago"
            #expect(later.errorLine?.message.contains(words) == true, "\(later.errors)")
            #expect(later.errorLine?.hint == "bskyauth vault unlock")
            let asked = try await home.runAtTerminal(
                "accounts", steps: [.typeHidden("warhorse", at: "bskyauth vault unlock\r\n" + Self.prompt)],
                environment: Later.by(seconds: 7300))
            #expect(asked.status == 0 && asked.screen.contains(words), "\(asked.screen)")
            try await home.succeed("vault", "lock")
            let locked = try await home.run("accounts", "--json", environment: Later.by(seconds: 7300))
            #expect(locked.status == 5 && locked.errorLine?.message.contains(words) == false)
        }

        @Test(
            "whoever types the passphrase a second time is told of vault unlock, once",
            .enabled(if: isPossible, "the kernel keeps no keys here"))
        func told() async throws {
            let home = try Home(try Sandbox(), key: [:])
            try await home.logIn("alice.test", environment: Self.key)
            let words = "to type the passphrase once for a working day: bskyauth vault unlock --ttl 8h"
            func type(_ arguments: String...) async throws -> Bool {
                let result = try await home.runAtTerminal(
                    Paths.program, arguments, steps: [.typeHidden("warhorse", at: Self.prompt)], columns: 120)
                #expect(result.status == 0, "\(result.screen)")
                return result.screen.contains(words)
            }
            #expect(try await type("accounts") == false)
            // It is told only if it is seen.
            #expect(try await type("accounts", "--quiet") == false)
            #expect(try await type("accounts"))
            #expect(try await type("accounts") == false)
            // Another vault of the same user has a count of its own, and whoever knows the command is told nothing.
            let other = try Home(try Sandbox(), key: [:])
            try await other.logIn("bob.test", environment: Self.key)
            try await other.succeed("vault", "unlock", environment: Self.key)
            try await other.succeed("vault", "lock")
            for _ in 1...2 {
                let result = try await other.runAtTerminal(
                    "accounts", steps: [.typeHidden("warhorse", at: Self.prompt)], columns: 120)
                #expect(result.status == 0 && !result.screen.contains(words), "\(result.screen)")
            }
        }

        private static let hasStrace = FileManager.default.isExecutableFile(atPath: "/usr/bin/strace")

        @Test(
            "an unlocked vault opens in every session until it is locked", .covers("B21"),
            .enabled(if: isPossible, "the kernel keeps no keys here"))
        func unlocked() async throws {
            let home = try Home(try Sandbox(), key: [:])
            try await home.logIn("alice.test", environment: Self.key)
            let before = try home.vaultContent()
            let unlock = try await home.runAtTerminal(
                "vault", "unlock", "--ttl", "1h", steps: [.typeHidden("warhorse", at: Self.prompt)])
            #expect(unlock.status == 0 && unlock.screen.contains("unlocked for 1 h"), "\(unlock.screen)")
            #expect(unlock.echoed == [false] && unlock.echo && !unlock.screen.contains("horse"))
            try await home.succeed("call", "com.atproto.server.getSession")
            let status = try await home.succeed("vault", "status", "--json").json
            #expect(status?["state"] as? String == "unlocked")
            #expect(status?["unlocked_by"] as? String == "unlock")
            #expect(status?["unlocked_until"] is String)
            let elsewhere = try await Program.run(
                Program.python, ["-c", Self.session, Paths.program, "accounts", "--json"],
                environment: home.environment, directory: home.directory)
            #expect(elsewhere.status == 0, "\(elsewhere.errors)")
            // Neither on the disk, nor a command line, nor a child's environment: nowhere but in the kernel.
            #expect(try home.vaultContent().keys == before.keys)
            #expect(try home.vaultContent()["vault.json"] == before["vault.json"])

            let locked = try await home.succeed("vault", "lock", "--json").json
            #expect(locked?["was_unlocked"] as? Bool == true)
            let call = try await home.run("call", "com.atproto.server.getSession", "--json")
            #expect(call.status == 5 && call.errorLine?.code == "vault_locked")
            #expect(call.errorLine?.hint?.hasSuffix("bskyauth vault unlock") == true)
            let again = try await home.succeed("vault", "lock", "--json").json
            #expect(again?["was_unlocked"] as? Bool == false)
        }

        @Test(
            "no other vault of the user opens by it",
            .enabled(if: isPossible, "the kernel keeps no keys here"))
        func otherHome() async throws {
            let sandbox = try Sandbox()
            let home = try Home(sandbox, key: [:])
            let other = try Home(sandbox, key: [:])
            try await home.logIn("alice.test", environment: Self.key)
            try await other.logIn("bob.test", environment: Self.key)
            try await home.succeed("vault", "unlock", environment: Self.key)
            #expect(try await other.run("accounts").status == 5)
            #expect(try await other.run("accounts", "--home", home.vault.path).status == 0)
            try await home.succeed("vault", "lock")
        }

        @Test(
            "it takes a key to unlock for longer and to change keys, and changing them locks",
            .enabled(if: isPossible, "the kernel keeps no keys here"))
        func takesAKey() async throws {
            let home = try Home(try Sandbox(), key: [:])
            try await home.logIn("alice.test", environment: Self.key)
            let file = home.directory.appending(path: "new")
            try Data("new horse".utf8).write(to: file)
            try await home.succeed("vault", "unlock", environment: Self.key)
            for arguments in [
                ["unlock", "--ttl", "24h"], ["passwd", "--new-passphrase-file", file.path],
                ["add-key", "--new-passphrase-file", file.path], ["remove-key", "passphrase"],
            ] {
                let result = try await home.run(["vault"] + arguments + ["--json"])
                #expect(result.status == 5 && result.errorLine?.code == "vault_locked", "\(arguments)")
            }
            try await home.succeed("accounts")
            try await home.succeed(
                "vault", "passwd", "--new-passphrase-file", file.path, environment: Self.key)
            #expect(try await home.run("accounts").status == 5)
        }

        @Test(
            "a time that is none, without an end, or over a day is a usage error",
            arguments: ["0", "25h", "x"])
        func times(_ time: String) async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test")
            #expect(try await home.run("vault", "unlock", "--ttl", time).status == 64)
        }

        @Test(
            "where the kernel keeps no keys that is said, nobody is asked in vain, and everything else works",
            .enabled(if: hasStrace, "strace is not there"), arguments: ["EPERM", "ENOSYS"])
        func refused(_ error: String) async throws {
            let home = try Home(try Sandbox(), key: [:])
            try await home.logIn("alice.test", environment: Self.key)
            func run(_ arguments: String..., key: [String: String] = [:]) async throws -> Program.Result {
                try await Program.run(
                    "/usr/bin/strace",
                    [
                        "-f", "-qq", "-o", "/dev/null", "-e", "trace=keyctl,add_key", "-e",
                        "inject=keyctl,add_key:error=\(error)", Paths.program,
                    ] + arguments,
                    environment: home.environment.merging(key) { $1 }, directory: home.directory)
            }
            for command in ["unlock", "lock"] {
                let result = try await run("vault", command, "--json")
                #expect(result.status == 1 && result.errorLine?.code == "keyring_unavailable")
                #expect(result.errorLine?.hint?.contains("vault add-key --new-key-file") == true)
            }
            let locked = try await run("accounts", "--json")
            #expect(locked.status == 5 && locked.errorLine?.code == "vault_locked")
            let call = try await run("call", "com.atproto.server.getSession", key: Self.key)
            #expect(call.status == 0, "\(call.errors)")
            #expect(!call.errors.contains("kernel"))
        }
    }
}
