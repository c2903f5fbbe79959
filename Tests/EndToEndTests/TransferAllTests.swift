import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    /// Two homes are two machines.
    @Suite("Moving all accounts")
    struct TransferAllTests {
        private let sandbox: Sandbox
        private let here: Home
        private let there: Home
        private let key: String
        private let directory: String

        init() throws {
            sandbox = try Sandbox()
            here = try Home(sandbox)
            there = try Home(sandbox)
            key = try here.recipientKey()
            directory = here.directory.appending(path: "my bundles").path
        }

        private func export(_ more: String..., to place: String? = nil) async throws -> Program.Result {
            try await here.run(
                ["accounts", "export", "--all", "--to", place ?? directory, "--recipient-key", key] + more)
        }

        private func bundles() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
        }

        @Test("every session goes on at the second machine, and none here", .covers("F6"))
        func all() async throws {
            let alice = try await here.logIn("alice.test")
            let bot = try await here.logIn("alice.test", "--label", "bot")
            let bob = try await here.logIn("bob.test")
            let moved = try await export()
            #expect(moved.status == 0, "\(moved.errors)")
            for account in [alice, bot, bob] {
                #expect(
                    moved.errors.contains("\(directory)/\(account.id).bundle and no longer"),
                    "\(moved.errors)")
            }
            let step = "bskyauth accounts import '\(directory)' --recipient-key \(key)\n"
            #expect(moved.errors.hasSuffix("  on the other machine:  \(step)"))
            #expect(try await here.accounts().isEmpty)
            #expect(try bundles() == [alice, bot, bob].map { "\($0.id).bundle" }.sorted())
            let mode = try FileManager.default.attributesOfItem(atPath: directory)[.posixPermissions]
            #expect(mode as? Int == 0o700)

            let imported = try await there.run(
                "accounts", "import", directory + "/", "--recipient-key", key, "--json")
            #expect(imported.status == 0, "\(imported.errors)")
            let results = try #require(imported.json?["results"] as? [[String: Any]])
            #expect(results.compactMap { $0["id"] as? String } == [alice, bot, bob].map(\.id).sorted())
            #expect(results.allSatisfy { $0["status"] as? String == "imported" && $0["error"] is NSNull })
            let found = try await there.accounts()
            #expect(Set(found.map(\.jkt)) == Set([alice, bot, bob].map(\.jkt)))
            let refreshed = try await there.run("refresh", "--all", "--force")
            #expect(refreshed.status == 0, "\(refreshed.errors)")
            #expect(try await sandbox.requests().filter(\.sessionEnded).isEmpty)
        }

        @Test("accounts with one client key move together, and the key leaves with the last one")
        func clientKey() async throws {
            try await here.succeed("client", "init", "ours", "https://ours.example.com/", "--out", "site")
            let document = here.directory.appending(path: "site/oauth-client-metadata.json")
            _ = try await sandbox.post("/_sandbox/clients", String(contentsOf: document, encoding: .utf8))
            for name in ["alice.test", "bob.test"] {
                try await here.succeed("login", name, "--client", "ours")
            }
            let moved = try await export()
            #expect(moved.status == 0, "\(moved.errors)")
            let imported = try await there.run("accounts", "import", directory, "--recipient-key", key)
            #expect(imported.status == 0, "\(imported.errors)")
            let refreshed = try await there.run("refresh", "--all", "--force")
            #expect(refreshed.status == 0, "\(refreshed.errors)")
            let left = try await here.succeed("client", "list", "--json")
            #expect(!left.text.contains(#""here":true"#), "\(left.text)")
        }

        @Test("an account that can't be moved stays, the others move, and a second run moves the rest")
        func failure() async throws {
            let alice = try await here.logIn("alice.test")
            let bob = try await here.logIn("bob.test")
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
            let taken = URL(filePath: "\(directory)/\(alice.id).bundle")
            try Data("another file\n".utf8).write(to: taken)
            let moved = try await export("--json")
            #expect(moved.status == 64 && moved.errorLine?.code == "bundle_exists", "\(moved.errors)")
            let results = try #require(moved.json?["results"] as? [[String: Any]])
            let statuses = Dictionary(
                uniqueKeysWithValues: results.map { ($0["id"] as? String, $0["status"] as? String) })
            #expect(statuses == [alice.id: "failed", bob.id: "moved"])
            #expect(try await here.accounts().map(\.id) == [alice.id])
            #expect(try Data(contentsOf: taken) == Data("another file\n".utf8))
            try await here.succeed("call", "-a", "alice.test", "com.atproto.server.getSession")

            // The file that is no bundle fails, and the other one is imported.
            let part = try await there.run("accounts", "import", directory, "--recipient-key", key)
            #expect(part.status == 7 && part.errors.contains(taken.path), "\(part.errors)")
            #expect(try await there.accounts().map(\.id) == [bob.id])

            try FileManager.default.removeItem(at: taken)
            try FileManager.default.removeItem(atPath: "\(directory)/\(bob.id).bundle")
            let rest = try await export()
            #expect(rest.status == 0, "\(rest.errors)")
            try await there.succeed("accounts", "import", directory, "--recipient-key", key)
            #expect(try await Set(there.accounts().map(\.id)) == [alice.id, bob.id])
            let again = try await there.run("accounts", "import", directory, "--recipient-key", key, "--json")
            let found = try #require(again.json?["results"] as? [[String: Any]])
            #expect(again.status == 0 && found.count == 1, "\(again.errors)")
            #expect(found.allSatisfy { $0["status"] as? String == "already_here" && $0["error"] is NSNull })
            let refreshed = try await there.run("refresh", "--all", "--force")
            #expect(refreshed.status == 0, "\(refreshed.errors)")
        }

        @Test("a wrong key for a directory is told once, with every bundle and the directory to import again")
        func wrongKey() async throws {
            for label in ["a", "b", "c"] { try await here.logIn("alice.test", "--label", label) }
            let moved = try await export()
            #expect(moved.status == 0, "\(moved.errors)")
            let other = try there.recipientKey("other.key")
            let refused = try await there.run("accounts", "import", directory, "--recipient-key", other)
            let names = try bundles().map { "\(directory)/\($0)" }.joined(separator: ", ")
            let hint = "bskyauth accounts import '\(directory)' --recipient-key FILE"
            #expect(
                refused.errors
                    == "bskyauth: 3 bundles (\(names)) are not opened by the key file \(other)\n  \(hint)\n")
            #expect(refused.status == 5 && !FileManager.default.fileExists(atPath: there.vault.path))
            let json = try await there.run(
                "accounts", "import", directory, "--recipient-key", other, "--json")
            #expect(json.errorLine?.code == "wrong_key_file" && json.errorLine?.hint == hint)
            try await there.succeed("accounts", "import", directory, "--recipient-key", key)
            #expect(try await there.accounts().count == 3)
        }

        @Test("a wrong key of the vault ends an import before any bundle")
        func wrongVaultKey() async throws {
            for label in ["a", "b", "c"] { try await here.logIn("alice.test", "--label", label) }
            try await there.logIn("bob.test")
            let moved = try await export()
            #expect(moved.status == 0, "\(moved.errors)")
            let content = try there.vaultContent()
            let other = try there.recipientKey("other.key")
            // Also if the key of the bundles is the wrong one.
            for recipient in [key, other] {
                let refused = try await there.run(
                    "accounts", "import", directory, "--recipient-key", recipient,
                    environment: ["BSKYAUTH_KEY_FILE": other])
                #expect(refused.status == 5 && refused.text.isEmpty, "\(refused.errors)")
                #expect(refused.errors.contains("\(other) does not open the vault"), "\(refused.errors)")
                #expect(!refused.errors.contains("bundle"), "\(refused.errors)")
                #expect(try there.vaultContent() == content)
            }
        }

        @Test("a bundle that an interrupted export has left is replaced, and a later one is not")
        func interrupted() async throws {
            let alice = try await here.logIn("alice.test")
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
            let bundle = "\(directory)/\(alice.id).bundle"
            // As if the export was killed between the bundle and the removal of the account.
            try await here.succeed(
                "accounts", "export", "alice.test", "--copy", "--to", bundle, "--recipient-key", key)
            try await here.succeed("refresh", "--force")
            let moved = try await export()
            #expect(moved.status == 0 && moved.errors.contains("1 bundle of an earlier"), "\(moved.errors)")
            #expect(try await here.accounts().isEmpty)
            try await there.succeed("accounts", "import", directory, "--recipient-key", key)
            let refreshed = try await there.run("refresh", "--all", "--force")
            #expect(refreshed.status == 0, "\(refreshed.errors)")
            #expect(try await sandbox.requests().filter(\.sessionEnded).isEmpty)

            // Back by a copy, so that this vault has an earlier state than the bundle.
            let copy = here.directory.appending(path: "copy.bundle").path
            try await there.succeed(
                "accounts", "export", "alice.test", "--copy", "--to", copy, "--recipient-key", key)
            try await here.succeed("accounts", "import", copy, "--recipient-key", key)
            try await there.succeed("refresh", "--force")
            let last = here.directory.appending(path: "last.bundle").path
            try await there.succeed("accounts", "export", "alice.test", "--to", last, "--recipient-key", key)
            try FileManager.default.removeItem(atPath: bundle)
            try FileManager.default.copyItem(atPath: last, toPath: bundle)
            let refused = try await export()
            #expect(refused.status == 64 && refused.errors.contains("already exists"), "\(refused.errors)")
            #expect(try Data(contentsOf: URL(filePath: bundle)) == Data(contentsOf: URL(filePath: last)))
            let later = try await here.run("accounts", "import", last, "--recipient-key", key, "--json")
            #expect(later.status == 64 && later.errorLine?.code == "later_session", "\(later.errors)")
            let command = try #require(later.errorLine?.hint?.components(separatedBy: ":  ").last)
            let words = command.split(separator: " ").dropFirst().map(String.init)
            #expect(try await here.run(words + ["--yes"]).status == 0)
            try await here.succeed("accounts", "import", last, "--recipient-key", key)
            #expect(try await here.run("refresh", "--force").status == 0)
        }

        @Test("a place that can't be written moves nothing, and every account says so")
        func unwritable() async throws {
            try await here.logIn("alice.test")
            try await here.logIn("bob.test")
            let file = here.directory.appending(path: "file").path
            try Data().write(to: URL(filePath: file))
            for place in [file, "/proc/no/such", "\(file)/below"] {
                let refused = try await export(to: place)
                #expect(refused.status != 0 && !refused.errors.contains("moved: "), "\(refused.errors)")
                #expect(try await here.accounts().count == 2)
            }
            let keyless = try await here.run(
                "accounts", "export", "--all", "--to", directory, "--recipient-key", "\(file).key")
            #expect(keyless.status == 5, "\(keyless.errors)")
            #expect(try bundles().isEmpty)
            #expect(try await here.accounts().count == 2)
            let working = try await here.run("accounts", "--check")
            #expect(working.status == 0, "\(working.errors)")
        }

        @Test("nothing is moved by a wrong command line, or from an empty vault")
        func usage() async throws {
            let alice = try await here.logIn("alice.test")
            for (arguments, words) in [
                (["--all", "alice.test", "--to", directory], "not both"),
                (["--to", directory], "or add --all"),
                (["--all", "-a", "alice.test", "--to", directory], "not both"),
                (["--all", "--copy", "--to", directory], "--all moves accounts"),
                (["--all", "--to", "-"], "needs a directory"),
            ] {
                let refused = try await here.run(["accounts", "export", "--recipient-key", key] + arguments)
                #expect(refused.status == 64 && refused.errors.contains(words), "\(refused.errors)")
            }
            #expect(try await here.accounts().map(\.id) == [alice.id])
            #expect(!FileManager.default.fileExists(atPath: directory))
            try await here.succeed("logout", "alice.test")
            let empty = try await export("--json")
            #expect(empty.status == 0 && (empty.json?["results"] as? [Any])?.isEmpty == true)
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
            let nothing = try await there.run(
                "accounts", "import", directory, "--recipient-key", key, "--json")
            #expect(nothing.status == 1 && nothing.errorLine?.code == "empty_file")
            #expect(!FileManager.default.fileExists(atPath: there.vault.path))
        }
    }
}
