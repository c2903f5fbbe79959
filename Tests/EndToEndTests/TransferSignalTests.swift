import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    @Suite("Ctrl-C while all accounts are moved")
    struct TransferSignalTests {
        private let sandbox: Sandbox
        private let here: Home
        private let key: String
        private let directory: String

        init() throws {
            sandbox = try Sandbox()
            here = try Home(sandbox)
            key = try here.recipientKey()
            directory = here.directory.appending(path: "my bundles").path
        }

        private func bundles() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
        }

        /// Takes locks of the vault as another process.
        private func lock(_ names: [String]) throws -> [Int32] {
            try names.map {
                let path = here.vault.appending(path: "locks/\($0).lock").path
                let lock = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
                try #require(lock >= 0 && flock(lock, LOCK_EX) == 0)
                return lock
            }
        }

        /// Starts an export that waits for the lock of its first account.
        private func startWaiting(_ format: String = "--no-input") async throws -> Program.Running {
            let running = try here.start(
                "accounts", "export", "--all", "--to", directory, "--recipient-key", key, "--lock-timeout",
                "10m", format)
            let descriptors = "/proc/\(running.processIdentifier)/fd"
            func waits() throws -> Bool {
                try FileManager.default.contentsOfDirectory(atPath: descriptors).contains {
                    let target = try? FileManager.default.destinationOfSymbolicLink(
                        atPath: "\(descriptors)/\($0)")
                    return target.map { $0.contains("/locks/") && !$0.contains("header") } == true
                }
            }
            while try !waits() { try await Task.sleep(for: .milliseconds(5)) }
            return running
        }

        /// Sends Ctrl-C to an export while it moves its first account.
        private func interruptMove(of accounts: [String]) async throws -> Program.Result {
            let locks = try lock(accounts)
            let running = try await startWaiting("--json")
            // The account can't be removed before the header is free.
            let header = try lock(["header"])
            for lock in locks { close(lock) }
            func moves() throws -> Bool {
                for account in accounts {
                    let path = here.vault.appending(path: "locks/\(account).lock").path
                    let probe = unsafe open(path, O_RDWR | O_CLOEXEC)
                    defer { close(probe) }
                    guard flock(probe, LOCK_EX | LOCK_NB) == 0 else { return true }
                }
                return false
            }
            while try !moves() { try await Task.sleep(for: .milliseconds(5)) }
            running.signal(SIGINT)
            for lock in header { close(lock) }
            let result = try await running.result()
            #expect(result.wasSignalled && result.status == SIGINT, "\(result.errors)")
            return result
        }

        @Test("Ctrl-C ends a wait for the lock of an account, with what is done and how to go on")
        func interruptedWait() async throws {
            for label in ["a", "b", "c"] { try await here.logIn("alice.test", "--label", label) }
            let locks = try lock(try await here.accounts().map(\.id))
            let running = try await startWaiting()
            running.signal(SIGINT)
            let result = try await running.result()
            #expect(result.wasSignalled && result.status == SIGINT, "\(result.errors)")
            #expect(result.errors.contains("interrupted: 0 of 3 accounts"), "\(result.errors)")
            #expect(result.errors.hasSuffix("run the same command again\n"), "\(result.errors)")
            for lock in locks { close(lock) }
            #expect(try await here.accounts().count == 3)
            #expect(try bundles().isEmpty)
        }

        @Test(
            "Ctrl-C waits for the account that is being moved, its report and the word about its client key")
        func interruptedMove() async throws {
            try await here.succeed("client", "init", "ours", "https://ours.example.com/", "--out", "site")
            let document = here.directory.appending(path: "site/oauth-client-metadata.json")
            _ = try await sandbox.post("/_sandbox/clients", String(contentsOf: document, encoding: .utf8))
            for name in ["alice.test", "bob.test"] {
                try await here.succeed("login", name, "--client", "ours")
            }
            let result = try await interruptMove(of: try await here.accounts().map(\.id))
            let results = try #require(result.json?["results"] as? [[String: Any]], "\(result.errors)")
            #expect(results.map { $0["status"] as? String } == ["moved", "failed"])
            #expect(results.last?["error"] as? String == "interrupted")
            #expect(result.errorLine?.code == "interrupted", "\(result.errors)")
            #expect(result.errors.contains("interrupted: 1 of 2 accounts"), "\(result.errors)")
            #expect(result.errors.contains("the bundles have the client key of"), "\(result.errors)")
            #expect(
                try await here.accounts().map(\.id) == results.suffix(1).compactMap { $0["id"] as? String })
            #expect(try bundles().count == 1)
            let rest = try await here.run(
                "accounts", "export", "--all", "--to", directory, "--recipient-key", key)
            #expect(rest.status == 0, "\(rest.errors)")
            #expect(try await here.accounts().isEmpty && bundles().count == 2)
        }

        @Test("Ctrl-C during the last account leaves nothing to go on with")
        func interruptedLast() async throws {
            let alice = try await here.logIn("alice.test")
            let result = try await interruptMove(of: [alice.id])
            let results = try #require(result.json?["results"] as? [[String: Any]], "\(result.errors)")
            #expect(results.map { $0["status"] as? String } == ["moved"])
            #expect(!result.errors.contains("interrupted") && !result.errors.contains("again"))
            #expect(try await here.accounts().isEmpty && bundles().count == 1)
        }
    }
}
