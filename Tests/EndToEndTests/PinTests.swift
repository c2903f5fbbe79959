import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    @Suite("Pins")
    struct PinTests {
        private struct World {
            let sandbox: Sandbox
            let home: Home
            let alice: Account
            let bob: Account
            /// A directory where bob is pinned, and one inside of it.
            let project: URL
            let inside: URL

            /// Alice is active.
            init() async throws {
                sandbox = try Sandbox(accounts: ["alice.test", "bob.test", "carol.test"])
                home = try Home(sandbox)
                alice = try await home.logIn("alice.test")
                bob = try await home.logIn("bob.test", "--label", "bot")
                project = try home.folder("project")
                inside = try home.folder("project/a/b")
                try await home.succeed("accounts", "pin", "bot", in: project)
            }

            func current(_ folder: URL, _ arguments: String...) async throws -> Current {
                let result = try await home.run(["accounts", "current", "--json"] + arguments, in: folder)
                let account = result.json?["account"] as? [String: Any]
                return Current(
                    id: account?["id"] as? String, source: result.json?["source"] as? String,
                    detail: result.json?["source_detail"] as? String)
            }
        }

        private struct Current: Equatable {
            let id: String?
            let source: String?
            let detail: String?
        }

        @Test(
            "an account is pinned to a directory and all in it, and the active one stays for the rest",
            .covers("G5"))
        func pinned() async throws {
            let world = try await World()
            let file = world.project.appending(path: ".bskyauth-account")
            #expect(try String(contentsOf: file, encoding: .utf8) == world.bob.id + "\n")
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let pinned = Current(id: world.bob.id, source: "pin", detail: file.path)
            #expect(try await world.current(world.project) == pinned)
            #expect(try await world.current(world.inside) == pinned)
            let active = Current(id: world.alice.id, source: "active", detail: nil)
            #expect(try await world.current(world.home.directory) == active)

            let told = try await world.home.succeed("accounts", "current", in: world.inside)
            #expect(told.text == "@bob.test (bot)\n")
            #expect(told.errors.contains("chosen by: the pin \(file.path)"))
        }

        @Test("calls, refreshes and tokens are the pinned account's, and --verbose says why")
        func commands() async throws {
            let world = try await World()
            let call = try await world.home.succeed(
                "call", "com.atproto.server.getSession", "-v", in: world.inside)
            #expect(call.json?["handle"] as? String == "bob.test")
            #expect(call.errors.contains("account: @bob.test (bot), chosen by the pin "))
            let refresh = try await world.home.succeed("refresh", "--json", in: world.inside)
            let results = refresh.json?["results"] as? [[String: Any]]
            #expect(results?.map { $0["id"] as? String } == [world.bob.id])
            let url = world.sandbox.address + "/xrpc/com.atproto.server.getSession"
            let token = try await world.home.succeed("token", "-v", "--dpop", "GET", url, in: world.inside)
            #expect(token.errors.contains("chosen by the pin "))
        }

        @Test(
            "-a and BSKYAUTH_ACCOUNT come before the pin, the nearest pin before those above it",
            .covers("G5"))
        func precedence() async throws {
            let world = try await World()
            #expect(try await world.current(world.project, "-a", "alice.test").source == "flag")
            let variable = try await world.home.run(
                "accounts", "current", "--json", environment: ["BSKYAUTH_ACCOUNT": "alice.test"],
                in: world.project)
            #expect(variable.json?["source"] as? String == "env")
            try await world.home.succeed("accounts", "pin", "alice.test", in: world.inside)
            #expect(try await world.current(world.inside).id == world.alice.id)
            #expect(try await world.current(world.project).id == world.bob.id)
        }

        @Test("an account stays pinned under another label, and another that gets the label is not")
        func renamed() async throws {
            let world = try await World()
            try await world.home.succeed("accounts", "rename", "bot", "old")
            try await world.home.succeed("accounts", "rename", "alice.test", "bot")
            #expect(try await world.current(world.project).id == world.bob.id)
        }

        @Test("pins above the home are not looked for, and outside of it those up to the root are")
        func upToTheHome() async throws {
            let world = try await World()
            func source(_ folder: URL, home: URL) async throws -> String? {
                try await world.home.run(
                    "accounts", "current", "--json", environment: ["HOME": home.path], in: folder
                ).json?["source"] as? String
            }
            let between = world.project.appending(path: "a")
            #expect(try await source(world.inside, home: between) == "active")
            #expect(try await source(world.inside, home: world.project) == "pin")
            #expect(try await source(world.inside, home: world.home.folder("elsewhere")) == "pin")
            // The same directory by another name.
            let link = world.home.directory.appending(path: "link")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: between)
            #expect(try await source(world.inside, home: link) == "active")
        }

        @Test("a pin is taken away where it is, and the next one above counts again")
        func unpinned() async throws {
            let world = try await World()
            try await world.home.succeed("accounts", "pin", "alice.test", in: world.inside)
            let unpin = try await world.home.succeed("accounts", "unpin", "--json", in: world.inside)
            #expect(
                unpin.json?["removed"] as? String
                    == world.inside.appending(path: ".bskyauth-account").path)
            let next = world.project.appending(path: ".bskyauth-account").path
            #expect(unpin.json?["next"] as? String == next)
            let nothing = try await world.home.succeed("accounts", "unpin", in: world.inside)
            #expect(nothing.errors.contains("this directory has no pin") && nothing.errors.contains(next))
            try await world.home.succeed("accounts", "unpin", in: world.project)
            #expect(try await world.current(world.inside).source == "active")
        }

        @Test(
            "logging out follows no pin: it takes a name where the pin means another than the active one",
            .covers("G5"))
        func logout() async throws {
            let world = try await World()
            let refused = try await world.home.run("logout", "--json", in: world.inside)
            #expect(refused.status == 64)
            #expect(refused.errorLine?.code == "pin_not_followed")
            #expect(refused.errorLine?.hint == "bskyauth logout bot")
            #expect(try await world.home.accounts().count == 2)
            try await world.home.succeed("switch", "bot")
            let unnamed = try await world.home.run("logout", "--json", in: world.inside)
            #expect(unnamed.errorLine?.code == "account_not_named")
            try await world.home.succeed("logout", "bot", in: world.inside)
            #expect(try await world.home.accounts().map(\.id) == [world.alice.id])
        }

        @Test("the list of accounts is ordered by name, and says which account the directory is pinned to")
        func listed() async throws {
            let world = try await World()
            let list = try await world.home.succeed("accounts", in: world.inside)
            let pin = world.project.appending(path: ".bskyauth-account").path
            #expect(
                list.errors == "this directory is pinned to @bob.test (bot) by \(pin)\n", "\(list.errors)")
            let names = list.text.split(separator: "\n").compactMap {
                $0.firstMatch(of: /[a-z]+\.test/)?.output
            }
            #expect(names == ["alice.test", "bob.test"], "\(list.text)")
        }

        @Test("exporting follows no pin")
        func export() async throws {
            let world = try await World()
            let export = try await world.home.run(
                "accounts", "export", "--to", "bundle", "--recipient-key", "key", in: world.inside)
            #expect(export.status == 64)
            #expect(try await world.home.accounts().count == 2)
        }

        @Test("switching says what comes before the active account")
        func switching() async throws {
            let world = try await World()
            let here = try await world.home.succeed("switch", "bot", in: world.inside)
            #expect(here.errors.contains(".bskyauth-account overrides it"))
            let variable = try await world.home.succeed(
                "switch", environment: ["BSKYAUTH_ACCOUNT": "bot"])
            #expect(variable.errors.contains("BSKYAUTH_ACCOUNT overrides it"))
            #expect(try await !world.home.succeed("switch").errors.contains("overrides"))
        }
    }
}
