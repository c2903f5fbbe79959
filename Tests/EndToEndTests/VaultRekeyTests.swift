import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Glibc
import Testing

extension EndToEnd {
    @Suite("Changing the key of the vault")
    struct VaultRekeyTests {
        private static let passphrase = ["BSKYAUTH_KEY_FILE": "", "BSKYAUTH_PASSPHRASE": "warhorse"]

        /// A vault that opens with the home's key file and a passphrase, and has an account.
        private func home(_ sandbox: Sandbox, logsIn handles: String...) async throws -> Home {
            let home = try Home(sandbox)
            for handle in handles { try await home.logIn(handle) }
            let file = home.directory.appending(path: "passphrase")
            try Data("warhorse\n".utf8).write(to: file)
            try await home.succeed("vault", "add-key", "--label", "mine", "--new-passphrase-file", file.path)
            return home
        }

        @Test("the keys that are given open it, another does not, and an old vault.json opens nothing")
        func keys() async throws {
            let home = try await home(try Sandbox(), logsIn: "alice.test", "bob.test")
            let header = home.vault.appending(path: "vault.json")
            let before = try Data(contentsOf: header)
            let file = home.directory.appending(path: "passphrase").path
            let kept = try await home.succeed("vault", "rekey", "--keep-passphrase-file", file, "--json")
            #expect(kept.json?["keys"] as? [String] == ["key-file", "mine"])
            #expect(kept.json?["removed_keys"] as? [String] == [])
            #expect(kept.json?["accounts"] as? Int == 2)
            try await home.succeed("call", "com.atproto.server.getSession", "-a", "alice.test")
            try await home.succeed("refresh", "--force", "bob.test", environment: Self.passphrase)
            try await home.succeed("vault", "verify")
            #expect(try await home.succeed("vault", "status", "--json").json?["rekeying"] as? Bool == false)
            let after = try Data(contentsOf: header)
            try before.write(to: header)
            let old = try await home.run("call", "com.atproto.server.getSession", "--json")
            #expect(old.status == 7 && old.errorLine?.code == "damaged", "\(old.errors)")
            try after.write(to: header)

            let dropped = try await home.succeed("vault", "rekey", "--yes", "--json")
            #expect(dropped.json?["removed_keys"] as? [String] == ["mine"])
            let refused = try await home.run("accounts", "--json", environment: Self.passphrase)
            #expect(refused.status == 5 && refused.errorLine?.code == "no_such_slot", "\(refused.errors)")
            try await home.succeed("call", "com.atproto.server.getSession", "-a", "alice.test")
        }

        @Test("the keys that were removed are named, and that it locks the vault")
        func said() async throws {
            let home = try await home(try Sandbox(), logsIn: "alice.test")
            if VaultUnlockTests.isPossible { try await home.succeed("vault", "unlock") }
            let rekeyed = try await home.succeed("vault", "rekey", "--yes")
            #expect(rekeyed.errors.contains("removed keys, which no longer open the vault: mine\n"))
            #expect(rekeyed.errors.contains("this ended vault unlock") == VaultUnlockTests.isPossible)
            let again = try await home.succeed("vault", "rekey", "--yes")
            #expect(!again.errors.contains("removed") && !again.errors.contains("vault unlock"))
        }

        @Test("where there is no vault that is said, with a key and without one")
        func noVault() async throws {
            let home = try Home(try Sandbox(), key: [:])
            for key in [[:], ["BSKYAUTH_PASSPHRASE": "warhorse"]] {
                let none = try await home.run("vault", "rekey", "--json", environment: key)
                #expect(none.status == 4 && none.errorLine?.code == "no_vault", "\(none.errors)")
            }
        }

        @Test("no key is left behind unasked, and none that opens nothing is taken")
        func asked() async throws {
            let home = try await home(try Sandbox(), logsIn: "alice.test")
            let before = try home.vaultContent()
            let unasked = try await home.run("vault", "rekey", "--json")
            #expect(unasked.status == 64 && unasked.errorLine?.message.contains("mine") == true)
            let declined = try await home.runAtTerminal(
                "vault", "rekey", steps: [.type("n", at: "Remove the keys mine from the vault? [y/N] ")])
            #expect(declined.status == 2, "\(declined.screen)")
            let file = home.directory.appending(path: "wrong")
            try Data("another\n".utf8).write(to: file)
            let wrong = try await home.run("vault", "rekey", "--keep-passphrase-file", file.path, "--json")
            #expect(wrong.status == 5 && wrong.errorLine?.code == "wrong_passphrase")
            #expect(try home.vaultContent() == before)
        }

        private static let waiting =
            "another process uses the session of @alice.test; waiting up to 1 s for it\n"

        @Test("an account in use is left for the next rekey, and everything works meanwhile")
        func resumed() async throws {
            let home = try await home(try Sandbox(), logsIn: "alice.test", "bob.test")
            let alice = try #require(try await home.accounts().first { $0.handle == "alice.test" })
            let lock = unsafe open(
                home.vault.appending(path: "locks/\(alice.id).lock").path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600
            )
            #expect(flock(lock, LOCK_EX) == 0)
            // The same words for every command that waits.
            let bundle = home.directory.appending(path: "x.bundle").path
            for command in [
                ["accounts", "rename", "alice.test", "other"], ["logout", "alice.test"],
                ["logout", "--local-only", "alice.test"],
                [
                    "accounts", "export", "alice.test", "--to", bundle, "--recipient-key",
                    try home.recipientKey(),
                ],
            ] {
                let waiting = try await home.run(command + ["--lock-timeout", "2s"])
                #expect(waiting.status == 75 && waiting.errors.contains(Self.waiting), "\(waiting.errors)")
            }
            let busy = try await home.run("vault", "rekey", "--yes", "--lock-timeout", "2s", "--json")
            #expect(busy.errors.contains(Self.waiting), "\(busy.errors)")
            #expect(busy.status == 75 && busy.errorLine?.hint == "bskyauth vault rekey", "\(busy.errors)")
            #expect(busy.errorLine?.account == alice.id)
            #expect(try await home.succeed("vault", "status", "--json").json?["rekeying"] as? Bool == true)
            for handle in ["alice.test", "bob.test"] {
                try await home.succeed("call", "com.atproto.server.getSession", "-a", handle)
            }
            try await home.succeed("refresh", "--force", "bob.test")
            try await home.succeed("vault", "verify")
            close(lock)
            let keeping = try await home.run("vault", "rekey", "--keep-key-file", "another", "--json")
            #expect(keeping.status == 64, "\(keeping.errors)")
            let resumed = try await home.succeed("vault", "rekey", "--json")
            #expect(resumed.json?["resumed"] as? Bool == true)
            #expect(try await home.succeed("vault", "status", "--json").json?["rekeying"] as? Bool == false)
            for handle in ["alice.test", "bob.test"] {
                try await home.succeed("call", "com.atproto.server.getSession", "-a", handle)
            }
        }

        @Test("a damaged record keeps the key from being changed before anything is")
        func damaged() async throws {
            let home = try await home(try Sandbox(), logsIn: "alice.test")
            let alice = try #require(try await home.accounts().first)
            let file = home.vault.appending(path: "accounts/\(alice.id)/session")
            var bytes = try Data(contentsOf: file)
            bytes[bytes.count - 1] ^= 1
            try bytes.write(to: file)
            let before = try home.vaultContent()
            let refused = try await home.run("vault", "rekey", "--yes", "--json")
            #expect(refused.status == 7 && refused.errorLine?.hint == "bskyauth vault restore")
            #expect(try home.vaultContent() == before)
            try await home.succeed("vault", "restore")
            try await home.succeed("vault", "rekey", "--yes")
            try await home.succeed("call", "com.atproto.server.getSession")
        }

        @Test("calls that refresh at the same moment go through or are told to run again, and none is lost")
        func besideCalls() async throws {
            let handles = (1...4).map { "user\($0).test" }
            let sandbox = try Sandbox(accounts: handles)
            let home = try Home(sandbox)
            try await sandbox.setFaults(Faults.tokenEndsAtOnce)
            for handle in handles { try await home.logIn(handle) }
            try await sandbox.resetJournal()
            let calls = try (0..<16).map { number in
                try home.start(
                    "call", "-a", handles[number % 4], "--lock-timeout", "60s", "--json",
                    "com.atproto.server.getSession")
            }
            let rekeys = try (0..<3).map { _ in
                try home.start("vault", "rekey", "--lock-timeout", "60s", "--json")
            }
            for running in calls + rekeys {
                let result = try await running.result()
                let isBusy = result.status == 75 && result.errorLine?.code == "vault_key_changed"
                #expect(result.status == 0 || isBusy, "\(result.errors)")
            }
            let requests = try await sandbox.requests()
            #expect(!requests.contains { $0.isRefresh && !$0.consumed && !$0.isNonceChallenge })
            #expect(!requests.contains { $0.sessionEnded })
            for handle in handles {
                try await home.succeed("refresh", "--force", handle)
                try await home.succeed("call", "com.atproto.server.getSession", "-a", handle)
            }
            try await home.succeed("vault", "rekey")
            try await home.succeed("vault", "verify")
        }
    }
}
