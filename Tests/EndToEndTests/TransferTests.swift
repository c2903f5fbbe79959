import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    /// Two homes are two machines.
    @Suite("Moving an account")
    struct TransferTests {
        private struct Result: Decodable {
            let account: Account
        }

        private let sandbox: Sandbox
        private let here: Home
        private let there: Home
        private let bundle: String

        init() throws {
            sandbox = try Sandbox()
            here = try Home(sandbox)
            there = try Home(sandbox)
            bundle = here.directory.appending(path: "alice.bundle").path
        }

        @Test("the next step opens the bundle as it was sealed")
        func nextStep() async throws {
            try await here.logIn("alice.test")
            let (key, file) = (try here.recipientKey(), here.directory.appending(path: "pass phrase").path)
            try Data("warhorse\n".utf8).write(to: URL(filePath: file))
            let seals: [(options: [String], environment: [String: String], words: String)] = [
                (["--recipient-key", key], [:], " --recipient-key \(key)"),
                ([], ["BSKYAUTH_RECIPIENT_KEY": key], " --recipient-key \(key)"),
                (["--bundle-passphrase-file", file], [:], " --bundle-passphrase-file '\(file)'"),
            ]
            for (number, (options, environment, words)) in seals.enumerated() {
                let export = ["accounts", "export", "alice.test", "--copy", "--to", "\(bundle)\(number)"]
                let copied = try await here.run(export + options, environment: environment)
                let step = "bskyauth accounts import \(bundle)\(number)\(words)"
                #expect(copied.errors.contains("  on the other machine:  \(step)\n"), "\(copied.errors)")
            }
        }

        @Test("a passphrase is asked for where nothing is named, twice for a new one")
        func asked() async throws {
            let alice = try await here.logIn("alice.test")
            let exported = try await here.runAtTerminal(
                "accounts", "export", "alice.test", "--to", bundle,
                steps: [
                    .typeHidden("warhorse", at: "New passphrase for the bundle (at least 8 characters): "),
                    .typeHidden("warhorse", at: "Repeat the passphrase: "),
                ])
            #expect(exported.status == 0 && !exported.screen.contains("horse"), "\(exported.screen)")
            let other = try await here.logIn("bob.test")
            for (account, file, status) in [
                ("nobody.test", "new", 6), (other.id, bundle, 64), (other.id, "/no/x", 1),
            ] {
                let refused = try await here.runAtTerminal(
                    "accounts", "export", account, "--to", file, steps: [])
                #expect(
                    refused.status == Int32(status) && !refused.screen.contains("assphrase"),
                    "\(refused.screen)")
            }
            let unasked = try await there.run("accounts", "import", bundle, "--json")
            #expect(unasked.status == 64, "\(unasked.errors)")
            let imported = try await there.runAtTerminal(
                "accounts", "import", bundle,
                steps: [.typeHidden("warhorse", at: "Passphrase of the bundle: ")])
            #expect(imported.status == 0, "\(imported.screen)")
            #expect(try await there.active()?.id == alice.id)
        }

        @Test(
            "the session goes on at the second machine with the same key, and not at the first", .covers("F6")
        )
        func move() async throws {
            let alice = try await here.logIn("alice.test", "--label", "bot")
            try await here.succeed("refresh", "--force")
            let key = try here.recipientKey()
            let moved = try await here.succeed(
                "accounts", "export", "bot", "--to", bundle, "--recipient-key", key, "--json")
            #expect(moved.json?["schema"] as? String == "bskyauth.export/1")
            #expect(moved.json?["moved"] as? Bool == true)
            #expect(moved.json?["file"] as? String == bundle)
            let attributes = try FileManager.default.attributesOfItem(atPath: bundle)
            #expect(attributes[.posixPermissions] as? Int == 0o600)

            let gone = try await here.run("call", "com.atproto.server.getSession", "--json")
            #expect(gone.status == 4)
            #expect(gone.errorLine?.hint == "bskyauth login HANDLE")
            #expect(try await here.accounts().isEmpty)

            let imported = try await there.succeed(
                "accounts", "import", bundle, "--json", environment: ["BSKYAUTH_RECIPIENT_KEY": key])
            #expect(imported.json?["schema"] as? String == "bskyauth.import/1")
            let account = try #require(try await there.active())
            #expect(account.id == alice.id && account.jkt == alice.jkt && account.label == "bot")
            for _ in 1...2 {
                let call = try await there.succeed("call", "com.atproto.server.getSession")
                #expect(call.json?["did"] as? String == alice.did)
                try await there.succeed("refresh", "--force")
            }

            let requests = try await sandbox.requests().filter { $0.jkt != nil }
            #expect(Set(requests.map(\.jkt)) == [alice.jkt])
            let refreshes = requests.filter { $0.isRefresh && !$0.isNonceChallenge }
            #expect(refreshes.count == 3 && refreshes.allSatisfy { $0.consumed && $0.status == 200 })
            #expect(requests.filter(\.sessionEnded).isEmpty)
        }

        @Test("a bundle fits through a pipe, as out of a secret store, and has a passphrase of its own")
        func pipe() async throws {
            let alice = try await here.logIn("alice.test")
            let passphrase = here.directory.appending(path: "passphrase")
            try Data("of the bundle\n".utf8).write(to: passphrase)
            try await here.succeed(
                "accounts", "export", "alice.test", "--to", bundle, "--bundle-passphrase-file",
                passphrase.path)
            let text = try Data(contentsOf: URL(filePath: bundle))
            let piped = try await there.succeed(
                "accounts", "import", "-", input: text.dropLast(),
                environment: ["BSKYAUTH_BUNDLE_PASSPHRASE_FILE": passphrase.path])
            #expect(piped.output.isEmpty)
            #expect(try await there.active()?.jkt == alice.jkt)
            try await there.succeed("call", "com.atproto.server.getSession")
        }

        @Test("nothing in place of a bundle is named, as a secret that is not set, and no vault is made")
        func nothing() async throws {
            let home = try Home(try Sandbox())
            for input in ["", "\n", " \r\n"] {
                let result = try await home.run("accounts", "import", "-", "--json", input: Data(input.utf8))
                #expect(result.status == 1 && result.errorLine?.code == "empty_file", "\(result.errors)")
                #expect(result.errors.contains("standard input is empty"))
            }
            #expect(!FileManager.default.fileExists(atPath: home.vault.path))
        }

        @Test("a bundle with a lower generation than is known is refused, and no vault is made")
        func superseded() async throws {
            try await here.logIn("alice.test")
            try await here.succeed("refresh", "--force")
            let key = try here.recipientKey()
            try await here.succeed(
                "accounts", "export", "alice.test", "--to", bundle, "--recipient-key", key)
            let words = ["accounts", "import", bundle, "--recipient-key", key, "--json", "--min-generation"]
            let refused = try await there.run(words + ["3"])
            #expect(refused.status == 75 && refused.errorLine?.code == "bundle_superseded")
            #expect(refused.errorLine?.message.contains("has generation 2, but generation 3 exists") == true)
            #expect(refused.errorLine?.hint?.hasSuffix("import \(bundle) --min-generation 3") == true)
            #expect(!FileManager.default.fileExists(atPath: there.vault.path))
            #expect(try await there.run(words + [""]).status == 64)
            #expect(try await there.run(words + ["2"]).status == 0)
        }

        @Test("a copy is made only when it is asked for, and what it does is said")
        func copy() async throws {
            try await here.logIn("alice.test")
            let key = try here.recipientKey()
            let copy = try await here.succeed(
                "accounts", "export", "alice.test", "--to", bundle, "--recipient-key", key, "--copy")
            #expect(copy.errors.contains("the machine that refreshes second ends the session on both"))
            try await here.succeed("call", "com.atproto.server.getSession")
            #expect(try await here.accounts().count == 1)
        }

        @Test("- is standard output, for copies alone: a pipe does not say whether the bundle arrived")
        func toOutput() async throws {
            let alice = try await here.logIn("alice.test")
            let key = try here.recipientKey()
            let export = ["accounts", "export", "alice.test", "--to", "-", "--recipient-key", key]
            let before = try here.vaultContent()
            let move = try await here.run(export)
            #expect(move.status == 64 && move.output.isEmpty)
            let hint = "bskyauth accounts export alice.test --to - --copy --recipient-key \(key)"
            #expect(move.errors.contains("  \(hint)\n"), "\(move.errors)")
            let json = try await here.run(export + ["--copy", "--json"])
            #expect(json.status == 64 && json.output.isEmpty && json.errorLine?.hint == hint)
            let seen = try await here.runAtTerminal(
                "accounts", "export", "alice.test", "--to", "-", "--copy", "--recipient-key", key,
                steps: [])
            #expect(seen.status == 64 && !seen.screen.contains("checksum"), "\(seen.screen)")
            // Its reader is gone before it begins.
            let script = #"exec 3> >(exec true); wait $!; "$@" >&3"#
            let closed = try await Program.run(
                "/bin/bash", ["-c", script, "bash", Paths.program] + export + ["--copy"],
                environment: here.environment, directory: here.directory)
            #expect(closed.status == 1 && closed.errors.contains("closed the pipe"), "\(closed.errors)")
            #expect(try here.vaultContent() == before)

            let copy = try await here.run(export + ["--copy"])
            #expect(copy.status == 0, "\(copy.errors)")
            #expect(copy.errors.contains("copied: @alice.test is in the bundle and in this vault"))
            let file = here.directory.appending(path: "-").path
            #expect(!FileManager.default.fileExists(atPath: file))
            try await there.succeed("accounts", "import", "-", "--recipient-key", key, input: copy.output)
            #expect(try await there.accounts().map(\.jkt) == [alice.jkt])
            #expect(try await here.accounts().map(\.jkt) == [alice.jkt])
        }

        @Test("once refreshed, what is said of the bundle that it came in is true without a store, too")
        func spentBundle() async throws {
            try await here.logIn("alice.test")
            let key = try here.recipientKey()
            let words = "earlier bundles of @alice.test no longer work"
            let first = try await here.succeed(
                "accounts", "export", "alice.test", "--to", bundle, "--recipient-key", key)
            #expect(!first.errors.contains(words) && !first.errors.contains("another bundle"))
            try await there.succeed("accounts", "import", bundle, "--recipient-key", key)
            try await there.succeed("refresh", "--force")
            let second = try await there.succeed(
                "accounts", "export", "alice.test", "--to", bundle + "2", "--recipient-key", key)
            #expect(second.errors.contains(words) && !second.errors.contains("handed to"))
        }

        /// Mounts a new FAT at `$1` and runs the rest there. The kernel may lack FAT; then it is mounted in user space.
        private static let onFAT = """
            set -e
            truncate -s 4M "$1.image"; /usr/sbin/mkfs.vfat "$1.image" > /dev/null; mkdir "$1"
            mount -o loop "$1.image" "$1" 2> /dev/null || fusefat -o rw+ "$1.image" "$1" > /dev/null
            cd "$1"; shift
            "$@" --to bundle; cp bundle ../copy; stat -c %a bundle > ../mode
            status=0; "$@" --to bundle || status=$?
            [ "$status" = 64 ]; cmp bundle ../copy
            """

        @Test(
            "a USB stick with FAT takes a bundle, and what others can read is said",
            .enabled(if: geteuid() == 0, "only root may mount"),
            .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/sbin/mkfs.vfat"), "no mkfs.vfat"))
        func fat() async throws {
            let alice = try await here.logIn("alice.test")
            let key = try here.recipientKey()
            let stick = here.directory.appending(path: "stick").path
            let result = try await Program.run(
                "/usr/bin/unshare",
                [
                    "-m", "sh", "-c", Self.onFAT, "sh", stick, Paths.program, "accounts", "export",
                    "alice.test",
                    "--copy", "--recipient-key", key,
                ], environment: here.environment, directory: here.directory)
            #expect(result.status == 0, "\(result.errors)")
            // The mode that a file gets depends on the mount.
            let mode = try String(contentsOf: here.directory.appending(path: "mode"), encoding: .utf8)
            let isOpen = !mode.hasSuffix("00\n")
            #expect(
                result.errors.contains("warning: others can read bundle") == isOpen, "\(mode)\(result.errors)"
            )
            let copy = here.directory.appending(path: "copy").path
            try await there.succeed("accounts", "import", copy, "--recipient-key", key)
            #expect(try await there.accounts().map(\.jkt) == [alice.jkt])
            // A vault or a key file needs its mode.
            let vault = try await Program.run(
                "/usr/bin/unshare",
                ["-m", "sh", "-c", Self.vaultOnFAT, "sh", stick, Paths.program],
                environment: here.environment,
                directory: here.directory)
            #expect(vault.status == 1 || vault.status == 7, "\(vault.errors)")
        }

        private static let vaultOnFAT = """
            mount -o loop "$1.image" "$1" 2> /dev/null || fusefat -o rw+ "$1.image" "$1" > /dev/null
            BSKYAUTH_KEY_FILE="$1/key" BSKYAUTH_HOME="$1/vault" "$2" login alice.test --no-browser
            """

        @Test(
            "a server's disk that can't rename to a new name takes a bundle",
            .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/strace")),
            arguments: ["renameat2:error=EINVAL", "renameat2:error=ENOSYS"])
        func withoutRename(_ fault: String) async throws {
            let alice = try await here.logIn("alice.test")
            let key = try here.recipientKey()
            for status: Int32 in [0, 64] {
                let export = try await Program.run(
                    "/usr/bin/strace",
                    [
                        "-f", "-qqq", "-o", "/dev/null", "-e", "inject=\(fault)", Paths.program, "accounts",
                        "export",
                        "alice.test", "--copy", "--to", bundle, "--recipient-key", key,
                    ], environment: here.environment, directory: here.directory)
                #expect(export.status == status, "\(export.errors)")
            }
            try await there.succeed("accounts", "import", bundle, "--recipient-key", key)
            #expect(try await there.accounts().map(\.jkt) == [alice.jkt])
        }

        @Test("an account of an app password moves too")
        func password() async throws {
            let sandbox = try Sandbox(
                accounts: ["alice.test"], ["--app-password", "alice.test:abcd-efgh-ijkl-mnop"])
            let here = try Home(sandbox)
            let there = try Home(sandbox)
            try await here.succeed(
                "login", "alice.test", "--app-password", input: Data("abcd-efgh-ijkl-mnop\n".utf8))
            let key = try here.recipientKey()
            try await here.succeed(
                "accounts", "export", "alice.test", "--to", bundle, "--recipient-key", key)
            try await there.succeed("accounts", "import", bundle, "--recipient-key", key)
            try await there.succeed("refresh", "--force")
            let call = try await there.succeed("call", "com.atproto.server.getSession")
            #expect(call.json?["handle"] as? String == "alice.test")
            // The bundle has an earlier session than the vault now, and the next one a later session than the first vault.
            let earlier = try await there.run("accounts", "import", bundle, "--recipient-key", key)
            #expect(
                earlier.status == 64 && earlier.errors.contains("in the vault already"), "\(earlier.errors)")
            #expect(earlier.errors.hasSuffix("\n  rm \(bundle)\n"), "\(earlier.errors)")
            try await here.succeed("accounts", "import", bundle, "--recipient-key", key)
            let later = here.directory.appending(path: "later.bundle").path
            try await there.succeed(
                "accounts", "export", "alice.test", "--to", later, "--recipient-key", key)
            let refused = try await here.run("accounts", "import", later, "--recipient-key", key, "--json")
            #expect(refused.errorLine?.code == "later_session", "\(refused.errors)")
        }

        @Test("a bundle shows no token, key, handle or DID, and neither does what is said about it")
        func showsNothing() async throws {
            let alice = try await here.logIn("alice.test")
            let headers = try await here.succeed("token", "--dpop", "GET", sandbox.address + "/xrpc/a.b.c")
                .text
            let key = try here.recipientKey()
            let export = try await here.succeed(
                "accounts", "export", "alice.test", "--to", bundle, "--recipient-key", key, "--verbose")
            let said = export.text + export.errors
            let text = try String(contentsOfFile: bundle, encoding: .utf8)
            // Longer than what comes about in ciphertext: of three letters one bundle in a hundred has any.
            let token = #/eyJ[\w-]+\.eyJ|(ref|tok)-[0-9a-f]{16}/#
            #expect(headers.contains(token), "the access token is one")
            #expect("a ref-\(String(repeating: "0f", count: 32))".contains(token))
            #expect(!text.contains(token))
            for name in [alice.did, "alice.test", alice.jkt] { #expect(!text.contains(name)) }
            for secret in ["eyJ", "ref-", "tok-", alice.jkt] { #expect(!said.contains(secret)) }
        }

        @Test(
            "killed at any system call that changes a file, it leaves the session or the whole bundle",
            .covers("F6"),
            .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/strace")))
        func killed() async throws {
            let alice = try await here.logIn("alice.test")
            let key = try here.recipientKey()
            let original = here.directory.appending(path: "original")
            try FileManager.default.copyItem(at: here.vault, to: original)
            var (sessions, bundles) = (0, 0)
            for call in [
                "pwrite64", "fsync", "renameat2", "unlinkat", "renameat", "unlink", "rename", "rmdir",
            ] {
                for number in 1...20 {
                    for leftover in [here.vault.path, there.vault.path, bundle]
                    where FileManager.default.fileExists(atPath: leftover) {
                        try FileManager.default.removeItem(atPath: leftover)
                    }
                    try FileManager.default.copyItem(at: original, to: here.vault)
                    guard try await exportKilled(at: call, number, key) else { break }
                    if try await here.accounts().map(\.jkt) == [alice.jkt] {
                        sessions += 1
                    } else {
                        bundles += 1
                        try await there.succeed("accounts", "import", bundle, "--recipient-key", key)
                        #expect(try await there.accounts().map(\.jkt) == [alice.jkt], "\(call) \(number)")
                    }
                }
            }
            // Writing the bundle, and taking the account out, each in several steps.
            #expect(sessions >= 5 && bundles >= 5, "\(sessions) sessions, \(bundles) bundles")
        }

        /// Runs an export that strace kills at a system call, and says whether it came to that.
        private func exportKilled(at call: String, _ number: Int, _ key: String) async throws -> Bool {
            let result = try await Program.run(
                "/usr/bin/strace",
                [
                    "-f", "-qqq", "-o", "/dev/null", "-e", "trace=\(call)", "-e",
                    "inject=\(call):signal=KILL:when=\(number)", Paths.program, "accounts", "export",
                    "alice.test", "--to", bundle, "--recipient-key", key,
                ], environment: here.environment, directory: here.directory)
            if !result.wasSignalled { #expect(result.status == 0, "\(result.errors)") }
            return result.wasSignalled
        }
    }
}
