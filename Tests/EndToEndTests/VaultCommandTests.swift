import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    @Suite("The vault's commands")
    struct VaultCommandTests {
        private static let passphrase = "tr0ub4dor & 3"

        private static func flip(_ file: URL) throws {
            var data = try Data(contentsOf: file)
            data[data.count - 1] ^= 1
            try data.write(to: file)
        }

        @Test("status says without a key what there is, and with one that it opens")
        func status() async throws {
            let home = try Home(try Sandbox(), key: [:])
            let none = try await home.run("vault", "status", "--json")
            #expect(none.status == 4 && none.errorLine?.code == "no_vault")
            try await home.logIn("alice.test", environment: ["BSKYAUTH_PASSPHRASE": Self.passphrase])
            let before = try home.vaultContent()
            let locked = try #require(try await home.succeed("vault", "status", "--json").json)
            let expected = ["schema": "bskyauth.vault/1", "state": "locked", "home": home.vault.path]
            #expect(locked.compactMapValues { $0 as? String }.filter { expected[$0.key] != nil } == expected)
            #expect(locked["unlocked_by"] is NSNull)
            #expect(locked["accounts"] as? Int == 1)
            #expect(locked["format"] as? Int == 1)
            let slots = try #require(locked["slots"] as? [[String: Any]])
            let names = slots.compactMap { $0["label"] as? String }
            #expect(names == ["passphrase"])
            let key = ["BSKYAUTH_PASSPHRASE": Self.passphrase]
            let open = try await home.succeed("vault", "status", "--json", environment: key).json
            #expect(open?["state"] as? String == "unlocked")
            #expect(open?["unlocked_by"] as? String == "passphrase-variable")
            let wrong = ["BSKYAUTH_PASSPHRASE": "wrong"]
            let shut = try await home.succeed("vault", "status", "--json", environment: wrong).json
            #expect(shut?["state"] as? String == "locked")
            #expect(shut?["error"] as? String == "wrong_passphrase")
            let shown = try await home.succeed("vault", "status")
            for text in [home.vault.path, "passphrase", "locked"] { #expect(shown.text.contains(text)) }
            #expect(try home.vaultContent() == before)
        }

        @Test("a home that is no directory is told from one that is damaged", arguments: ["", "/vault"])
        func noDirectory(part: String) async throws {
            let home = try Home(try Sandbox())
            let file = home.directory.appending(path: "file")
            try Data("mine".utf8).write(to: file)
            let login = try await home.run(
                "login", "alice.test", "--json", environment: ["BSKYAUTH_HOME": file.path + part])
            #expect(login.status == 64 && login.errorLine?.code == "no_directory", "\(login.errors)")
            #expect(login.errorLine?.hint?.contains("--home DIR") == true)
            #expect(try Data(contentsOf: file) == Data("mine".utf8))
        }

        @Test("a path of --home that is empty or leads to no vault is seen")
        func mistypedHome() async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test")
            for command in [["accounts"], ["switch"], ["vault", "status"]] {
                let empty = try await home.run(command + ["--home", "", "--json"])
                #expect(
                    empty.status == 64 && empty.errorLine?.message == "--home is empty", "\(empty.errors)")
            }
            let path = home.directory.appending(path: "vualt").path
            let list = try await home.run("accounts", "--home", path)
            #expect(list.status == 0 && list.errors.contains(path), "\(list.errors)")
            for command in [["switch"], ["vault", "status"]] {
                let none = try await home.run(command + ["--home", path, "--json"])
                #expect(none.status == 4 && none.errorLine?.message.contains(path) == true, "\(none.errors)")
            }
        }

        @Test("a vault can be named by a link, and one in it is not followed")
        func link() async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test")
            let link = home.directory.appending(path: "link")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: home.vault)
            for path in [link.path, link.path + "/"] {
                let listed = try await home.run("accounts", environment: ["BSKYAUTH_HOME": path])
                #expect(listed.status == 0 && listed.text.contains("alice.test"), "\(listed.errors)")
            }
            try await home.succeed("refresh", "--force", "--home", link.path)
            let accounts = home.vault.appending(path: "accounts")
            let moved = home.directory.appending(path: "moved")
            try FileManager.default.moveItem(at: accounts, to: moved)
            try FileManager.default.createSymbolicLink(at: accounts, withDestinationURL: moved)
            let refused = try await home.run("accounts", "--json", environment: ["BSKYAUTH_HOME": link.path])
            #expect(refused.status == 7 && refused.errorLine?.code == "symlink", "\(refused.errors)")
        }

        @Test("what takes a key names the options that say one, and no passphrase is changed where none is")
        func keyToGive() async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test")
            let none = try await home.run("vault", "passwd", "--json")
            #expect(none.status == 64 && none.errorLine?.code == "no_such_key", "\(none.errors)")
            #expect(none.errorLine?.message.hasPrefix("the vault has no passphrase") == true)
            #expect(none.errorLine?.hint == "bskyauth vault add-key")
            for command in [["rekey"], ["add-key"], ["remove-key", "key-file"]]
                + (VaultUnlockTests.isPossible ? [["unlock"]] : [])
            {
                let locked = try await home.run(
                    ["vault"] + command + ["--json"], environment: ["BSKYAUTH_KEY_FILE": ""])
                #expect(locked.status == 5 && locked.errorLine?.code == "vault_locked", "\(locked.errors)")
                let hint = try #require(locked.errorLine?.hint)
                #expect(hint.contains("--key-file FILE") && !hint.contains("vault unlock"), "\(hint)")
            }
        }

        @Test("verify names what is damaged and restore brings it back", .covers("C12"))
        func verifyAndRestore() async throws {
            let home = try Home(try Sandbox())
            let alice = try await home.logIn("alice.test")
            let whole = try home.vaultContent()
            let good = try await home.succeed("vault", "verify")
            #expect(good.output.isEmpty && good.errors.contains("all intact"))
            let session = home.vault.appending(path: "accounts/\(alice.id)/session")
            let list = try #require(whole.keys.first { $0.hasPrefix("names/") })
            try Self.flip(session)
            try Self.flip(home.vault.appending(path: list))
            let damaged = try home.vaultContent()
            let bad = try await home.run("vault", "verify", "--json")
            #expect(bad.status == 7 && bad.errorLine?.hint == "bskyauth vault restore")
            let findings = try #require(bad.json?["damaged"] as? [[String: Any]])
            let files = findings.compactMap { $0["file"] as? String }
            #expect(files == [home.vault.appending(path: list).path, session.path])
            let shown = try await home.run("vault", "verify")
            #expect(shown.status == 7 && shown.text.contains(session.path))
            #expect(try home.vaultContent() == damaged)

            let call = try await home.run("call", "com.atproto.server.getSession", "--json")
            let hint = "bskyauth vault restore \(alice.id.prefix(8))"
            #expect(call.status == 7 && call.errorLine?.hint == hint)
            let words = hint.split(separator: " ").dropFirst().map(String.init)
            let restored = try await home.run(words + ["--json"])
            #expect(restored.status == 0, "\(restored.errors)")
            let results = try #require(restored.json?["results"] as? [[String: Any]])
            let outcomes = results.compactMap { $0["outcome"] as? String }
            #expect(outcomes == ["restored", "discarded"])
            try await home.succeed("vault", "verify")
            try await home.succeed("call", "com.atproto.server.getSession", "-a", "alice.test")
        }

        @Test("what has no copy left is said to be lost, with the way out")
        func lost() async throws {
            let home = try Home(try Sandbox())
            let alice = try await home.logIn("alice.test")
            for name in ["session", "session.copy"] {
                try Self.flip(home.vault.appending(path: "accounts/\(alice.id)/\(name)"))
            }
            let restored = try await home.run("vault", "restore", "--json")
            #expect(restored.status == 7 && restored.errorLine?.code == "not_restorable")
            // The login replaces the session. A logout after it would throw the new session away.
            #expect(restored.errorLine?.hint?.contains("bskyauth login") == true)
            #expect(restored.errorLine?.hint?.contains("logout") == false)
            let unknown = try await home.run("vault", "restore", "ffffffffffff")
            #expect(unknown.status == 6)
            let again = try await home.logIn("alice.test")
            #expect(again.id == alice.id)
            try await home.succeed("vault", "verify")
        }

        // MARK: Keys

        private static let first = "New passphrase (at least 8 characters): "
        private static let again = "Repeat the passphrase: "
        private static let prompt = "Passphrase of the vault: "

        private static func variable(_ passphrase: String) -> [String: String] {
            ["BSKYAUTH_PASSPHRASE": passphrase]
        }

        @Test("passwd asks for the old passphrase and twice for the new one, and shows none", .covers("B21"))
        func passwd() async throws {
            let home = try Home(try Sandbox(), key: [:])
            try await home.logIn("alice.test", environment: Self.variable("old horse"))
            let changed = try await home.runAtTerminal(
                "vault", "passwd",
                steps: [
                    .typeHidden("old horse", at: Self.prompt), .typeHidden("new horse", at: Self.first),
                    .typeHidden("new horse", at: Self.again),
                ])
            #expect(changed.status == 0, "\(changed.screen)")
            #expect(changed.echoed == [false, false, false] && changed.echo)
            #expect(!changed.screen.contains("horse"))
            let old = try await home.run("accounts", "--json", environment: Self.variable("old horse"))
            #expect(old.status == 5 && old.errorLine?.code == "wrong_passphrase")
            try await home.succeed("accounts", environment: Self.variable("new horse"))
            let file = home.directory.appending(path: "newer")
            try Data("newer horse\n".utf8).write(to: file)
            let json = try await home.succeed(
                "vault", "passwd", "--new-passphrase-file", file.path, "--json",
                environment: Self.variable("new horse"))
            #expect(json.json?["change"] as? String == "passphrase")
            try await home.succeed("accounts", environment: Self.variable("newer horse"))
        }

        @Test("passwd changes nothing where the two new ones differ, or nobody can be asked")
        func passwdRefused() async throws {
            let home = try Home(try Sandbox(), key: [:])
            try await home.logIn("alice.test", environment: Self.variable("old horse"))
            let before = try home.vaultContent()
            let differing = try await home.runAtTerminal(
                "vault", "passwd",
                steps: [Self.first, "New passphrase: ", "New passphrase: "].flatMap {
                    [.typeHidden("first horse", at: $0), .typeHidden("other horse", at: Self.again)]
                },
                environment: Self.variable("old horse"))
            #expect(differing.status == 5 && differing.screen.contains("nothing was changed"))
            #expect(differing.stepsLeft == 0 && differing.echo && !differing.screen.contains("horse"))
            let unasked = try await home.run(
                "vault", "passwd", "--json", environment: Self.variable("old horse"))
            #expect(unasked.status == 64 && unasked.errorLine?.code == "no_new_passphrase")
            let file = home.directory.appending(path: "short")
            try Data("1234567\n".utf8).write(to: file)
            for command in ["passwd", "add-key"] {
                let short = try await home.run(
                    "vault", command, "--new-passphrase-file", file.path, "--json",
                    environment: Self.variable("old horse"))
                #expect(short.status == 5 && short.errorLine?.code == "short_passphrase", "\(short.errors)")
                #expect(short.errorLine?.message.contains("at least 8 characters") == true)
            }
            let wrong = try await home.run("vault", "passwd", environment: Self.variable("wrong"))
            #expect(wrong.status == 5)
            #expect(try home.vaultContent() == before)
        }

        @Test("a key file is added for a script, and the passphrase removed, but never the last key")
        func keys() async throws {
            let home = try Home(try Sandbox(), key: [:])
            try await home.logIn("alice.test", environment: Self.variable("warhorse"))
            let key = home.directory.appending(path: "key").path
            let add = ["vault", "add-key", "--new-key-file", key, "--label", "ci", "--json"]
            let added = try await home.run(add, environment: Self.variable("warhorse"))
            #expect(added.status == 0 && added.json?["label"] as? String == "ci", "\(added.errors)")
            try await home.succeed("call", "com.atproto.server.getSession", "--key-file", key)
            let last = try await home.run("vault", "remove-key", "passphrase", "--key-file", key, "--json")
            #expect(last.status == 0, "\(last.errors)")
            let none = try await home.run("accounts", "--json", environment: Self.variable("warhorse"))
            #expect(none.status == 5 && none.errorLine?.code == "no_such_slot")
            let refused = try await home.run("vault", "remove-key", "ci", "--key-file", key, "--json")
            #expect(refused.status == 64 && refused.errorLine?.code == "last_key")
            let inside = home.vault.appending(path: "key").path
            let warned = try await home.succeed(
                "vault", "add-key", "--new-key-file", inside, "--key-file", key)
            #expect(warned.errors.contains("inside the vault"))
            let taken = try await home.run(add + ["--key-file", key])
            #expect(taken.status == 64 && taken.errorLine?.code == "key_name_taken")
        }

        @Test("several logins to one new slot at the same moment make one account", .covers("R12"))
        func loginsAtOnce() async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("bob.test")
            let logins = try (0..<4).map { _ in try home.start("login", "alice.test", "--json") }
            for login in logins {
                let result = try await login.result()
                #expect(result.status == 0, "\(result.errors)")
            }
            let accounts = try await home.accounts()
            #expect(accounts.count == 2)
            try await home.succeed("call", "com.atproto.server.getSession", "-a", "alice.test")
            try await home.succeed("vault", "verify")
        }

        @Test("a vault.json that is damaged is brought back from its second copy, and no account is lost")
        func header() async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test")
            let header = home.vault.appending(path: "vault.json")
            let whole = try Data(contentsOf: header)
            for damage in [Data("{".utf8), nil] {
                if let damage {
                    try damage.write(to: header)
                } else {
                    try FileManager.default.removeItem(at: header)
                }
                let call = try await home.run("call", "com.atproto.server.getSession", "--json")
                #expect(call.status == 7 && call.errorLine?.hint == "bskyauth vault restore")
                let restored = try await home.succeed("vault", "restore", "--json").json
                let results = restored?["results"] as? [[String: Any]]
                #expect(results?.map { $0["outcome"] as? String } == ["restored"])
                #expect(try Data(contentsOf: header) == whole)
                try await home.succeed("call", "com.atproto.server.getSession")
            }
            for name in ["vault.json", "vault.json.copy"] {
                try Data("{".utf8).write(to: home.vault.appending(path: name))
            }
            let result = try await home.run("vault", "restore", "--json")
            #expect(result.status == 7 && result.errorLine?.code == "not_restorable")
            #expect(result.errorLine?.hint?.contains("cp BACKUP") == true)
        }

        @Test("a vault of a newer format is refused by each command, and left as it is", .covers("F8"))
        func newerFormat() async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test")
            let header = home.vault.appending(path: "vault.json")
            let text = try String(contentsOf: header, encoding: .utf8)
            try Data(text.replacingOccurrences(of: #""format": 1"#, with: #""format": 9"#).utf8)
                .write(to: header)
            let before = try home.vaultContent()
            for command in ["status", "verify", "restore"] {
                let result = try await home.run("vault", command, "--json")
                #expect(result.status == 7 && result.errorLine?.code == "newer_format", "\(command)")
                #expect(result.errorLine?.message.contains("format 9") == true)
            }
            #expect(try home.vaultContent() == before)
        }
    }
}
