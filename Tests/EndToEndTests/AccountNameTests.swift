import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    @Suite("Names of accounts")
    struct AccountNameTests {
        @Test("an account answers to its handle, DID, label, UUID and a prefix of it", .covers("G5"))
        func names() async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("bob.test")
            let alice = try await home.logIn("alice.test", "--label", "work")
            let names = [
                "alice.test", "@alice.test", "ALICE.test", "@Alice.Test", alice.did, "work", "Work",
                alice.id, alice.id.uppercased(), String(alice.id.prefix(8)), String(alice.id.prefix(13)),
            ]
            for name in names {
                let flag = try await home.run("accounts", "current", "--json", "-a", name)
                #expect(flag.status == 0, "\(name): \(flag.errors)")
                #expect((flag.json?["account"] as? [String: Any])?["id"] as? String == alice.id)
                #expect(flag.json?["source"] as? String == "flag")
            }
            let variable = try await home.run(
                "accounts", "current", "--json", environment: ["BSKYAUTH_ACCOUNT": "work"])
            #expect((variable.json?["account"] as? [String: Any])?["id"] as? String == alice.id)
            #expect(variable.json?["source"] as? String == "env")
        }

        @Test(
            "the flag comes before the environment, the environment before the active account", .covers("G8"))
        func precedence() async throws {
            let home = try Home(try Sandbox(accounts: ["alice.test", "bob.test", "carol.test"]))
            for handle in ["alice.test", "bob.test", "carol.test"] { try await home.logIn(handle) }
            let environment = ["BSKYAUTH_ACCOUNT": "bob.test"]
            func handle(_ arguments: String..., environment: [String: String] = [:]) async throws -> String? {
                let call = ["call", "com.atproto.server.getSession"] + arguments
                return try await home.run(call, environment: environment).json?["handle"] as? String
            }
            #expect(try await handle() == "alice.test")
            #expect(try await handle(environment: environment) == "bob.test")
            #expect(try await handle("-a", "carol.test", environment: environment) == "carol.test")
        }

        @Test("an account that is named twice is one account, or nothing is done")
        func twice() async throws {
            let sandbox = try Sandbox()
            let home = try Home(sandbox)
            let alice = try await home.logIn("alice.test", "--label", "work")
            try await home.logIn("bob.test")
            let before = try home.vaultContent()
            try await sandbox.resetJournal()
            let bundle = home.directory.appending(path: "x.bundle").path
            for command in [
                ["logout", "alice.test"], ["logout", "bob.test", "work"], ["logout", "--all", "--yes"],
                ["logout", "--local-only", alice.id], ["refresh", "--force", "work"], ["refresh", "--all"],
                ["token", "work", "--dpop", "GET", "\(sandbox.address)/xrpc/a.b.c"], ["switch", "work"],
                ["accounts", "show", "work"], ["accounts", "rename", "work", "job"],
                ["accounts", "pin", "work"], ["doctor", "work"],
                ["accounts", "export", "work", "--to", bundle, "--recipient-key", try home.recipientKey()],
            ] {
                let result = try await home.run(command + ["-a", "bob.test", "--json"])
                #expect(result.status == 64, "\(command): \(result.errors)")
                let error = try #require(result.errorLine)
                #expect(["two_accounts", "usage"].contains(error.code) && error.hint != nil, "\(command)")
            }
            #expect(try home.vaultContent() == before)
            #expect(try await sandbox.requests().allSatisfy { $0.auth == nil })
            let words = try await home.run("logout", "-a", "bob.test", "work").errors
            #expect(words.contains("-a names @bob.test, but the argument names @alice.test (work); "))

            try await home.succeed("refresh", "-a", "alice.test", "work")
            try await home.succeed("switch", "-a", "bob.test")
            #expect(try await home.active()?.handle == "bob.test")
            let environment = ["BSKYAUTH_ACCOUNT": "bob.test"]
            try await home.succeed("logout", "work", environment: environment)
            try await home.succeed("logout", "-a", "bob.test", "bob.test")
            #expect(try await home.accounts().isEmpty)
        }

        @Test("an unknown name is refused with the accounts there are, and no other is used instead")
        func unknown() async throws {
            let sandbox = try Sandbox()
            let home = try Home(sandbox)
            try await home.logIn("alice.test", "--label", "work")
            try await sandbox.resetJournal()
            for command in [
                ["call", "com.atproto.server.getSession", "-a", "wrok"], ["switch", "wrok"],
                ["logout", "wrok"],
                ["refresh", "wrok"], ["accounts", "show", "wrok"],
            ] {
                let result = try await home.run(command + ["--json"])
                #expect(result.status == 6)
                #expect(result.output.isEmpty)
                let error = try #require(result.errorLine)
                #expect(error.code == "unknown_account")
                #expect(error.message.contains("\"wrok\" in the vault; did you mean work?"))
            }
            let variable = try await home.run(
                "call", "com.atproto.server.getSession", environment: ["BSKYAUTH_ACCOUNT": "wrok"])
            #expect(variable.status == 6 && variable.errors.contains("\n  unset BSKYAUTH_ACCOUNT\n"))
            #expect(try await sandbox.requests().isEmpty)
        }

        @Test("an ambiguous name is refused with the candidates", .covers("G5"))
        func ambiguous() async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test", "--label", "work")
            try await home.logIn("alice.test", "--label", "ci")
            let result = try await home.run("call", "com.atproto.server.getSession", "-a", "alice.test")
            #expect(result.status == 6)
            #expect(result.errors.contains("-a work") && result.errors.contains("-a ci"))
            let json = try await home.run("accounts", "show", "alice.test", "--json")
            #expect(json.errorLine?.code == "ambiguous_account")
        }

        @Test(
            "a handle or a DID alone is the session without a label, whatever labels come later",
            .covers("G5"))
        func withoutLabel() async throws {
            let home = try Home(try Sandbox())
            let plain = try await home.logIn("alice.test")
            let method = "com.atproto.server.getSession"
            try await home.succeed("call", method, "-a", "alice.test")
            let bot = try await home.logIn("alice.test", "--label", "bot")
            for name in ["alice.test", "@alice.test", plain.did] {
                let shown = try await home.succeed("accounts", "show", name, "--json")
                #expect((shown.json?["account"] as? [String: Any])?["id"] as? String == plain.id, "\(name)")
                try await home.succeed("call", method, "-a", name)
            }
            let logout = try await home.succeed("logout", "alice.test")
            #expect(
                logout.errors.contains("logged out: @alice.test (without a label; still here: bot)"),
                "\(logout.errors)")
            // One match stays one match.
            let left = try await home.succeed("accounts", "show", "alice.test", "--json")
            #expect((left.json?["account"] as? [String: Any])?["id"] as? String == bot.id)
        }

        @Test("a hint names an account by a word that a command line finds it by", .covers("G5"))
        func hints() async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("bob.test")
            let work = try await home.logIn("alice.test", "--label", "work")
            let login = try await home.succeed("login", "alice.test")
            let step = try #require(login.errors.firstMatch(of: /bskyauth (switch .+)/)).output.1
            try await home.succeed("switch", "bob.test")
            let words = step.split(separator: " ").map(String.init)
            let switched = try await home.run(words)
            #expect(switched.status == 0, "\(step): \(switched.errors)")
            #expect(try await home.active()?.label == nil)

            let renamed = try await home.succeed("accounts", "rename", "bob.test", "work")
            #expect(
                renamed.errors.contains(
                    "@alice.test (work) has the label work too; to name this account, type:  -a bob.test\n"),
                "\(renamed.errors)")
            let unclear = try await home.run("switch", "work")
            #expect(unclear.status == 6 && unclear.errors.contains("-a \(work.id.prefix(8))"))
        }

        @Test("without any account the way to one is named")
        func noAccounts() async throws {
            let home = try Home(try Sandbox())
            let call = try await home.run("call", "com.atproto.server.getSession", "--json")
            #expect(call.status == 4 || call.status == 5, "\(call.errors)")
            try await home.logIn("alice.test")
            try await home.succeed("logout", "alice.test")
            let after = try await home.run("call", "com.atproto.server.getSession", "--json")
            #expect(after.status == 4)
            #expect(after.errorLine?.hint?.contains("bskyauth login") == true)
        }

        @Test("switch toggles between two, goes back with -, and wants a name among three", .covers("G5"))
        func switching() async throws {
            let home = try Home(try Sandbox(accounts: ["alice.test", "bob.test", "carol.test"]))
            try await home.logIn("alice.test")
            #expect(try await home.run("switch").status == 64)
            #expect(try await home.run("switch", "-").status == 6)
            try await home.logIn("bob.test")
            try await home.succeed("switch")
            #expect(try await home.active()?.handle == "bob.test")
            try await home.succeed("switch")
            #expect(try await home.active()?.handle == "alice.test")

            let carol = try await home.logIn("carol.test")
            let unnamed = try await home.run("switch", "--json")
            #expect(unnamed.status == 64)
            #expect(unnamed.errorLine?.message.contains("-a carol.test") == true)
            let switched = try await home.succeed("switch", "carol.test", "--json")
            #expect(switched.json?["active"] as? String == carol.id)
            try await home.succeed("switch", "-")
            #expect(try await home.active()?.handle == "alice.test")
            try await home.succeed("switch", "-")
            #expect(try await home.active()?.handle == "carol.test")
        }
    }
}
