import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    @Suite("Account slots")
    struct AccountSlotTests {
        private struct Login: Decodable {
            let account: Account
            let replacedSession: Bool
        }

        @Test(
            "logging in again to a DID and label keeps the UUID and ends the old session at the server",
            .covers("G6"))
        func again() async throws {
            let sandbox = try Sandbox()
            let home = try Home(sandbox)
            let first = try await logIn(home, "alice.test")
            #expect(!first.replacedSession)
            let second = try await logIn(home, "alice.test")
            #expect(second.replacedSession)
            #expect(second.account.id == first.account.id)
            #expect(second.account.jkt != first.account.jkt)
            #expect(try await home.accounts().map(\.jkt) == [second.account.jkt])

            let requests = try await sandbox.requests()
            let revocations = requests.filter { $0.path == "/oauth/revoke" && $0.sessionEnded }
            #expect(revocations.map(\.jkt) == (ServerProfile.current.revokes ? [first.account.jkt] : []))
            let exchange = try #require(
                requests.lastIndex { $0.grant == "authorization_code" && $0.jkt == second.account.jkt })
            let revocation = requests.firstIndex { $0.sessionEnded } ?? requests.endIndex
            #expect(exchange < revocation)
            try await home.succeed("call", "com.atproto.server.getSession")
        }

        @Test("the first account becomes active, later ones only with --switch", .covers("K1"))
        func activation() async throws {
            let home = try Home(try Sandbox(accounts: ["alice.test", "bob.test", "carol.test"]))
            #expect(try await home.logIn("alice.test").active)
            #expect(try await home.logIn("bob.test").active == false)
            #expect(try await home.active()?.handle == "alice.test")
            #expect(try await home.logIn("carol.test", "--switch").active)
            #expect(try await home.active()?.handle == "carol.test")
            #expect(try await home.logIn("bob.test").active == false)
            #expect(try await home.active()?.handle == "carol.test")
        }

        @Test("two labels of one DID are two accounts with sessions of their own", .covers("C16", "G1"))
        func labels() async throws {
            let home = try Home(try Sandbox())
            let work = try await home.logIn("alice.test", "--label", "work")
            let ci = try await home.logIn("alice.test", "--label", "ci")
            #expect(work.did == ci.did)
            #expect(work.id != ci.id)
            #expect(work.jkt != ci.jkt)
            for label in ["work", "ci"] {
                let call = try await home.succeed("call", "-a", label, "com.atproto.server.getSession")
                #expect(call.json?["did"] as? String == work.did)
            }
            let taken = try await home.run("accounts", "rename", "ci", "work")
            #expect(taken.status == 64)
        }

        @Test("a label that names another account is refused, before anybody signs in")
        func labelOfAnother() async throws {
            let sandbox = try Sandbox()
            let home = try Home(sandbox)
            let alice = try await home.logIn("alice.test")
            for label in ["alice.test", String(alice.id.prefix(8))] {
                try await sandbox.resetJournal()
                let login = try await home.run("login", "bob.test", "--label", label, "--json")
                #expect(login.status == 64 && login.errorLine?.code == "label_taken", "\(login.errors)")
                #expect(try await sandbox.requests().allSatisfy { !$0.path.hasPrefix("/oauth/") })
            }
            try await home.logIn("bob.test")
            let renaming = try await home.run("accounts", "rename", "bob.test", "alice.test", "--json")
            #expect(renaming.status == 64 && renaming.errorLine?.code == "label_taken", "\(renaming.errors)")
            try await home.succeed("accounts", "rename", "bob.test", "alice.test-bot")
        }

        @Test(
            "logging out of one account leaves every file of the other as it was",
            .covers("C16", "G1", "G8", "H9"))
        func logoutLeavesOthers() async throws {
            let sandbox = try Sandbox()
            let home = try Home(sandbox)
            let work = try await home.logIn("alice.test", "--label", "work")
            let ci = try await home.logIn("alice.test", "--label", "ci")
            let before = try home.vaultContent().filter { $0.key.contains(work.id) }
            #expect(!before.isEmpty)
            let requests = try await sandbox.requests { try await home.succeed("logout", "ci") }
            let ended = requests.filter(\.sessionEnded).map(\.jkt)
            #expect(ended == (ServerProfile.current.revokes ? [ci.jkt] : []))
            let after = try home.vaultContent()
            #expect(after.filter { $0.key.contains(work.id) } == before)
            #expect(!after.keys.contains { $0.contains(ci.id) })
            try await home.succeed("call", "-a", "work", "com.atproto.server.getSession")
        }

        @Test("after logging out of the active account nothing is active")
        func logoutOfActive() async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test")
            try await home.logIn("bob.test")
            for arguments in [["logout"], ["logout", "--yes"]] {
                let unnamed = try await home.run(arguments + ["--strict", "--json"])
                #expect(unnamed.status == 64)
                #expect(unnamed.errorLine?.code == "account_not_named")
                #expect(unnamed.errorLine?.hint == "bskyauth logout alice.test --strict")
            }
            #expect(try await home.accounts().count == 2)
            try await home.succeed("logout", environment: ["BSKYAUTH_ACCOUNT": "alice.test"])
            #expect(try await home.accounts().map(\.handle) == ["bob.test"])
            #expect(try await home.active() == nil)
            let current = try await home.run("accounts", "current", "--json")
            #expect(current.status == 6)
            #expect(current.errorLine?.code == "none_active")
            #expect(current.errorLine?.hint?.wholeMatch(of: /bskyauth switch [0-9a-f]{8}/) != nil)
            #expect(current.output.isEmpty)
            #expect(try await home.run("call", "com.atproto.server.getSession").status == 6)
            #expect(try await home.run("logout").status == 6)
        }

        @Test("a login and a logout say which account is active, be it none, and how to go on")
        func saysWhichIsActive() async throws {
            let home = try Home(try Sandbox(accounts: ["alice.test", "bob.test", "carol.test"]))
            func said(_ words: String...) async throws -> String {
                let result = try await home.run(words)
                #expect(result.status == 0, "\(result.errors)")
                return result.errors
            }
            #expect(try await said("login", "alice.test").contains("\nit is the active account\n"))
            let second = try await said("login", "bob.test")
            #expect(second.hasSuffix("\nactive: @alice.test\n  bskyauth switch bob.test\n"), "\(second)")
            try await home.logIn("carol.test")
            let other = try await said("logout", "carol.test")
            #expect(!other.contains("active"), "\(other)")
            let active = try await said("logout", "alice.test")
            #expect(active.hasSuffix("\nno account is active now\n  bskyauth switch bob.test\n"), "\(active)")
            let none = try await said("login", "alice.test")
            #expect(none.hasSuffix("\nno account is active\n  bskyauth switch alice.test\n"), "\(none)")
            try await home.succeed("switch", "bob.test")
            let last = try await said("logout", "--all", "--yes")
            #expect(last.hasSuffix("\nno account is active now\n  bskyauth login HANDLE\n"), "\(last)")
        }

        @Test("the first account after the last was logged out of is active", .covers("K1"))
        func firstAgain() async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test")
            try await home.succeed("logout", "alice.test")
            #expect(try await home.logIn("bob.test").active)
            try await home.succeed("call", "com.atproto.server.getSession")
        }

        @Test(
            "a copy of the vault made before the logout has a session that the server no longer knows",
            .covers("R75", "12.1", "G10"),
            .enabled(
                if: ServerProfile.current.revokes, "no server can be told of a logout without revocation"))
        func loggedOutAtServer() async throws {
            let sandbox = try Sandbox()
            let home = try Home(sandbox)
            try await home.logIn("alice.test")
            let copy = home.directory.appending(path: "copy")
            try FileManager.default.copyItem(at: home.vault, to: copy)
            try await home.succeed("logout", "alice.test")
            try await sandbox.resetJournal()
            let refresh = try await home.run("refresh", "--force", "--home", copy.path, "--json")
            let refused = ServerProfile.current.refusedRefresh
            #expect(refresh.status == refused.exit)
            #expect(refresh.errorLine?.code == refused.error)
            let requests = try await sandbox.requests().filter(\.isRefresh)
            #expect(requests.last?.error == ServerProfile.current.refusedGrant)
            #expect(!requests.contains { $0.consumed })
            #expect(
                try await home.run("call", "--home", copy.path, "com.atproto.server.getSession").status == 4)
        }

        private func logIn(_ home: Home, _ arguments: String...) async throws -> Login {
            let result = try await home.run(["login", "--json"] + arguments)
            try #require(result.status == 0, "\(result.errors)")
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            return try decoder.decode(Login.self, from: result.output)
        }
    }
}
