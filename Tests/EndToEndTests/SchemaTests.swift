import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    @Suite("What --json prints")
    struct SchemaTests {
        private let sandbox: Sandbox
        private let home: Home
        private var path: String { home.directory.path }

        init() throws {
            sandbox = try Sandbox(["--auto-approve"])
            home = try Home(sandbox, ["BSKYAUTH_BROWSER": "curl -sSL -o /dev/null"])
            try Data("a long passphrase\n".utf8).write(to: home.directory.appending(path: "pass"))
            let key = home.directory.appending(path: "bundle.key")
            try Data((0..<32).map { UInt8($0) }).write(to: key)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key.path)
        }

        @Test("every object is as the schema says, and the schema says nothing of others")
        func shapes() async throws {
            let commands = [
                "login alice.test", "login bob.test --label bob", "accounts", "accounts --check",
                "whoami", "resolve bob.test", "verify at://bob.test/a.b.c/d --expect-absent",
                "verify bob.test --repo",
                "verify bafkreifvft4w5dmpv7lkllse7nsqx2qmfsmqjg4xuyln5tvm2tuphonmfq --blob \(path)/pass",
                "accounts show bob", "accounts rename bob robert",
                "accounts pin robert",
                "accounts current", "accounts unpin", "switch robert", "refresh --all",
                "refresh --force robert", "call --dry-run app.bsky.feed.getTimeline limit=1",
                "token --dpop GET \(sandbox.address)/xrpc/a.b.c",
                "service-token --aud did:web:a.example --lxm a.b.c",
                "call --dry-run com.atproto.repo.createRecord collection=a.b.c record:={}", "doctor",
                "client init ours https://ours.example.com/ --out \(path)/site", "client list",
                "client keys ours", "vault status", "vault verify", "vault restore", "vault forget",
                "vault add-key --new-passphrase-file \(path)/pass --label other",
                "vault passwd other --new-passphrase-file \(path)/pass", "vault rekey --yes",
                "accounts export robert --to \(path)/bundle --recipient-key \(path)/bundle.key",
                "accounts import \(path)/bundle --recipient-key \(path)/bundle.key",
                "accounts export --all --to \(path)/bundles --recipient-key \(path)/bundle.key",
                "accounts import \(path)/bundles --recipient-key \(path)/bundle.key", "logout robert",
                "scopes explain repo:a.b.c", "scopes needed app.bsky.feed.getTimeline", "scopes sets",
            ]
            var lines: [String] = []
            for command in commands + (VaultUnlockTests.isPossible ? ["vault unlock", "vault lock"] : []) {
                let words = command.split(separator: " ").map(String.init)
                let result = try await home.run(words + ["--json"])
                #expect(result.status == 0, "\(command): \(result.errors)")
                #expect(result.text.filter { $0 == "\n" }.count == 1, "\(command): \(result.text)")
                lines.append(result.text.trimmingCharacters(in: .newlines))
            }
            let json = try JSONSerialization.jsonObject(with: Data(contentsOf: Schema.file))
            let defined = try #require((json as? [String: Any])?["$defs"] as? [String: Any])
            var expected = Set(defined.keys.filter { $0.contains("/") })
            let proxy = try Program.Server(
                Paths.program, ["proxy", "alice.test", "--json"], environment: home.environment)
            lines.append(proxy.announcement)
            await proxy.end()
            // VerifyListTests prints it: it has as many lines as there are records.
            expected.remove("verify-list/1")
            // ClientDocumentTests prints it: a check needs a host.
            expected.remove("client-check/1")
            // SharingTests prints these: they need a store.
            expected.subtract(["vault-share/1", "vault-machines/1", "vault-machine/1", "vault-flush/1"])
            if !VaultUnlockTests.isPossible { expected.subtract(["vault-unlock/1", "vault-lock/1"]) }
            #expect(try await Schema.validate(lines) == expected)
        }

        @Test("an account that can't be told who it is, too, once, and no other suffers")
        func damagedProfile() async throws {
            let alice = try await home.logIn("alice.test")
            let bob = try await home.logIn("bob.test")
            let file = home.vault.appending(path: "accounts/\(bob.id)/profile")
            try Data("nothing".utf8).write(to: file)
            for command in [["refresh", "--all", "--force"], ["logout", "--all", "--yes"]] {
                let result = try await home.run(command + ["--json"])
                #expect(result.status == 7, "\(result.errors)")
                #expect(try await Schema.validate([result.text.trimmingCharacters(in: .newlines)]).count == 1)
                let json = try JSONSerialization.jsonObject(with: Data(result.text.utf8))
                let items = try #require((json as? [String: Any])?["results"] as? [[String: Any]])
                #expect(items.map { $0["id"] as? String } == [alice.id, bob.id], "\(command)")
                let failed = items.map { $0["error"] as? String }
                #expect(failed == [nil, "damaged"], "\(command)")
            }
            // Nothing but what is damaged is left: the user is not asked whether to log out of nothing.
            let again = try await home.run("logout", "--all")
            #expect(again.status == 7 && again.errors.contains("accounts/\(bob.id)/profile is damaged"))
        }

        @Test(
            "what a server calls its refusal stands beside a code of ours, whatever it is",
            arguments: [(400, "InvalidRequest"), (400, "vault_locked"), (501, "MethodNotImplemented")])
        func refusals(status: Int, name: String) async throws {
            try await home.logIn("alice.test")
            let nsid = "com.atproto.server.getSession"
            try await sandbox.setFaults(Faults.answer(nsid, status, body: #"{"error":"\#(name)"}"#))
            let result = try await home.run("call", nsid, "--json")
            let line = result.errors.split(separator: "\n").filter { $0.hasPrefix("{") }.map(String.init)
            #expect(try await Schema.validate(line) == ["error"])
            let error = try #require(result.errorLine)
            #expect(error.code == (status == 501 ? "unknown_method" : "refused"))
            #expect(error.serverError == name && error.http == status)
            let words = try await home.run("call", nsid)
            #expect(words.errors.contains("\(name) (HTTP \(status))"), "\(words.errors)")
        }

        @Test("what is damaged, and what failed, too")
        func failures() async throws {
            let alice = try await home.logIn("alice.test")
            for name in ["session", "session.copy"] {
                let file = home.vault.appending(path: "accounts/\(alice.id)/\(name)")
                try Data("nothing".utf8).write(to: file)
            }
            var lines: [String] = []
            for command in [
                "accounts", "vault verify", "vault restore", "call com.atproto.server.getSession",
                "switch nobody",
                "refresh --all", "accounts --bad", "logout alice.test --home /nonexistent/vault",
            ] {
                let result = try await home.run(
                    command.split(separator: " ").map(String.init) + ["--json"])
                let errors = result.errors.split(separator: "\n").filter { $0.hasPrefix("{") }
                #expect(errors.count == 1, "\(command): \(result.errors)")
                lines += errors.map(String.init)
                if !result.text.isEmpty { lines.append(result.text.trimmingCharacters(in: .newlines)) }
            }
            let met = try await Schema.validate(lines)
            #expect(met == ["accounts/1", "error", "refresh/1", "vault-restore/1", "vault-verify/1"])
        }
    }
}
