import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    @Suite("The list of accounts")
    struct AccountListTests {
        private static let capable = ["TERM": "xterm"]

        private func home() async throws -> Home {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test", "--label", "仕事")
            try await home.logIn("bob.test", "--label", "a-label-that-is-rather-long")
            return home
        }

        @Test("a pipe gets every column whole and no colour; the active account is marked", .covers("K3"))
        func pipe() async throws {
            let home = try await home()
            let list = try await home.succeed("accounts", environment: Self.capable)
            let lines = list.text.split(separator: "\n")
            #expect(lines.count == 3 && !list.text.contains("\u{1b}"))
            #expect(lines[0].hasPrefix("   ACCOUNT     LABEL"))
            let alice = try #require(lines.first { $0.contains("alice.test") })
            let bob = try #require(lines.first { $0.contains("bob.test") })
            #expect(alice.hasPrefix("*  alice.test  仕事 ") && alice.contains("  ok     in 14 days"))
            #expect(bob.hasPrefix("   bob.test    a-label-that-is-rather-long  ok "))
            for account in try await home.accounts() {
                let line = account.active ? alice : bob
                #expect(line.contains("  \(account.id.prefix(8))  127.0.0.1:"))
            }
        }

        @Test(
            "a program gets every member of an account, what is absent as null, and nothing secret",
            .covers("G6", "H1"))
        func json() async throws {
            let home = try await home()
            try await home.logIn("alice.test")
            let list = try await home.succeed("accounts", "--json")
            #expect(list.json?["schema"] as? String == "bskyauth.accounts/1")
            let accounts = try #require(list.json?["accounts"] as? [[String: Any]])
            #expect(accounts.count == 3)
            for account in accounts {
                #expect(
                    Set(account.keys) == [
                        "id", "label", "did", "handle", "pds", "issuer", "client_id", "client_key_id",
                        "client_assertions", "auth",
                        "scopes", "requested_scope",
                        "active", "state", "access_expires_at", "session_created_at", "session_ends_at",
                        "idle_ends_at",
                        "added_at", "last_refresh_at", "refresh_open", "moved_to", "last_error", "jkt",
                        "check",
                    ])
                #expect(
                    account["active"] as? Bool
                        == (account["id"] as? String == list.json?["active"] as? String))
                #expect(account["last_error"] is NSNull && account["check"] is NSNull)
                #expect(account["requested_scope"] as? String == "atproto transition:generic")
            }
            #expect(accounts.filter { $0["label"] is NSNull }.count == 1)
        }

        @Test("a terminal gets lines that it has room for", .covers("K3"), arguments: [25, 40, 60, 79])
        func widths(columns: Int) async throws {
            let home = try await home()
            let list = try await home.runAtTerminal("accounts", "-q", steps: [], columns: columns)
            let lines = try #require(list.displays.last)
            // One that wrapped would be two.
            #expect(list.status == 0 && lines.count == 3, "\(lines)")
            #expect(lines.contains { $0.hasPrefix("*  alice.t") })
            #expect(lines[0].contains("PDS") == (columns > 60))
            #expect(lines.contains { $0.contains("a-label-that-is-rather-long") } == false)
        }

        @Test("colours are for terminals that have them, and for those who ask")
        func colors() async throws {
            let home = try await home()
            func isColored(_ arguments: String..., environment: [String: String]) async throws -> Bool {
                try await home.run(["accounts"] + arguments, environment: environment).text.contains(
                    "\u{1b}[32m*")
            }
            func isColoredAtTerminal(_ environment: [String: String]) async throws -> Bool {
                try await home.runAtTerminal("accounts", steps: [], environment: environment)
                    .screen.contains("\u{1b}[32m*\u{1b}[0m  alice.test")
            }
            #expect(try await isColoredAtTerminal(Self.capable))
            #expect(try await !isColoredAtTerminal(["TERM": "dumb"]))
            #expect(try await !isColoredAtTerminal(["TERM": "xterm", "NO_COLOR": "1"]))
            #expect(try await !isColoredAtTerminal(["TERM": "xterm", "CLICOLOR": "0"]))
            #expect(try await isColoredAtTerminal(["TERM": "xterm", "NO_COLOR": ""]))
            #expect(try await isColored(environment: ["CLICOLOR_FORCE": "1"]))
            #expect(try await isColored(environment: ["CLICOLOR_FORCE": "1", "NO_COLOR": "1"]))
            #expect(try await !isColored(environment: ["CLICOLOR_FORCE": "0"]))
            #expect(try await isColored("--color", "always", environment: ["NO_COLOR": "1"]))
            #expect(try await !isColored("--color", "never", environment: ["CLICOLOR_FORCE": "1"]))
            #expect(try await !isColored("--json", "--color", "always", environment: [:]))
        }

        @Test(
            "sessions that end soon, and those that have ended, come with what to do", .covers("K3"),
            .enabled(if: Later.isPossible))
        func warnings() async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test")
            let now = try await home.succeed("accounts")
            #expect(!now.errors.contains("the session"))
            let soon = try await home.succeed("accounts", environment: Later.by(seconds: 12 * 86400))
            #expect(soon.text.contains("expiring"))
            #expect(
                soon.errors.contains(
                    "the session of @alice.test ends in 2 days; a refresh does not extend it"))
            #expect(soon.errors.contains("\n  bskyauth login alice.test"))
            let over = try await home.succeed("accounts", environment: Later.by(seconds: 15 * 86400))
            #expect(over.text.contains("expired") && over.text.contains("24 h ago"))
            #expect(over.errors.contains("log in again:  bskyauth login alice.test"))
            let quiet = try await home.succeed("accounts", "-q", environment: Later.by(seconds: 15 * 86400))
            #expect(quiet.errors.isEmpty)
        }

        @Test("a refresh without an answer is told of, and the state stays ok", .covers("G6"))
        func openRefresh() async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test")
            let before = try await home.succeed("accounts", "show", "alice.test", "--json")
            let whole = before.json?["account"] as? [String: Any]
            #expect(whole?["refresh_open"] is NSNull)
            try await home.sandbox.setFaults(
                Faults.list([Faults.oneOfRefreshes(skip: 0, times: 1, #"{"drop":"after"}"#)]))
            #expect(try await home.run("refresh", "--force").status == 12)
            let list = try await home.succeed("accounts")
            #expect(list.text.contains("ok, refresh open"), "\(list.text)")
            let words = "got no answer, so its session may have ended"
            #expect(list.errors.contains(words) && list.errors.contains("bskyauth login alice.test"))
            let json = try await home.succeed("accounts", "--json")
            let account = try #require((json.json?["accounts"] as? [[String: Any]])?.first)
            let open = account["refresh_open"] as? [String: String]
            #expect(account["state"] as? String == "ok" && open?["since"] != nil)
            #expect(open?["until"] == account["access_expires_at"] as? String)
            let show = try await home.succeed("accounts", "show", "alice.test")
            #expect(
                show.text.contains("since \(open?["since"] ?? "?"), until ") && show.errors.contains(words))
            for command in [["whoami"], ["switch", "alice.test"]] {
                #expect(try await home.run(command).errors.contains(words), "\(command)")
            }
            let doctor = try await home.succeed("doctor")
            #expect(doctor.text.contains(words), "\(doctor.text)")
            let key = try home.recipientKey()
            let export = try await home.run(
                "accounts", "export", "alice.test", "--to", home.directory.path + "/bundle",
                "--recipient-key", key, "--json")
            #expect(export.errorLine?.code == "rotation_unsettled", "\(export.errors)")
            #expect(export.errorLine?.hint == "bskyauth login alice.test")
        }

        @Test(
            "whoami, switch, show and doctor say that a session has ended", .enabled(if: Later.isPossible))
        func endedIsSaid() async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test")
            let later = Later.by(seconds: 15 * 86400)
            let words = "the session of @alice.test ended at its server"
            let commands = [["whoami"], ["switch", "alice.test"], ["accounts", "show", "alice.test"]]
            for command in commands {
                #expect(try await !home.run(command).errors.contains("session"), "\(command)")
                let told = try await home.run(command, environment: later)
                #expect(told.status == 0 && told.errors.contains(words), "\(command): \(told.errors)")
                #expect(told.errors.contains("log in again:  bskyauth login alice.test"))
            }
            let doctor = try await home.run("doctor", "--json", environment: later)
            let checks = doctor.json?["checks"] as? [[String: Any]]
            let check = checks?.first { $0["name"] as? String == "session" }
            #expect(check?["error"] as? String == "session_expired", "\(doctor.text)")
        }

        @Test("where it is not known which account is active all are listed, and the damage is told of after")
        func damagedChoice() async throws {
            let home = try await home()
            let file = home.vault.appending(path: "active")
            var content = try Data(contentsOf: file)
            content[content.count - 1] ^= 1
            try content.write(to: file)
            let list = try await home.run("accounts")
            #expect(list.status == 7 && list.errors.contains("so no account is active"))
            let lines = list.text.split(separator: "\n").dropFirst()
            #expect(lines.count == 2 && !lines.contains { $0.contains("*") }, "\(list.text)")
            for arguments in [["accounts", "--json"], ["accounts", "--check", "--json"]] {
                let json = try await home.run(arguments)
                #expect(json.status == 7 && json.errorLine?.code == "damaged")
                let accounts = try #require(json.json?["accounts"] as? [[String: Any]])
                #expect(Set(accounts.map { $0["handle"] as? String }) == ["alice.test", "bob.test"])
                #expect(accounts.allSatisfy { $0["active"] as? Bool == false })
                #expect(json.json?["active"] is NSNull)
            }
            // The next step that it names.
            try await home.succeed("switch", "bob.test")
            let again = try await home.succeed("accounts")
            #expect(again.text.contains("*  bob.test"))
        }

        // MARK: --check

        private func verdicts(_ result: Program.Result) -> [String: String] {
            let accounts = result.json?["accounts"] as? [[String: Any]] ?? []
            return Dictionary(
                accounts.map { account in
                    let check = account["check"] as? [String: Any]
                    return (account["handle"] as? String ?? "?", check?["verdict"] as? String ?? "none")
                }, uniquingKeysWith: { $1 })
        }

        @Test("--check asks each server once whether the session works, and refreshes none that lives")
        func check() async throws {
            let home = try await home()
            #expect(verdicts(try await home.succeed("accounts", "--json")).values.allSatisfy { $0 == "none" })
            try await home.succeed("accounts", "--check")
            try await home.sandbox.resetJournal()
            let check = try await home.succeed("accounts", "--check", "--json")
            #expect(verdicts(check) == ["alice.test": "works", "bob.test": "works"])
            let requests = try await home.sandbox.requests()
            #expect(
                requests.map(\.line) == [
                    "GET /xrpc/com.atproto.server.getSession", "GET /xrpc/com.atproto.server.getSession",
                ])
            let words = try await home.succeed("accounts", "--check")
            #expect(
                words.text.split(separator: "\n").dropFirst().allSatisfy { $0.contains("  ok     works  ") })
        }

        @Test("a server that fails says nothing about the session, and ends the check with its status")
        func unknown() async throws {
            let home = try await home()
            try await home.sandbox.setFaults(
                Faults.answer("com.atproto.server.getSession", 503, body: #"{"error":"Down"}"#))
            let check = try await home.run("accounts", "--check", "--json")
            #expect(check.status == 11)
            #expect(verdicts(check) == ["alice.test": "unknown", "bob.test": "unknown"])
            let words = try await home.run("accounts", "--check")
            #expect(words.status == 11 && words.text.contains("  ok     unknown  "))
            let line =
                "bskyauth: 2 accounts (@alice.test (仕事), @bob.test (a-label-that-is-rather-long)): "
                + "127.0.0.1 failed: Down (HTTP 503)\n"
            #expect(words.errors.contains(line), "\(words.errors)")
        }

        @Test("a session that was ended elsewhere is found out", .enabled(if: Later.isPossible))
        func ended() async throws {
            let home = try await home()
            let alice = try #require(try await home.accounts().first { $0.handle == "alice.test" })
            try await home.sandbox.advanceClock("61m")
            try await home.sandbox.endSessions(of: alice.did)
            let check = try await home.run(
                "accounts", "--check", "--json", environment: Later.anHour)
            #expect(check.status == 4, "\(check.errors)")
            #expect(verdicts(check) == ["alice.test": "ended", "bob.test": "works"])
            #expect(check.errorLine?.hint?.contains("bskyauth login alice.test") == true)
        }

        @Test("-a is refused with the list of all accounts, and the command for one account is named")
        func listOfOne() async throws {
            let home = try await home()
            for command in [["accounts"], ["accounts", "list", "--json"], ["accounts", "--check"]] {
                let result = try await home.run(command + ["-a", "bob.test"])
                #expect(result.status == 64 && result.output.isEmpty)
                #expect(result.errors.contains("bskyauth accounts show bob.test"), "\(result.errors)")
            }
            try await home.succeed("accounts", environment: ["BSKYAUTH_ACCOUNT": "bob.test"])
        }

        @Test("an account that can't be opened fails the list, and hides no other", .covers("K4"))
        func unreadable() async throws {
            let home = try await home()
            let bob = try #require(try await home.accounts().first { $0.handle == "bob.test" })
            for name in ["session", "session.copy"] {
                try Data("no".utf8).write(to: home.vault.appending(path: "accounts/\(bob.id)/\(name)"))
            }
            let list = try await home.run("accounts")
            #expect(list.status == 7 && list.text.contains("alice.test"))
            #expect(list.text.contains("unreadable") && list.errors.contains("is damaged"))
            #expect(list.errors.contains(bob.id), "\(list.errors)")
            let json = try await home.run("accounts", "--json")
            #expect(json.status == 7 && json.errorLine?.code == "damaged")
            #expect((json.json?["accounts"] as? [Any])?.count == 2)
            let check = try await home.run("accounts", "--check", "--json")
            #expect(check.status == 7)
            #expect(verdicts(check) == ["alice.test": "works", "?": "unknown"])
        }
    }
}
